package shell

import (
	"context"
	"encoding/json"

	"ojud/agent"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/casefile/canon"
)

// maxBeside bounds what a client gives to a call beside its payload, in bytes.
const maxBeside = 256 << 10

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
	with, err := beside(&talk, true)
	if err != nil {
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
	waits, err := h.grant(&c, order, with)
	if err != nil {
		return nil, err
	}
	return follow(h, c, waits, talk)
}

// beside is what a client gives to a call with its payload, for a person who is asked. The call
// does not bind it, so it has to be what the agent gets: both get it in canonical form, without
// escapes and members that stand twice. Inputs says that the client may send some while the agent
// works.
func beside(talk *mind.Talk, inputs bool) (json.RawMessage, error) {
	for name, raw := range map[string]*json.RawMessage{"context": &talk.Context, "params": &talk.Params} {
		if len(*raw) == 0 {
			continue
		}
		if len(*raw) > mind.MaxContext {
			return nil, &host.Refused{Code: host.Form, Words: sprint("%s has %d bytes; the limit is %d", name, len(*raw), mind.MaxContext)}
		}
		plain, err := canon.JSON(*raw, mind.MaxContext)
		if err != nil {
			return nil, &host.Refused{Code: host.Form, Words: sprint("%s cannot be used: %v", name, err)}
		}
		*raw = plain
	}
	names := func(all []agent.Repr) (out []string) {
		for _, r := range all {
			out = append(out, r.Name)
		}
		return out
	}
	raw, err := json.Marshal(struct {
		Context json.RawMessage `json:"context,omitempty"`
		Params  json.RawMessage `json:"params,omitempty"`
		Tools   []string        `json:"tools,omitempty"`
		Minions []string        `json:"minions,omitempty"`
		Inputs  bool            `json:"further_inputs,omitempty"`
	}{talk.Context, talk.Params, names(talk.Tools), names(talk.Minions), inputs})
	switch {
	case err != nil:
		return nil, &host.Refused{Code: host.Form, Words: sprint("the context or the parameters are no JSON: %v", err)}
	case len(raw) > maxBeside:
		return nil, &host.Refused{Code: host.Form, Words: sprint("the context, the parameters and the names of tools and minions have %d bytes; the limit is %d", len(raw), maxBeside)}
	}
	return raw, nil
}

// follow makes a call that may be made, in which its caller takes part.
func follow(h *Host, c host.Invocation, waits bool, talk mind.Talk) (wait func(context.Context) (Returned, error), err error) {
	c.Attended = len(talk.Context)+len(talk.Params)+len(talk.Tools)+len(talk.Minions) > 0
	end, err := enter(h, &c, waits, &talk)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (Returned, error) {
		c, err := over(ctx, h, c, end)
		if err != nil {
			return Returned{}, err
		}
		return h.returned(c), nil
	}, nil
}
