package shell

import (
	"context"
	"encoding/json"

	"ojud/agent/delegation"
	"ojud/agent/host"
	"ojud/agent/host/manifest"
	"ojud/agent/host/warden"
)

// Deployment is the input of a deployer: which agent it makes, of which it is a copy, and what the
// copy may use. To terminate a copy, its id is enough.
type Deployment struct {
	ID     string           `json:"id"`
	Like   string           `json:"like,omitempty"`
	Limits *manifest.Bounds `json:"limits,omitempty"`
}

// deployed is the result of a deployment.
type deployed struct {
	ID   string   `json:"id"`
	DID  string   `json:"did"` // whose signature its results have
	Call []string `json:"call"`
}

// deploy makes a copy of an agent for the caller of a deployer, or ends one. The deployer's file
// says which agents may be copied, and its limits are the most that a copy has. A delegation has to
// name the id of the copy, so that its holders make and end no agents of others.
func deploy(ctx context.Context, h *Host, by Caller, c host.Invocation, capability string, input json.RawMessage) (json.RawMessage, error) {
	d, err := decoded[Deployment](input)
	if err != nil {
		return nil, err
	}
	if err := host.ValidID(d.ID); err != nil {
		return nil, &host.Refused{Code: host.Form, Words: "id " + err.Error()}
	}
	if len(c.Chain) == 0 && len(c.Under) > 0 {
		return nil, &host.Refused{Code: host.Denied, Name: string(delegation.UnavailableProof), Words: "UnavailableProof: the call came without a link for what the agent does in it, so nothing is deployed"}
	}
	if err := warden.Allows(c.Bounds(), d.ID); err != nil {
		return nil, err
	}
	if capability == manifest.Retract {
		if d.Like != "" || d.Limits != nil {
			return nil, &host.Refused{Code: host.Form, Words: "to terminate an agent, give its id alone"}
		}
		v, err := h.Look(Caller{ID: host.Operator}, d.ID)
		if err != nil {
			return nil, err
		}
		if v.Parent != by.ID || c.Delegate != "" && c.Delegate != v.Delegate {
			return nil, &host.Refused{Code: host.Denied, Words: "agent " + d.ID + " was not deployed by " + by.ID + " for the caller"}
		}
		if err := h.Ask(ctx, by, d.ID, host.Terminate); err != nil {
			return nil, err
		}
		return json.Marshal(done{d.ID, true})
	}
	if d.Like == "" {
		return nil, &host.Refused{Code: host.Form, Words: "like is missing; name the agent of which the new one is a copy"}
	}
	if d.Limits == nil {
		d.Limits = &manifest.Bounds{}
	}
	var lease host.Lease
	if c.Delegate != "" { // not for the operator
		if lease, err = warden.Lease(c.Chain); err != nil {
			return nil, err
		}
		lease.Delegate = c.Delegate
	}
	if err := h.Spawn(by, Seed{ID: d.ID, Like: d.Like, Less: manifest.Less{Limits: d.Limits}, lease: lease}); err != nil {
		return nil, err
	}
	v, err := h.Look(Caller{ID: host.Operator}, d.ID)
	if err != nil {
		return nil, err
	}
	out := deployed{ID: d.ID, DID: v.DID}
	for _, one := range v.Capabilities {
		out.Call = append(out.Call, host.Target{Agent: d.ID, Capability: one.Name}.String())
	}
	return json.Marshal(out)
}
