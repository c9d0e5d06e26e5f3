package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/face/a2a"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/agent/host/shell"
)

// present serves an agent by the protocol A2A, below /a2a/ID. Tasks belong to the call in which an
// agent orders them, because an agent may work for several clients at once.
func (s *Door) present(w http.ResponseWriter, r *http.Request, by shell.Caller, rest string) {
	id, _, _ := strings.Cut(rest, "/")
	if host.ValidID(id) != nil {
		s.answer(w, http.StatusNotFound, fault{Code: host.Unknown, Words: "there is no such agent"})
		return
	}
	s.face.Serve(w, r, a2a.Visit{
		Owner: by.ID + "/" + by.Call + "/" + id, URL: s.URL() + "/a2a/" + id, Path: strings.TrimPrefix(rest, id), Clerk: clerk{s, by, id},
	})
}

// clerk takes the orders of a caller for an agent of the host. An order is a call, and the id of
// its task is the correlation id.
type clerk struct {
	door *Door
	by   shell.Caller
	id   string
}

func (c clerk) calls() shell.Calls { return shell.Calls{Host: c.door.host, By: c.by, Agent: c.id} }

// told makes a refusal of the host one of the face.
func told(err error) error {
	var refused *host.Refused
	if !errors.As(err, &refused) {
		return err
	}
	words := refused.Words
	if refused.Name != "" {
		words = refused.Name + ": " + strings.TrimPrefix(words, refused.Name+": ")
	}
	switch refused.Code {
	case host.Denied:
		return fmt.Errorf("%w: %s", a2a.ErrDenied, words)
	case host.Busy, host.Budget:
		return fmt.Errorf("%w: %s", a2a.ErrBusy, words)
	}
	return fmt.Errorf("%w: %s", a2a.ErrForm, words)
}

// Portray implements a2a.Clerk. The name and the skills are those of the agent's file. A card of
// the agent can name any address, so nothing of it is shown.
func (c clerk) Portray(ctx context.Context) (p a2a.Portrait, err error) {
	input, err := json.Marshal(map[string]string{"agent": c.id})
	if err != nil {
		return p, err
	}
	raw, err := c.door.host.Use(ctx, c.by, "agent.status", input)
	if err != nil {
		return p, told(err)
	}
	var v host.Portrait
	if err := json.Unmarshal(raw, &v); err != nil {
		return p, err
	}
	p = a2a.Portrait{Name: v.Name, Description: v.Description, Version: "1", Contexts: true}
	if p.Name == "" {
		p.Name = c.id
	}
	if p.Description == "" {
		p.Description = "agent " + c.id
	}
	for _, one := range v.Capabilities {
		s := a2a.Skill{ID: one.Name, Name: one.Name, Description: one.Description, Input: one.Input, Output: one.Output, Params: one.Params}
		if s.Description == "" {
			s.Description = one.Name
		}
		p.Skills = append(p.Skills, s)
	}
	return p, nil
}

// Begin implements a2a.Clerk.
func (c clerk) Begin(ctx context.Context, o a2a.Errand, say a2a.Say) (func() a2a.Delivery, error) {
	order := attest.Commission{Target: host.Target{Agent: c.id, Capability: o.Skill}.String(), Payload: o.Input, Correlation: o.Task}
	left := make(chan json.RawMessage, 1) // the context at the end
	talk := mind.Talk{Context: o.Context, Params: o.Params, Attend: func(_ context.Context, run *agent.Channel, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
		final, err := follow(run, say)
		left <- outward(final.Context)
		return final, err
	}}
	wait, err := shell.Begin(c.door.host, c.by, order, talk)
	if err != nil {
		return nil, told(err)
	}
	return func() a2a.Delivery {
		end, err := wait(ctx)
		if err != nil {
			return a2a.Delivery{Finish: a2a.Failed, Problem: err.Error(), At: time.Now()}
		}
		call := end.Invocation()
		call.Correlation = o.Task
		d := outcome(call, end.Agent, time.Now())
		select {
		case context := <-left:
			if len(context) > 0 {
				d.Proof["context"] = context
			}
		default: // the call ended before its agent
		}
		return d
	}, nil
}

// follow reads a run to its end, and tells of its steps. What tools answer is not told.
func follow(run *agent.Channel, say a2a.Say) (agent.FinalResult, error) {
	for event, err := range run.Steps(false) {
		if err != nil {
			return agent.FinalResult{}, err
		}
		switch e := event.(type) {
		case agent.Step:
			if e.Text != "" {
				say(e.Text)
			}
		case agent.FinalResult:
			return e, nil
		}
	}
	return agent.FinalResult{}, errors.New("the agent ended without a result")
}

// outcome is the end of a call as the face shows it, with what shows who made it.
func outcome(call host.Invocation, did string, at time.Time) a2a.Delivery {
	o := a2a.Delivery{Finish: a2a.Failed, Result: call.Result, Problem: call.Problem, At: at}
	switch call.Status {
	case host.OK:
		o.Finish = a2a.Completed
	case host.Cancelled:
		o.Finish = a2a.Cancelled
	}
	if o.Finish == a2a.Failed {
		o.Problem = call.Status + ": " + call.Problem
	}
	o.Proof = map[string]any{"status": call.Status, "did": did, "call": call.ID, "correlation_id": call.Correlation}
	for name, raw := range map[string]json.RawMessage{"attestation": call.Attestation, "delegation": call.Chain} {
		if len(raw) > 0 {
			o.Proof[name] = raw
		}
	}
	return o
}

// Withdraw implements a2a.Clerk.
func (c clerk) Withdraw(_ context.Context, o a2a.Errand) error {
	return told(c.calls().Withdraw(o.Task))
}

// record is a call that ended, as the face shows it.
func (c clerk) record(call host.Invocation, did string) a2a.Filed {
	return a2a.Filed{
		Errand:   a2a.Errand{Task: call.Correlation, Skill: call.Target.Capability, Input: call.Payload},
		Delivery: outcome(call, did, time.UnixMilli(call.Ended)),
	}
}

// did is the identity of the agent.
func (c clerk) did() (string, error) {
	v, err := c.door.host.Look(shell.Caller{ID: host.Operator}, c.id)
	return v.DID, told(err)
}

// Find returns a call that ended, to the face.
func (c clerk) Find(_ context.Context, task string) (r a2a.Filed, found bool, err error) {
	call, found, err := c.calls().Past(task)
	if err != nil || !found {
		return r, false, told(err)
	}
	did, err := c.did()
	return c.record(call, did), err == nil, err
}

// Ended shows the calls that ended to the face.
func (c clerk) Ended(_ context.Context, see func(a2a.Filed) bool) error {
	did, err := c.did()
	if err != nil {
		return err
	}
	return c.calls().Ended(func(call host.Invocation) bool { return see(c.record(call, did)) })
}
