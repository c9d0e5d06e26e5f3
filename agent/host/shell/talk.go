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
	for name, raw := range map[string]json.RawMessage{"context": talk.Context, "params": talk.Params} {
		if len(raw) > maxContext {
			return Returned{}, &host.Refused{Code: host.Form, Words: sprint("%s has %d bytes; the limit is %d", name, len(raw), maxContext)}
		}
	}
	if by.ID != host.Operator {
		for _, s := range skills() {
			if s.name != "agent.invoke" {
				continue
			}
			if err := h.inside(by, s); err != nil {
				return Returned{}, err
			}
		}
	}
	c, err := prepare(by, &order)
	if err != nil {
		return Returned{}, err
	}
	waits, err := h.grant(&c, order)
	if err != nil {
		return Returned{}, err
	}
	h.mu.Lock()
	h.talks[c.ID] = &talk
	h.mu.Unlock()
	id := c.ID
	c, err = h.await(ctx, c, waits)
	h.mu.Lock()
	delete(h.talks, id)
	h.mu.Unlock()
	if err != nil {
		return Returned{}, err
	}
	return h.returned(c), nil
}
