package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"ojud/agent/channel"
	"ojud/agent/channel/line"
	"ojud/agent/host"
	"ojud/agent/host/attest"
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
	err := s.hall.Serve(w, r, owner, func(ctx context.Context, name string, l *line.Side) { s.converse(ctx, by, id, name, l) }, nil)
	s.log.Debug("a connection to an agent ended", "agent", id, "err", err)
}

// converse carries out a session: one call of an agent.
func (s *Door) converse(ctx context.Context, by shell.Caller, id, name string, l *line.Side) {
	end, err := s.perform(ctx, by, id, name, l)
	if err != nil {
		if end, err = json.Marshal(faultOf(err)); err != nil {
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
	var wait func(context.Context) (shell.Returned, error)
	switch {
	case len(o.Invocation)+len(o.Onward) == 0:
		wait, err = shell.Begin(s.host, by, order, talkOf(o, l))
	case by.ID != host.Operator:
		err = &host.Refused{Code: host.Form, Words: "a signed call is one of the public address, or of agent.invoke; leave invocation and onward out"}
	default: // the caller is who signed it, and not the operator, who only carries it
		order.Correlation = ""
		wait, err = shell.BeginVisit(s.host, order, o.Invocation, o.Onward, talkOf(o, l), nil)
	}
	if err != nil {
		return nil, err
	}
	end, err := wait(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(end)
}

// Talk is a call of an agent in which the client takes part. Its owner closes it. One goroutine
// receives, and several may send.
type Talk struct {
	ctx   context.Context // of Talk
	to    line.Address
	first channel.Body
	order attest.Commission
	name  string       // of the session
	key   casefile.DID // that has to sign the end; zero: the one that the host names
	// strict is for other hosts: the end has to be one of this call.
	strict bool
	closed func() error // ends the way to another host; nil: there is none

	mu   sync.Mutex
	side *line.Dialed
	lost time.Time // when the host did not know the session any more; zero: it does
}

// Talk begins a call. The client then receives messages until End. The correlation id is the name
// of the session; an empty one is chosen at random. A call of the same id that was begun before is
// not made again.
func (c *Guest) Talk(ctx context.Context, target host.Target, o channel.RunOrder, correlation string) (*Talk, error) {
	if correlation == "" {
		correlation = line.NewName()
	}
	if !channel.ValidName(correlation) {
		return nil, &host.Refused{Code: host.Form, Words: fmt.Sprintf("%.80q cannot name a session; write 22 to 64 of A-Z, a-z, 0-9, - and _", correlation)}
	}
	o.Capability = target.Capability
	t := &Talk{
		ctx: ctx, to: line.Address{Find: func() (line.Address, error) { return c.at(target.Agent) }, Away: c.Away}, first: channel.Body{Run: &o}, name: correlation,
		order: attest.Commission{Caller: host.Operator, Target: target.String(), Payload: o.Input, Correlation: correlation, Timeout: o.Timeout},
	}
	if err := t.open(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Under begins a call that is signed, under a chain that ends at the key, of an agent of this host.
// A.Agent is its key.
func (c *Guest) Under(ctx context.Context, a Abroad, o channel.RunOrder) (*Talk, error) {
	payload, err := payloadOf(o)
	if err != nil {
		return nil, err
	}
	return a.begin(ctx, o, payload, line.Address{Find: func() (line.Address, error) { return c.at(a.To.Agent) }, Away: c.Away}, a.Agent)
}

// at is where an agent is now. A host that was started again has another port and another word.
func (c *Guest) at(agent string) (line.Address, error) {
	now, err := Open(c.home)
	if err != nil {
		return line.Address{}, err
	}
	return line.Address{URL: now.URL + "/agents/" + agent, Header: http.Header{"Authorization": {"Bearer " + now.Token}}, HTTP: c.http}, nil
}

// open begins a session by the correlation id. The caller holds mu, or is alone.
func (t *Talk) open() error {
	t.side = line.Dial(t.ctx, t.to, t.name, patience)
	return t.side.Send(t.ctx, t.first)
}

// Correlation is the correlation id of the call.
func (t *Talk) Correlation() string { return t.order.Correlation }

func (t *Talk) current() *line.Dialed {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.side
}

// Send sends a message. It waits for room.
func (t *Talk) Send(ctx context.Context, m channel.Body) error { return t.current().Send(ctx, m) }

// Settle acknowledges what was received, and waits until the host has taken what was sent.
func (t *Talk) Settle(ctx context.Context) error { return t.current().Settle(ctx) }

// Close ends the connection.
func (t *Talk) Close() {
	t.current().Close()
	if t.closed != nil {
		_ = t.closed() // everything was said, or nobody listens
	}
}

// Receive returns the next message of the agent. If the host was started again, it does not know
// the session, and Receive asks it for the end of the call: the same correlation id is the same
// call, which is not made twice.
func (t *Talk) Receive(ctx context.Context) (channel.Body, error) {
	for {
		m, err := t.current().Receive(ctx)
		var over *channel.SessionFault
		switch {
		case err == nil:
			t.lost = time.Time{}
			return m, nil
		case !errors.As(err, &over) || over.Code != channel.Gone:
			return m, err
		}
		if err := t.renew(ctx, err); err != nil {
			return m, err
		}
	}
}

// renew begins a new session for the same call. A session of a client that was killed is still
// known, and is over after a while.
func (t *Talk) renew(ctx context.Context, why error) error {
	switch {
	case t.lost.IsZero():
		t.lost = time.Now()
	case time.Since(t.lost) > patience:
		return why
	default:
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.side.Close()
	return t.open()
}

// Wait waits for the end of a call of which the client wants nothing else.
func (t *Talk) Wait(ctx context.Context) (r shell.Returned, attested bool, err error) {
	for told, size := 0, 0; told < maxTold && size < maxBytes; told++ {
		m, err := t.Receive(ctx)
		if err != nil {
			return r, false, err
		}
		if m.End != nil {
			settle, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			var over *channel.SessionFault
			if err := t.Settle(settle); err != nil && !errors.As(err, &over) && ctx.Err() != nil {
				return r, false, err
			}
			return t.End(m.End)
		}
		raw, err := m.Encode()
		if err != nil {
			return r, false, err
		}
		size += len(raw)
	}
	return r, false, fmt.Errorf("the host tells more than %d messages or %d bytes of one call", maxTold, maxBytes)
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
	if t.strict && (a.Correlation != t.order.Correlation || a.Agent != t.key.String()) {
		return a, false, fmt.Errorf("the host answers with the end of another call, %.80q of %.80q", a.Correlation, a.Agent)
	}
	if t.strict && a.Status == host.OK && len(a.Attestation) == 0 {
		return a, false, errors.New("the host gives a result that the agent did not sign")
	}
	return checked(a, t.order, t.key)
}
