package shell

import (
	"context"
	"encoding/json"

	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/casefile/canon"
)

// Description is what an agent says of itself to a caller from outside.
type Description struct {
	ID          string    `json:"id"`
	DID         string    `json:"did"`
	Name        string    `json:"name,omitempty"`
	Description string    `json:"description,omitempty"`
	Life        host.Life `json:"state"`
	Service     bool      `json:"service,omitempty"`
	Down        int64     `json:"down_since,omitempty"`       // since when a service does not answer
	Required    []string  `json:"require_approval,omitempty"` // domains in which a person approves each call
	Concurrent  int       `json:"concurrent"`                 // calls at once, of all callers
	Timeout     int64     `json:"timeout_ms"`                 // the most for a call
	// Capabilities are those that the caller may call.
	Capabilities []host.Capability `json:"capabilities"`
}

// described answers a call of host.Describe that its caller signed. Is is false for other calls.
// Nothing runs, nothing is kept, and no line is in an audit log.
func described(h *Host, o order, seat func(host.Behalf) error) (c host.Invocation, is bool, err error) {
	if t, err := host.ParseTarget(o.Target); err != nil || t.Capability != host.Describe {
		return c, false, nil //nolint:nilerr // whoever makes the call says what is wrong with its address
	}
	c, err = announced(h, o)
	if err != nil {
		return c, true, err
	}
	h.mu.Lock()
	v, d, refused := h.core.Look(c.Target.Agent)
	key := h.keys[c.Target.Agent]
	v = withHealth(h, v)
	h.mu.Unlock()
	switch {
	case refused != nil:
		return c, true, refused
	case v.Life == host.Terminated || v.Missing || key == nil:
		return c, true, &host.Refused{Code: host.Gone, Words: sprint("agent %s is terminated, or its file is gone", c.Target.Agent)}
	}
	visit := warden.Visit{Call: o.Invocation, Executor: Signer{key}.Principal(), Target: c.Target, Payload: c.Payload}
	if seat != nil {
		visit.Seat = func() error { return seat(c.Behalf) }
	}
	may, err := h.warden.Sees(visit, v.Capabilities)
	if err != nil {
		return c, true, err
	}
	at := now()
	c.ID, c.Stage, c.Status, c.Accepted, c.Ended = c.Correlation, host.Over, host.OK, at, at
	said := Description{
		ID: v.ID, DID: v.DID, Name: v.Name, Description: v.Description, Life: v.Life, Service: v.Service, Down: v.Down, Required: v.Required,
		Concurrent: d.Quota.Concurrent, Timeout: d.Quota.Time.Milliseconds(), Capabilities: append([]host.Capability{}, may...),
	}
	raw, err := json.Marshal(said)
	if err == nil {
		c.Result, err = canon.JSON(raw, mind.MaxResult)
	}
	if err == nil {
		c.Attestation, err = attest.Sign(c, at, casefile.DID(key.Address()), func(text []byte) [64]byte { return key.Sign(text) })
	}
	return c, true, err
}

// describeFar asks an agent of another host what it is, for an agent of this one. That is a call by
// the agent's own key, so it needs what such calls need.
func describeFar(ctx context.Context, h *Host, by Caller, address string) (any, error) {
	if by.ID != host.Operator {
		if err := h.inside(by, skill{name: host.Describe, level: host.LevelCalls}); err != nil {
			return nil, err
		}
	}
	v, err := reach(ctx, h, by, attest.Commission{Target: address + "/" + host.Describe}, mind.Talk{})
	if err != nil {
		return nil, err
	}
	switch v.Status {
	case host.OK:
	case host.Away:
		return nil, &host.Refused{Code: host.Gone, Words: sprint("the host of %s cannot be reached now", address)}
	default:
		return nil, &host.Refused{Code: host.Denied, Words: sprint("%s: %s", address, v.Error)}
	}
	return v.Result, nil
}
