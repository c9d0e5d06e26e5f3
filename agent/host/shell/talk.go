package shell

import (
	"context"
	"encoding/json"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
)

// maxContext bounds the context and the parameters that a client gives to a call, in bytes each.
const maxContext = 64 << 10

// Converse makes a call, lets its caller follow the steps and run tools, and waits for its end. If
// the same correlation id was used before, no call is made, and the caller gets the earlier end.
func (h *Host) Converse(ctx context.Context, by Caller, order attest.Commission, talk mind.Talk) (Returned, error) {
	wait, err := Begin(h, by, order, talk)
	if err != nil {
		return Returned{}, err
	}
	return wait(ctx)
}

// Begin makes a call as Converse does, but returns as soon as it is accepted. Then wait is to be
// called once.
func Begin(h *Host, by Caller, order attest.Commission, talk mind.Talk) (wait func(context.Context) (Returned, error), err error) {
	if err := bounded(talk); err != nil {
		return nil, err
	}
	if by.ID != host.Operator {
		for _, s := range skills() {
			if s.name != "agent.invoke" {
				continue
			}
			if err := h.inside(by, s); err != nil {
				return nil, err
			}
		}
	}
	c, err := prepare(by, &order)
	if err != nil {
		return nil, err
	}
	waits, err := h.grant(&c, order)
	if err != nil {
		return nil, err
	}
	return follow(h, c, waits, talk)
}

func bounded(talk mind.Talk) error {
	for name, raw := range map[string]json.RawMessage{"context": talk.Context, "params": talk.Params} {
		if len(raw) > maxContext {
			return &host.Refused{Code: host.Form, Words: sprint("%s has %d bytes; the limit is %d", name, len(raw), maxContext)}
		}
	}
	return nil
}

// follow makes a call that may be made, in which its caller takes part.
func follow(h *Host, c host.Invocation, waits bool, talk mind.Talk) (wait func(context.Context) (Returned, error), err error) {
	id := c.ID
	h.mu.Lock()
	h.talks[id] = &talk
	h.mu.Unlock()
	leave := func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.talks, id)
	}
	end, err := enter(h, &c, waits)
	if err != nil {
		leave()
		return nil, err
	}
	return func(ctx context.Context) (Returned, error) {
		defer leave()
		c, err := over(ctx, h, c, end)
		if err != nil {
			return Returned{}, err
		}
		return h.returned(c), nil
	}, nil
}
