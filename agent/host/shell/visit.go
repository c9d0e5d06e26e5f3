package shell

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/agent/host/warden"
)

// visit makes a call that its caller signed, from outside of the host, and waits for its end.
func (h *Host) visit(ctx context.Context, o order) (c host.Invocation, err error) {
	if c, is, err := described(h, o, nil); is {
		return c, err
	}
	var end <-chan host.Invocation
	err = received(h, o, nil, func(call host.Invocation, waits bool) (err error) {
		c = call
		end, err = enter(h, &c, waits, nil)
		return err
	})
	if err != nil {
		return c, err
	}
	return over(ctx, h, c, end)
}

// BeginVisit makes a call that its caller signed, as Begin does. Signed is the file of the call,
// and onward that of the chain for what the agent does in it. Seat is asked when it is known who
// calls, before the call is made.
func BeginVisit(h *Host, order attest.Commission, signed, onward json.RawMessage, talk mind.Talk, seat func(host.Behalf) error) (wait func(context.Context) (Returned, error), err error) {
	with, err := beside(&talk, true)
	if err != nil {
		return nil, err
	}
	asked := orderOf(order, signed, onward, with)
	if c, is, err := described(h, asked, seat); is {
		return func(context.Context) (Returned, error) { return h.returned(c), nil }, err
	}
	err = received(h, asked, seat, func(c host.Invocation, waits bool) (err error) {
		wait, err = follow(h, c, waits, talk)
		return err
	})
	return wait, err
}

// turns has a lock for each signed call until it is accepted. If a caller sends one call twice at
// once, the second waits until the first has ended.
type turns [64]sync.Mutex

func (t *turns) of(call string) *sync.Mutex {
	sum := uint(0)
	for _, b := range []byte(call) {
		sum = 31*sum + uint(b)
	}
	return &t[sum%uint(len(t))]
}

// announced reads a call that its caller signed. It checks no signature.
func announced(h *Host, o order) (c host.Invocation, err error) {
	if len(o.Allow)+len(o.Deny)+len(o.Approval) > 0 || o.Tokens != nil || o.Micros != nil || o.Correlation != "" {
		return c, &host.Refused{Code: host.Form, Words: "a signed call has its terms in its chain, and its id is its correlation_id; leave the other members out"}
	}
	v, err := warden.Read(o.Invocation)
	if err != nil {
		return c, err
	}
	asked := attest.Commission{Target: o.Target, Correlation: v.Call, Payload: o.Payload, Timeout: o.Timeout}
	c, err = prepare(Caller{ID: v.From.String()}, &asked)
	if c.Caller != OperatorOf(h) {
		c.Behalf = host.Behalf{Guest: v.From.String(), Delegate: v.Delegate.String()}
	}
	return c, err
}

// received checks a call that its caller signed, and lets it in.
func received(h *Host, o order, seat func(host.Behalf) error, let func(c host.Invocation, waits bool) error) error {
	c, err := announced(h, o)
	if err != nil {
		return err
	}
	turn := h.acting.turns.of(c.Correlation)
	turn.Lock()
	defer turn.Unlock()
	s, err := h.around(&c)
	if err != nil {
		return err
	}
	visit := warden.Visit{Call: o.Invocation, Onward: o.Onward, Executor: s.to, Target: c.Target, Payload: c.Payload, Beside: o.beside, Domains: s.domains, Required: s.required}
	if seat != nil {
		visit.Seat = func() error { return seat(c.Behalf) }
	}
	if s.earlier != nil {
		if err := h.warden.Again(visit, time.UnixMilli(s.earlier.Accepted)); err != nil {
			return err
		}
		return let(c, false)
	}
	g, err := h.warden.Receive(visit)
	var refused *host.Refused
	if errors.As(err, &refused) && refused.Name == string(delegation.Replayed) {
		refused.Words = "Replayed: the host had this call before, and has no end of it: it was killed before it accepted the call, or forgot the end since; it does not make the call again"
	}
	if err != nil {
		return err
	}
	take(&c, g)
	return let(c, g.Waits)
}
