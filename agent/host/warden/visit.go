package warden

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host"
)

// Visit is a call that its caller signed, from outside of the host.
type Visit struct {
	Call     json.RawMessage // the file of the call
	Onward   json.RawMessage // the file of a chain that ends at the agent that is called; nil: none
	Executor delegation.Principal
	Target   host.Target
	Payload  []byte          // canonical JSON
	Beside   json.RawMessage // what comes with the payload, for a person who is asked
	Domains  []string        // in which a person may have to approve it
	Required []string        // the domains in which the agent's file demands approval
	Seat     func() error    // is asked when it is known who calls; nil: nobody
}

// Visitor is what a signed call says of itself.
type Visitor struct {
	Call     string // its id
	From     delegation.Principal
	Delegate delegation.Principal // to whom the first link of its chain was given
}

// Read reads the call of a visit. It checks nothing.
func Read(call json.RawMessage) (v Visitor, err error) {
	inv, find, err := delegation.ParseCall(call)
	if err != nil {
		return v, refused(err)
	}
	v = Visitor{Call: inv.ID(), From: inv.Issuer}
	v.Delegate, err = delegation.Delegate(inv, find)
	return v, refused(err)
}

// screened is a call from outside whose signatures and chain hold.
type screened struct {
	inv   *delegation.Invocation
	find  func(string) ([]byte, bool)
	links []*delegation.Delegation
	// beyond says why the chain does not allow the call; nil: it does, as far as Verify knows.
	beyond error
}

