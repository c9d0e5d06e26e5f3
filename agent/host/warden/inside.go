package warden

import (
	"encoding/json"
	"slices"
	"time"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keep"
	"ojud/agent/host"
)

// Restriction is what a caller lets the agent do in a call. What is missing is as in the link
// before.
type Restriction struct {
	Allow    []string
	Deny     []string
	Approval []string
	Tokens   *int64
	Micros   *int64 // millionths of a dollar
}

// Any reports whether something is said.
func (t Restriction) Any() bool {
	return len(t.Allow)+len(t.Deny)+len(t.Approval) > 0 || t.Tokens != nil || t.Micros != nil
}

// Inside is a call on the host.
type Inside struct {
	From, To delegation.Principal
	Before   json.RawMessage // the chain of the call in which this one is made
	Target   host.Target
	Payload  []byte
	Beside   json.RawMessage // what comes with the payload, for a person who is asked
	Asker    string          // who calls, in the words of the host
	Within   Restriction
	Own      delegation.Amounts // what the agent itself may spend in the call
	Domains  []string           // in which a person may have to approve it
	Required []string           // the domains in which the agent's file demands approval
	Time     time.Duration      // of the call
}

// Granted is a call that was admitted, or that waits for a person.
type Granted struct {
	Call   string
	Chain  json.RawMessage // the file of the chain that holds for what the agent does in the call
	Under  json.RawMessage // likewise, the chain of a call from outside that brought no Chain
	Waits  bool
	Tokens int // what the agent itself may spend
	Micros uint64
}

// Grant signs the link of a call on the host and admits the call. The error is a *host.Refused if
// it is refused.
func (w *Warden) Grant(o Inside) (g Granted, err error) {
	from, to := w.signer(o.From), w.signer(o.To)
	if from == nil || to == nil {
		return g, &host.Refused{Code: host.Gone, Words: "the key of an agent is not there any more"}
	}
	before, err := links(o.Before)
	if err != nil {
		return g, refused(err)
	}
	command, err := Command(o.Target)
	if err != nil {
		return g, refused(err)
	}
	now := time.Now()
	scope, err := o.scope(before, command, now)
	if err != nil {
		return g, refused(err)
	}
	d, err := delegation.Issue(from, o.To, scope, before, nonce(), now)
	if err != nil {
		return g, refused(err)
	}
	chain := append(slices.Clone(before), d)
	own := o.Own
	for unit, most := range scope.Budget {
		if most != delegation.Unlimited {
			own[unit] = min(own[unit], most)
		}
	}
	inv, err := delegation.Invoke(to, o.To, delegation.Call(command, own, map[string]any{"sha256": digest(o.Payload)}), chain, nonce(), now, now.Add(waitTime))
	if err != nil {
		return g, refused(err)
	}
	if g.Chain, err = delegation.Bundle(chain); err != nil {
		return g, err
	}
	called := audit.AgentInvoke{From: o.From, To: o.To, Capability: command, Call: inv.ID(), Result: "called"}
	for _, d := range chain {
		called.Chain = append(called.Chain, d.ID())
	}
	if err := w.called(called); err != nil {
		return g, err
	}
	find := func(id string) ([]byte, bool) {
		i := slices.IndexFunc(chain, func(d *delegation.Delegation) bool { return d.ID() == id })
		if i < 0 {
			return nil, false
		}
		return chain[i].Bytes(), true
	}
	return w.admit(keep.Incoming{Invocation: inv, Find: find, Executor: o.To, Domains: o.Domains, Required: o.Required, Payload: o.Payload, Beside: o.Beside, Asker: o.Asker, Owns: func(s delegation.Principal) bool { return w.signer(s) != nil }}, own, g)
}

// scope is what the link of a call says.
func (o Inside) scope(before []*delegation.Delegation, command string, now time.Time) (s delegation.Scope, err error) {
	until := now.Add(o.Time + waitTime).Unix()
	s = delegation.Scope{Allow: []string{"/"}, Until: until}
	for unit := range s.Budget {
		s.Budget[unit] = delegation.Unlimited
	}
	if len(before) > 0 {
		if s, _, err = before[len(before)-1].Scope(); err != nil {
			return s, err
		}
		s.Until = min(s.Until, until)
	}
	s.NotBefore = max(s.NotBefore, now.Unix())
	if len(o.Within.Allow) > 0 {
		s.Allow = append(slices.Clone(o.Within.Allow), command)
	}
	s.Deny = append(s.Deny, o.Within.Deny...)
	s.Approval = append(s.Approval, o.Within.Approval...)
	for unit, most := range map[int]*int64{1: o.Within.Tokens, 2: o.Within.Micros} {
		if most != nil {
			s.Budget[unit] = *most
		}
	}
	return s, nil
}
