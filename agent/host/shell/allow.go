package shell

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/ledger/transact"
)

// Signer is the key of an agent or of the operator in delegations.
type Signer struct{ *transact.Keypair }

// Principal implements delegation.Signer.
func (s Signer) Principal() delegation.Principal { return delegation.Principal(s.Address()) }

// Sign implements delegation.Signer.
func (s Signer) Sign(message []byte) [64]byte { return s.Keypair.Sign(message) }

// guard opens the warden with the key of the operator, which the host makes if it is missing.
func (h *Host) guard(home string) error {
	path := filepath.Join(h.dir, "keys", host.Operator+".json")
	key, created, err := transact.LoadOrCreateKeypair(path)
	if err != nil {
		return err
	}
	if created {
		h.parts.Log.Info("made the key of the operator", "file", path)
	}
	h.warden, err = warden.Open(home, Signer{key})
	return err
}

// OperatorOf is the did:key of the operator of a host.
func OperatorOf(h *Host) string { return h.warden.Operator().String() }

// WaitingOf are the calls of a host that wait for its operator. The host acts on an answer within a
// second.
func WaitingOf(h *Host) warden.Waiting { return h.warden.Waiting() }

// context of a call that is asked for, as the host knows it.
type surroundings struct {
	from, to delegation.Principal
	parent   host.Invocation
	own      delegation.Amounts
	domains  []string // of what is called
	required []string // those of them in which the agent wants a person's approval of this call
	time     time.Duration
	earlier  *host.Invocation // the same call, which was made before
}

// around looks at what is around a call. A call inside another is made for the same guest.
func (h *Host) around(c *host.Invocation) (s surroundings, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return s, h.broken
	}
	if c.Parent != "" {
		open := false
		if s.parent, open = h.core.Open(c.Parent); !open {
			return s, &host.Refused{Code: host.Gone, Words: "the call in which this call is made is over"}
		}
		c.Behalf = s.parent.Behalf
	}
	v, d, refused := h.core.Look(c.Target.Agent)
	if refused != nil {
		return s, refused
	}
	did, err := casefile.ParseDID(v.DID)
	if err != nil {
		return s, err
	}
	if earlier, there, err := h.disk.Given(*c); err != nil || there {
		s.to, s.earlier = delegation.Principal(did), &earlier
		return s, err
	}
	s.from, s.to, s.time = h.warden.Operator(), delegation.Principal(did), d.Quota.Time
	if key := h.keys[c.Caller]; key != nil {
		s.from = Signer{key}.Principal()
	}
	if !d.Modelless {
		s.own[1], s.own[2] = int64(d.Quota.Tokens), int64(d.Quota.Micros)
	}
	s.domains, s.required = d.Domains(c.Target.Capability)
	if c.Caller == host.Operator || c.Caller == h.warden.Operator().String() {
		s.required = nil // the operator is who would approve it
	}
	return s, nil
}

// grant lets the warden decide about a call on the host, if a delegation is part of it. Beside is
// what its client gives with the payload.
func (h *Host) grant(c *host.Invocation, o attest.Commission, beside json.RawMessage) (waits bool, err error) {
	s, err := h.around(c)
	if err != nil || s.earlier != nil {
		return false, err
	}
	terms := warden.Restriction{Allow: o.Allow, Deny: o.Deny, Approval: o.Approval, Tokens: o.Tokens, Micros: o.Micros}
	if len(s.parent.Chain) == 0 && !terms.Any() && len(s.required) == 0 {
		return false, nil
	}
	g, err := h.warden.Grant(warden.Inside{
		From: s.from, To: s.to, Before: s.parent.Chain, Target: c.Target, Payload: c.Payload, Beside: beside, Asker: asker(*c), Within: terms, Own: s.own, Domains: s.domains, Required: s.required, Time: s.time,
	})
	take(c, g)
	return g.Waits, err
}

// inner returns what writes into the audit logs of both agents what becomes of a call. A call with
// a delegation is in them otherwise, and one that the operator makes itself is in none. The caller
// holds mu.
func inner(h *Host, c host.Invocation) (func(result string) error, error) {
	if c.Admitted || c.Caller == host.Operator {
		return func(string) error { return nil }, nil
	}
	var both [2]delegation.Principal
	for i, id := range []string{c.Caller, c.Target.Agent} {
		v, _, refused := h.core.Look(id)
		if refused != nil {
			return nil, refused
		}
		did, err := casefile.ParseDID(v.DID)
		if err != nil {
			return nil, err
		}
		both[i] = delegation.Principal(did)
	}
	return func(result string) error { return h.warden.Inner(both[0], both[1], c, result) }, nil
}

// brokenOff writes the end of calls that the last host broke off into the audit logs. The caller
// holds mu.
func brokenOff(h *Host, calls []host.Invocation) {
	for _, c := range calls {
		if c.Stage != host.Started {
			continue
		}
		c.Status = host.Interrupted
		log, err := inner(h, c)
		if err == nil {
			err = log("ended")
		}
		h.report("the end of a call is not in the audit logs", c.Target.Agent, err)
	}
}

// Spending is what calls did spend under a link, and what those that run or wait may still spend.
type Spending struct {
	Link     string             `json:"link"`
	Spent    delegation.Amounts `json:"spent"`
	Reserved delegation.Amounts `json:"reserved"`
}