// screen checks who made a call from outside, and its chain, which begins at the operator or at the
// agent that is called. A chain that holds and does not allow the call is no error.
func (w *Warden) screen(v Visit) (s screened, err error) {
	inv, find, err := delegation.ParseCall(v.Call)
	if err != nil {
		return s, refused(err)
	}
	s.inv, s.find = inv, find
	command, err := Command(v.Target)
	if err != nil {
		return s, refused(err)
	}
	input, _ := inv.Args["input"].(map[string]any)
	switch sum, _ := input["sha256"].(string); {
	case inv.Subject != w.Operator() && inv.Subject != v.Executor:
		return s, refused(delegation.Refuse(delegation.InvalidSubject, "sub", "the call is about %s; a chain here begins at the operator %s or at the agent that is called", inv.Subject, w.Operator()))
	case inv.Command != command:
		return s, refused(delegation.Refuse(delegation.InvalidCommand, "cmd", "it is %s, and the call of %s is %s", inv.Command, v.Target, command))
	case sum != digest(v.Payload):
		return s, refused(delegation.Refuse(delegation.InvalidClaim, "args.input.sha256", "it is not the hash of the payload"))
	}
	s.links, s.beyond = delegation.Verify(inv, delegation.Check{Now: time.Now(), Executor: v.Executor, Find: find, Skew: delegation.Skew})
	var why *delegation.Refusal
	if errors.As(s.beyond, &why) && why.Name != delegation.InvalidCommand && why.Name != delegation.MatchError {
		return s, refused(s.beyond) // a stranger: it writes nothing here
	}
	if err := w.paced(inv, find); err != nil {
		return s, refused(err)
	}
	if v.Seat != nil {
		if err := v.Seat(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Receive checks a call from outside and admits it. A refusal is in the audit log if the caller was
// allowed something.
func (w *Warden) Receive(v Visit) (g Granted, err error) {
	s, err := w.screen(v)
	if err != nil {
		return g, err
	}
	inv, find := s.inv, s.find
	if len(v.Onward) > 0 {
		if err := onward(inv, v); err != nil {
			return g, refused(err)
		}
		g.Chain = v.Onward
	} else if len(s.links) > 0 && s.beyond == nil {
		if g.Under, err = delegation.Bundle(s.links); err != nil {
			return g, err
		}
	}
	var spend delegation.Amounts
	if amounts, ok := inv.Args["spend"].(map[string]any); ok {
		for unit := range spend {
			spend[unit], _ = amounts[delegation.Unit(unit)].(int64)
		}
	}
	return w.admit(keep.Incoming{Invocation: inv, Find: find, Executor: v.Executor, Domains: v.Domains, Required: v.Required, Payload: v.Payload, Beside: v.Beside, Owns: func(s delegation.Principal) bool { return s == w.Operator() }}, spend, g)
}

// Sees checks a call of host.Describe from outside, and reports which capabilities of the agent its
// signer may call. Whoever may call none sees nothing, unless the chain allows the call itself.
func (w *Warden) Sees(v Visit, all []host.Capability) (may []host.Capability, err error) {
	s, err := w.screen(v)
	if err != nil {
		return nil, err
	}
	if s.beyond != nil && len(s.links) == 0 {
		return nil, refused(s.beyond) // the chain itself does not hold, and nothing would bound the caller
	}
	for _, d := range s.links {
		if w.keep.Revoked(d.ID()) {
			return nil, refused(delegation.Refuse(delegation.Revoked, "prf", "the link %s was taken back", d.ID()))
		}
	}
	switch denied, err := delegation.Denies(s.links, s.inv.Command); {
	case err != nil:
		return nil, refused(err)
	case denied:
		return nil, refused(delegation.Refuse(delegation.InvalidCommand, "cmd", "a link denies %s", s.inv.Command))
	}
	for _, c := range all {
		command, err := Command(host.Target{Agent: v.Target.Agent, Capability: c.Name})
		if err != nil {
			return nil, refused(err)
		}
		if delegation.Allows(s.links, command, delegation.Amounts{}) == nil {
			may = append(may, c)
		}
	}
	if len(may) == 0 && s.beyond != nil {
		return nil, refused(s.beyond)
	}
	return may, nil
}

// Again checks a call from outside that was taken at a time, and is sent again: who signed it may
// hear its end, unless its delegation was taken back.
func (w *Warden) Again(v Visit, at time.Time) error {
	inv, find, err := delegation.ParseCall(v.Call)
	if err == nil {
		_, err = delegation.Verify(inv, delegation.Check{Now: at, Executor: v.Executor, Find: find, Revoked: w.keep.Revoked, Skew: delegation.Skew})
	}
	if err == nil && v.Seat != nil {
		return v.Seat()
	}
	return refused(err)
}

// hourly is how many calls a delegate may ask for in an hour, since each writes lines into an audit
// log, also if it is refused.
const hourly = 36_000

// pace counts what delegates asked for in an hour. They are as many as the owner gave links to.
type pace struct {
	hour int64
	of   map[delegation.Principal]int
}

// paced refuses a call of a delegate that asks too often. Its chain was verified.
func (w *Warden) paced(inv *delegation.Invocation, find func(string) ([]byte, bool)) error {
	of, err := delegation.Delegate(inv, find)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if hour := time.Now().Unix() / 3600; w.pace.of == nil || hour != w.pace.hour {
		w.pace = pace{hour, map[delegation.Principal]int{}}
	}
	if w.pace.of[of]++; w.pace.of[of] > hourly && of != w.Operator() {
		return delegation.Refuse(delegation.Busy, "", "the delegate %s asked for %d calls in this hour, and that is the limit; try again in the next", of, hourly)
	}
	return nil
}

// onward checks the chain for what the agent does in the call: that of the call with one more link.
func onward(inv *delegation.Invocation, v Visit) error {
	chain, err := links(v.Onward)
	if err == nil {
		err = delegation.Grant(chain, delegation.Check{Now: time.Now(), Skew: delegation.Skew})
	}
	if err == nil {
		err = delegation.Profile(chain)
	}
	if err != nil {
		return err
	}
	last := chain[len(chain)-1]
	same := len(chain) == len(inv.Proofs)+1
	for n, id := range inv.Proofs {
		same = same && chain[n].ID() == id.String()
	}
	if !same || last.Issuer != inv.Issuer || last.Audience != v.Executor {
		return delegation.Refuse(delegation.InvalidAudience, "onward", "it is not the chain of the call with a link from %s to %s", inv.Issuer, v.Executor)
	}
	return nil
}

// Sign signs a call for an agent host, with the link to the agent that is called if there is a
// chain. The budget of the link is what the call itself may spend.
func Sign(s delegation.Signer, before []*delegation.Delegation, executor delegation.Principal, t host.Target, payload []byte, spend delegation.Amounts, lasts time.Duration) (v Visit, err error) {
	command, err := Command(t)
	if err != nil {
		return v, err
	}
	now := time.Now()
	inv, err := delegation.Invoke(s, executor, delegation.Call(command, spend, map[string]any{"sha256": digest(payload)}), before, nonce(), now, now.Add(lasts))
	if err != nil {
		return v, err
	}
	v = Visit{Executor: executor, Target: t, Payload: payload}
	if v.Call, err = delegation.BundleCall(inv, before); err != nil || len(before) == 0 || before[0].Subject == executor {
		return v, err // the agent itself owns what is called, and needs no link
	}
	o := Inside{Within: Restriction{Tokens: &spend[1], Micros: &spend[2]}, Time: lasts}
	scope, err := o.scope(before, command, now)
	if err != nil {
		return v, err
	}
	d, err := delegation.Issue(s, executor, scope, before, nonce(), now)
	if err == nil {
		v.Onward, err = delegation.Bundle(append(slices.Clone(before), d))
	}
	return v, err
}

// Departed writes into the audit log of an agent that it calls an agent of another host.
func (w *Warden) Departed(from, to delegation.Principal, t host.Target, call string, chain []*delegation.Delegation) error {
	command, err := Command(t)
	if err != nil {
		return err
	}
	act := audit.AgentInvoke{From: from, To: to, Capability: command, Call: call, Result: "called"}
	for _, d := range chain {
		act.Chain = append(act.Chain, d.ID())
	}
	return w.called(act)
}

// Returned writes into the audit log of an agent how its call of an agent of another host ended. If
// nobody said that, c has the reason as its status, and no result.
func (w *Warden) Returned(from, to delegation.Principal, t host.Target, call string, c host.Invocation) error {
	command, err := Command(t)
	if err != nil {
		return err
	}
	act := audit.AgentInvoke{From: from, To: to, Capability: command, Call: call, Chain: []string{}, Result: "ended", Reason: c.Status}
	if len(c.Attestation) > 0 {
		act.Outcome = c.Outcome()
	}
	return w.called(act)
}
