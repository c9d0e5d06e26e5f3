package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/host"
	"ojud/agent/host/attest"
	"ojud/agent/host/mind"
	"ojud/agent/host/shell"
	"ojud/casefile"
)

const (
	maxTalks = 500             // sessions of clients
	patience = 2 * time.Minute // for a client whose connection was lost
)

// talk serves the channel of an agent over a websocket.
func (s *Door) talk(w http.ResponseWriter, r *http.Request, by shell.Caller, id string) {
	if host.ValidID(id) != nil {
		s.answer(w, http.StatusNotFound, fault{Code: host.Unknown, Words: "there is no such agent"})
		return
	}
	owner := by.ID + "/" + by.Call + "/" + id
	err := s.hall.Serve(w, r, owner, func(ctx context.Context, name string, l *line.Side) { s.converse(ctx, by, id, name, l) })
	s.log.Debug("a connection to an agent ended", "agent", id, "err", err)
}

// converse carries out a session: one call of an agent.
func (s *Door) converse(ctx context.Context, by shell.Caller, id, name string, l *line.Side) {
	end, err := s.perform(ctx, by, id, name, l)
	if err != nil {
		var refused *host.Refused
		f := fault{Code: failed, Words: err.Error()}
		if errors.As(err, &refused) {
			f = fault{refused.Code, refused.Words, refused.Name}
		}
		if end, err = json.Marshal(f); err != nil {
			s.log.Warn("the end of a call has no words", "agent", id, "err", err)
			return
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience) // the client may not take what came before
	defer cancel()
	if err := l.Send(ctx, channel.Body{End: end}); err != nil {
		s.log.Debug("a client did not hear the end of its call", "agent", id, "err", err)
	}
}

// perform makes the call that the first message of a client orders.
func (s *Door) perform(ctx context.Context, by shell.Caller, id, name string, l *line.Side) (json.RawMessage, error) {
	begin, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	first, err := l.Receive(begin)
	if err != nil {
		return nil, err
	}
	o := first.Run
	if o == nil {
		return nil, &host.Refused{Code: host.Form, Words: "the first message of a client is run"}
	}
	order := attest.Commission{Target: "agent://" + id + "/" + o.Capability, Payload: o.Input, Correlation: name, Timeout: o.Timeout}
	talk := mind.Talk{Context: o.Context, Params: o.Params, Tools: o.Tools, Minions: o.Minions}
	talk.Attend = func(ctx context.Context, run *agent.Channel, outward func(json.RawMessage) json.RawMessage) (agent.FinalResult, error) {
		return channel.Attend(ctx, run, l, o.Chunks, outward)
	}
	end, err := s.host.Converse(ctx, by, order, talk)
	if err != nil {
		return nil, err
	}
	return json.Marshal(end)
}

// Talk is a call of an agent in which the client takes part. Its owner closes it.
type Talk struct {
	*line.Dialed
	order attest.Commission
}

// Talk begins a call. The client then receives messages until End.
func (c *Guest) Talk(ctx context.Context, target host.Target, o channel.RunOrder) (*Talk, error) {
	name := line.NewName()
	to := line.Address{URL: c.URL + "/agents/" + target.Agent, Header: http.Header{"Authorization": {"Bearer " + c.Token}}, HTTP: c.http}
	t := &Talk{
		Dialed: line.Dial(ctx, to, name, patience),
		order:  attest.Commission{Caller: host.Operator, Target: target.String(), Payload: o.Input, Correlation: name, Timeout: o.Timeout},
	}
	o.Capability = target.Capability
	if err := t.Send(ctx, channel.Body{Run: &o}); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// End reads the end of the call and checks its attestation.
func (t *Talk) End(raw json.RawMessage) (a shell.Returned, attested bool, err error) {
	var f fault
	if err := json.Unmarshal(raw, &f); err != nil {
		return a, false, fmt.Errorf("the end of the call cannot be read: %w", err)
	}
	if f.Code != "" {
		return a, false, &host.Refused{Code: f.Code, Words: f.Words, Name: f.Name}
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, false, fmt.Errorf("the end of the call cannot be read: %w", err)
	}
	return checked(a, t.order, casefile.DID{})
}
