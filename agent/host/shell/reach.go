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
	// Away is told why the other host cannot be reached in the call, and then nil when it is back.
	Away func(why error)
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
	if o.Correlation != "" {
		return resume(ctx, h, by, to, o.Correlation)
	}
	if len(o.Allow)+len(o.Deny)+len(o.Approval) > 0 {
		return r, &host.Refused{Code: host.Form, Words: "a call of another host has the terms of its chain; leave allow, deny and approval out"}
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
	f := &far{to: to, over: make(chan struct{}), away: make(chan error, 1)}
	if err := f.begin(h, by, e); err != nil {
		return r, err
	}
	return f.wait(ctx)
}

// far is a call of another host that an agent makes in a call of its own.
type far struct {
	to   host.Remote
	stop context.CancelFunc
	over chan struct{} // closed when the call is over
	away chan error    // has room for one: why the other host cannot be reached
	id   string        // set before away gets something

	r   Returned // when the call is over
	err error
}

// begin makes the call, at most for as long as the call in which it is made.
func (f *far) begin(h *Host, by Caller, e Errand) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, open := h.core.Open(by.Call)
	if !open || h.acting.purses[by.Call] == nil {
		return &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	}
	ctx, stop := context.WithDeadline(h.life, c.Deadline())
	f.stop = stop
	h.work.Go(func() { f.make(ctx, h, by, e) })
	return nil
}

// make makes the call. It stays known until it is over, or the call in which it is made is.
func (f *far) make(ctx context.Context, h *Host, by Caller, e Errand) {
	defer close(f.over)
	defer f.stop()
	self := Signer{e.Key}.Principal()
	var executor delegation.Principal
	e.Signed = func(call string, agent delegation.Principal) error {
		executor = agent
		if err := h.warden.Departed(self, executor, f.to.Target, call, e.Chain); err != nil {
			return err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.acting.purses[by.Call] == nil {
			return &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
		}
		f.id = call
		if h.acting.far[by.Call] == nil {
			h.acting.far[by.Call] = map[string]*far{}
		}
		h.acting.far[by.Call][call] = f // maxReached bounds them
		return nil
	}
	e.Away = func(why error) {
		if why == nil {
			h.parts.Log.Info("the host of a delegate is back", "agent", by.ID, "call", f.id, "to", f.to.String())
		} else {
			h.parts.Log.Warn("the host of a delegate is away", "agent", by.ID, "call", f.id, "to", f.to.String(), "err", why)
		}
		select {
		case <-f.away: // nobody heard of it
		default:
		}
		if why != nil {
			f.away <- why
		}
	}
	f.r, f.err = h.parts.Reach(ctx, e)
	if f.id == "" {
		return
	}
	end := f.r.Invocation()
	if f.err != nil {
		end = host.Invocation{Status: short(f.err.Error())}
	}
	h.report("the end of a call of another host is not in the audit log", by.ID, h.warden.Returned(self, executor, f.to.Target, f.id, end))
}

// wait waits for the end of the call. If the other host is away before that, the agent hears it at
// once, and the call goes on.
func (f *far) wait(ctx context.Context) (Returned, error) {
	select {
	case <-f.over:
	case why := <-f.away:
		return Returned{
			Status: host.Away, Source: f.to.String(), Correlation: f.id,
			Error: short(sprint("the other host cannot be reached (%v); what the agent there did is not known, and what the call may spend counts as spent. The call goes on if the host is back within two minutes: to wait for that, call again with the same target and this correlation_id", why)),
		}, nil
	case <-ctx.Done():
		f.stop()
		<-f.over
	}
	return f.r, f.err
}

// resume waits for a call of another host that an agent made before in the same call of its own.
func resume(ctx context.Context, h *Host, by Caller, to host.Remote, id string) (r Returned, err error) {
	h.mu.Lock()
	f := h.acting.far[by.Call][id]
	h.mu.Unlock()
	if f == nil || f.to != to {
		return r, &host.Refused{Code: host.Form, Words: "this correlation_id is of no call that goes on; leave it out for a new call of another host, or, after the status away, give the one of that answer, in the same call of your own and with the same target"}
	}
	return f.wait(ctx)
}

// leave ends the calls of other hosts that an agent began in a call which is over. The caller holds
// mu.
func leave(h *Host, call string) {
	for _, f := range h.acting.far[call] {
		f.stop()
	}
	delete(h.acting.far, call)
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
