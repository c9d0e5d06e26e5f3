package shell

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/manifest"
	"ojud/agent/host/mind"
	"ojud/agent/host/warden"
	"ojud/ledger/transact"
)

// Errand is a call of an agent of another host, under a chain that ends at the caller's key.
type Errand struct {
	Key   *transact.Keypair
	Chain []*delegation.Delegation
	To    host.Remote
	Order attest.Commission
	// Context and Params are what the agent sees besides the payload.
	Context, Params json.RawMessage
	// Signed is told of the call before it is sent: its id, and whose key it is for.
	Signed func(id string, to delegation.Principal) error
}

// Reach makes a call on another host. It has checked the attestation if the answer has one.
type Reach func(ctx context.Context, e Errand) (Returned, error)

const (
	maxReached = 16            // calls of other hosts, and questions, in one call
	reaching   = "agent.reach" // what a delegation has to allow for such a call
)

// reach calls an agent of another host for an agent of this one. Its file has to name the other
// agent, so that no text that it reads leads it elsewhere.
func reach(ctx context.Context, h *Host, by Caller, o attest.Commission, with mind.Talk) (r Returned, err error) {
	to, err := host.ParseRemote(o.Target)
	if err != nil {
		return r, &host.Refused{Code: host.Form, Words: err.Error()}
	}
	if len(o.Allow)+len(o.Deny)+len(o.Approval) > 0 || o.Correlation != "" {
		return r, &host.Refused{Code: host.Form, Words: "a call of another host has the terms of its chain, and a name of its own; leave allow, deny, approval and correlation_id out"}
	}
	if _, err := beside(&with, false); err != nil {
		return r, err
	}
	d, key, err := remote(h, by, to, o)
	if err != nil {
		return r, err
	}
	e := Errand{Key: key, To: d.Remote, Order: o, Context: with.Context, Params: with.Params}
	e.To.Target = to.Target
	if e.Chain, err = chainFile(d.Under); err != nil {
		return r, &host.Refused{Code: host.Form, Words: sprint("remotes.under of agent %s: %v", by.ID, err)}
	}
	var id string
	var executor delegation.Principal
	e.Signed = func(call string, agent delegation.Principal) error {
		id, executor = call, agent
		return h.warden.Departed(Signer{key}.Principal(), executor, to.Target, id, e.Chain)
	}
	c, open := h.under(by.Call)
	if !open {
		return r, &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	}
	ctx, cancel := context.WithDeadline(ctx, c.Deadline())
	defer cancel()
	r, err = h.parts.Reach(ctx, e)
	if id != "" {
		end := r.Invocation()
		if err != nil {
			end = host.Invocation{Status: short(err.Error())}
		}
		h.report("the end of a call of another host is not in the audit log", by.ID, h.warden.Returned(Signer{key}.Principal(), executor, to.Target, id, end))
	}
	return r, err
}

// remote finds what the file of an agent says of another host, and counts the call.
func remote(h *Host, by Caller, to host.Remote, o attest.Commission) (d manifest.Distant, key *transact.Keypair, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key = h.keys[by.ID]
	c, open := h.core.Open(by.Call)
	found := false
	for _, one := range h.files[by.ID].Remotes {
		if !found && one.Covers(to) {
			d, found = one, true
		}
	}
	switch {
	case by.ID == host.Operator || key == nil:
		return d, nil, &host.Refused{Code: host.Denied, Words: "an agent reaches other hosts by its own key; call yourself with: ojud agents invoke"}
	case !open:
		return d, nil, &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	case !found:
		return d, nil, &host.Refused{Code: host.Denied, Words: sprint("the file of agent %s does not name %.200q (remotes)", by.ID, to)}
	case h.parts.Reach == nil:
		return d, nil, &host.Refused{Code: host.Denied, Words: "this host reaches no other"}
	case h.acting.asked[by.Call] >= maxReached:
		return d, nil, &host.Refused{Code: host.Budget, Words: sprint("%d calls of other hosts and questions were made in this call, and that is the limit", maxReached)}
	}
	if err := warden.Allows(c.Chain, reaching); err != nil {
		return d, nil, err
	}
	if err := h.spendFar(c, o); err != nil {
		return d, nil, err
	}
	h.acting.asked[by.Call]++
	return d, key, nil
}

// spendFar takes what a call of another host may spend from what the call in which it is made may
// spend. The caller holds mu.
func (h *Host) spendFar(c host.Invocation, o attest.Commission) error {
	var tokens, micros int64
	if o.Tokens != nil {
		tokens = *o.Tokens
	}
	if o.Micros != nil {
		micros = *o.Micros
	}
	purse := h.acting.purses[c.ID]
	if min(tokens, micros) < 0 || purse == nil {
		return &host.Refused{Code: host.Budget, Words: "the call of another host may spend 0 or more tokens and microdollars, out of the budget of a call under way"}
	}
	if err := purse.Give(int(tokens), uint64(micros)); err != nil {
		return &host.Refused{Code: host.Budget, Words: sprint("what the call of another host may spend comes out of the budget of this call, which has less left: %v", err)}
	}
	return nil
}

// chainFile reads the file of a chain.
func chainFile(path string) ([]*delegation.Delegation, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, delegation.MaxBundle+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return delegation.ParseChain(raw)
}