// spent says what was spent under links, for the operator.
func spent(_ context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
	in, err := decoded[struct {
		Links []string `json:"links"`
	}](input)
	switch {
	case err != nil:
		return nil, err
	case by.ID != host.Operator:
		return nil, &host.Refused{Code: host.Denied, Words: "only the operator sees what is spent under delegations"}
	case len(in.Links) > 16: // as many as a chain has
		return nil, &host.Refused{Code: host.Form, Words: "links are more than the 16 of a chain"}
	}
	out := []Spending{}
	for _, link := range in.Links {
		s := Spending{Link: link}
		s.Spent, s.Reserved = h.warden.Spent(link)
		out = append(out, s)
	}
	return out, nil
}

// asker says to a person who makes a call, and for whom.
func asker(c host.Invocation) string {
	if c.Caller != host.Operator && c.Guest != "" {
		return c.Caller + " for " + c.Guest
	}
	return c.Caller
}

// take makes a call the one that was granted.
func take(c *host.Invocation, g warden.Granted) {
	if g.Call != "" {
		c.ID, c.Chain, c.Under, c.Admitted, c.MayTokens, c.MayMicros = g.Call, g.Chain, g.Under, true, g.Tokens, g.Micros
	}
}

// free gives back what a call reserved that did nothing.
func (h *Host) free(c host.Invocation) {
	if c.Admitted {
		h.report("the budget of a call is not given back; the next start tries again", c.Target.Agent, h.warden.Settle(c, 0, 0))
	}
}

// recover goes on with what the last host left behind of delegations. The caller holds mu.
func (h *Host) recover(calls []host.Invocation) error {
	if err := h.warden.Recover(h.disk.Call); err != nil {
		return err
	}
	for _, c := range calls {
		if c.Stage == host.Waits {
			if err := h.answered(c.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// answered tells the core what became of a call that waits, if a person answered or time passed.
// The caller holds mu.
func (h *Host) answered(call string) error {
	waits, admitted := h.warden.State(call)
	switch {
	case waits:
		return nil
	case admitted:
		return h.step(host.Answered{Call: call, Now: now()})
	}
	return h.step(host.Answered{Call: call, Problem: string(delegation.NotApproved) + ": no person approved the call", Now: now()})
}

// look takes answers of people and revocations.
func (h *Host) look() error {
	all, err := h.warden.Look()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range all {
		if a.Stop {
			if err := h.step(host.TakenBack{Call: a.Call, Why: a.Problem, Now: now()}); err != nil {
				return err
			}
			continue
		}
		if _, open := h.core.Open(a.Call); !open && a.Problem == "" {
			h.free(host.Invocation{ID: a.Call, Allowance: host.Allowance{Admitted: true}}) // the call in which it was made is over
			continue
		}
		if err := h.step(host.Answered{Call: a.Call, Problem: a.Problem, Now: now()}); err != nil {
			return err
		}
	}
	for id, lease := range h.core.Leases() {
		if h.warden.Revoked(lease.Link) {
			err = errors.Join(err, h.settle(words(), host.Asked{By: host.Operator, Agent: id, What: host.Terminate, Now: now()}))
		}
	}
	return err
}

// allows returns why an agent may not use a capability of the host in a call, or nil.
func (h *Host) allows(c host.Invocation, s skill) error {
	if c.Admitted && len(c.Chain) == 0 && s.level >= host.LevelCalls {
		return &host.Refused{Code: host.Denied, Name: string(delegation.UnavailableProof), Words: "UnavailableProof: the call came from outside without a link for what the agent does in it, so it may not use " + s.name}
	}
	return warden.Allows(c.Bounds(), s.name)
}

// mayCopy returns why an agent may not copy another: it may call each capability of both, so that a
// copy is no way around what it may not call; likewise for sources. The caller holds mu.
func (h *Host) mayCopy(by Caller, s Seed) error {
	if by.ID == host.Operator {
		return nil
	}
	_, mine, _ := h.core.Look(by.ID)
	_, other, _ := h.core.Look(s.Like)
	c, _ := h.core.Open(by.Call)
	for _, source := range h.files[s.Like].Sources {
		if s.Like != by.ID && !h.files[by.ID].MayAsk(source) {
			return &host.Refused{Code: host.Denied, Words: "agent " + by.ID + " may not ask the source " + source + ", so it may not copy " + s.Like}
		}
	}
	for _, one := range other.Capabilities {
		original := host.Target{Agent: s.Like, Capability: one.Name}
		if s.Like != by.ID && !mine.MayCall(original) {
			return &host.Refused{Code: host.Denied, Words: "agent " + by.ID + " may not call " + original.Name() + ", so it may not copy " + s.Like}
		}
		for _, t := range []host.Target{original, {Agent: s.ID, Capability: one.Name}} {
			if len(c.Chain) == 0 {
				break
			}
			command, err := warden.Command(t)
			if err == nil {
				err = warden.Allows(c.Chain, command)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// toolAllowed says which tools an agent may use in a call.
func toolAllowed(c host.Invocation) func(string) bool {
	return func(name string) bool { return warden.Allows(c.Bounds(), warden.Tool(name)) == nil }
}
