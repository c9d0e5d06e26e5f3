package line

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ojud/agent"
	"ojud/agent/agenttest"
	"ojud/agent/channel"
)

// stage is a server of agents, and clients whose connections the test can cut.
type stage struct {
	*httptest.Server
	hall *Hall
}

// newStage serves an agent for each session.
func newStage(t *testing.T, a agent.Agent) *stage {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &stage{hall: NewHall(ctx, 300, 5*time.Second)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.hall.Serve(w, r, r.URL.Path, func(ctx context.Context, _ string, l *Side) { perform(ctx, t, a, l) }, nil); err == nil {
			t.Error("a connection ends without a reason")
		}
	}))
	t.Cleanup(func() {
		stop()
		s.hall.Wait()
		s.Close()
	})
	return s
}

func perform(ctx context.Context, t *testing.T, a agent.Agent, l *Side) {
	first, err := l.Receive(ctx)
	if err != nil || first.Run == nil {
		return // a stranger
	}
	run, err := a.Run(ctx, agent.Request{Input: first.Run.Input, Context: first.Run.Context, Tools: first.Run.Tools})
	if err != nil {
		t.Log(err)
		return
	}
	same := func(raw json.RawMessage) json.RawMessage { return raw }
	final, err := channel.Attend(ctx, run, l, first.Run.Chunks, same)
	end := string(final.Output)
	if err != nil {
		end = fmt.Sprintf("%q", err.Error())
	}
	if err := l.Send(ctx, channel.Body{End: json.RawMessage(end)}); err != nil {
		t.Log(err)
	}
}

// talker is an agent that says so many steps, and calls the client's tool in every eighth.
func talker(t *testing.T, steps int) agent.Agent {
	t.Helper()
	cfg := agent.DefaultConfig()
	cfg.Steps, cfg.Calls, cfg.TotalBytes = 200, 10_000, 4<<20
	return agenttest.Do(t, agent.Setup{Repr: agent.Repr{Name: "talker", Description: "Talks", InputSchema: json.RawMessage(`{}`)}, Config: cfg},
		func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
			heard := 0
			for i := range steps {
				step := agent.Step{Text: fmt.Sprint("step ", i+1)}
				if i%8 == 7 && len(r.Tools()) > 0 {
					step.Calls = []agent.ToolCall{{Name: "double", Input: json.RawMessage(fmt.Sprint(i))}}
				}
				results, err := r.Step(step)
				if err != nil {
					return nil, err
				}
				for _, result := range results {
					if string(result.Output) == fmt.Sprint(2*i) {
						heard++
					}
				}
			}
			return json.RawMessage(fmt.Sprint(heard)), nil
		})
}

// follow runs one client to the end. Each step must come once and in order.
func follow(ctx context.Context, c *Dialed, steps int, each func(n int)) (string, error) {
	double := agent.Repr{Name: "double", Description: "Doubles", InputSchema: json.RawMessage(`{"type":"integer"}`)}
	if err := c.Send(ctx, channel.Body{Run: &channel.RunOrder{Input: json.RawMessage(`null`), Tools: []agent.Repr{double}}}); err != nil {
		return "", err
	}
	n := 0
	for {
		m, err := c.Receive(ctx)
		switch {
		case err != nil:
			return "", err
		case m.Step != nil:
			if n++; m.Step.N != n || m.Step.Text != fmt.Sprint("step ", n) {
				return "", fmt.Errorf("step %d is %+v", n, m.Step)
			}
			each(n)
		case m.Call != nil:
			var i int
			if err := json.Unmarshal(m.Call.Input, &i); err != nil {
				return "", err
			}
			if err := c.Send(ctx, channel.Body{Result: &agent.ToolResult{ID: m.Call.ID, Name: m.Call.Name, Output: json.RawMessage(fmt.Sprint(2 * i))}}); err != nil {
				return "", err
			}
		case m.End != nil:
			if n != steps {
				return "", fmt.Errorf("%d steps came of %d", n, steps)
			}
			var over *channel.SessionFault
			if err := c.Settle(ctx); err != nil && (!errors.As(err, &over) || over.Code != channel.Ended) {
				return "", err
			}
			return string(m.End), nil
		}
	}
}

func (s *stage) address(path string) Address {
	transport := &http.Transport{}
	return Address{URL: s.URL + path, HTTP: &http.Client{Transport: transport}}
}

// cut cuts all connections of a client.
func (c *Dialed) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != nil {
		c.link.end(errors.New("the test cuts the connection"))
	}
}

// TestTalk: a client reads the steps of an agent elsewhere and runs its tool, also if the
// connection is cut again and again. No step is lost or comes twice.
func TestTalk(t *testing.T) {
	const steps = 64
	s := newStage(t, talker(t, steps))
	for _, every := range []int{0, 1, 5} {
		c := Dial(t.Context(), s.address("/a"), NewName(), 5*time.Second)
		end, err := follow(t.Context(), c, steps, func(n int) {
			if every > 0 && n%every == 0 {
				c.cut()
			}
		})
		c.Close()
		if err != nil || end != fmt.Sprint(steps/8) {
			t.Errorf("cut every %d steps: %s, %v", every, end, err)
		}
	}
}

// TestMany: 200 channels stream at once without loss.
func TestMany(t *testing.T) {
	const many, steps = 200, 24
	s := newStage(t, talker(t, steps))
	var wait sync.WaitGroup
	for range many {
		wait.Go(func() {
			c := Dial(t.Context(), s.address("/a"), NewName(), 5*time.Second)
			defer c.Close()
			if end, err := follow(t.Context(), c, steps, func(int) {}); err != nil || end != "3" {
				t.Errorf("%s, %v", end, err)
			}
		})
	}
	wait.Wait()
}

// TestStrangers: who breaks the protocol, takes a session of another, or does not come back, ends
// with a reason, and the server does not wait for it.
func TestStrangers(t *testing.T) {
	s := newStage(t, talker(t, 100))
	name := NewName()
	mine := Dial(t.Context(), s.address("/a"), name, time.Second)
	defer mine.Close()
	if err := mine.Send(t.Context(), channel.Body{Run: &channel.RunOrder{Input: json.RawMessage(`null`)}}); err != nil {
		t.Fatal(err)
	}
	for range window { // so that some are acknowledged
		if _, err := mine.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.hall.mu.Lock()
	theirs := s.hall.sessions[name]
	s.hall.mu.Unlock()
	heard := func() bool { return !theirs.session.Knows(channel.Hello{From: 1}) }
	if err := theirs.wait(t.Context(), &theirs.rooms, heard); err != nil {
		t.Fatal(err)
	}
	theirs.mu.Unlock()
	hello := func(name string, from int) string {
		return fmt.Sprintf(`{"hello":{"version":1,"session":%q,"window":4,"seen":0,"ack":0,"from":%d}}`, name, from)
	}
	for _, k := range []struct {
		path, code string
		say        []string
	}{
		{"/a", channel.Malformed, []string{"[]"}},
		{"/a", channel.Malformed, []string{`{"ack":1}`}},
		{"/b", channel.Gone, []string{hello(name, 1)}},      // of another owner
		{"/a", channel.Gone, []string{hello(name, 1)}},      // who begins it again
		{"/a", channel.Gone, []string{hello(NewName(), 2)}}, // a session that is over
		{"/a", channel.Malformed, []string{hello(NewName(), 1), `{"seq":2,"body":1}`}},
		{"/a", channel.Malformed, []string{hello(NewName(), 1), `{"seq":1,"body":{"step":{"n":1}}}x`}},
		{"/a", channel.Outdated, []string{`{"hello":{"version":9,"session":"ABCDEFGHIJKLMNOPQRSTUVWXYZ","window":4,"seen":0,"ack":0,"from":1}}`}},
	} {
		if code, err := s.say(t.Context(), k.path, k.say); err != nil || code != k.code {
			t.Errorf("%+v: %q, %v", k, code, err)
		}
	}
	for {
		m, err := mine.Receive(t.Context())
		if err != nil {
			t.Fatalf("strangers ended the session: %v", err)
		}
		if m.End != nil {
			break
		}
	}
}

// say says frames, and returns the code of bye.
func (s *stage) say(ctx context.Context, path string, frames []string) (string, error) {
	k, answer, err := websocket.Dial(ctx, s.URL+path, &websocket.DialOptions{Subprotocols: []string{protocol}})
	if err != nil {
		return "", err
	}
	if answer.Body != nil {
		defer answer.Body.Close()
	}
	for _, f := range frames {
		if err := k.Write(ctx, websocket.MessageText, []byte(f)); err != nil {
			return "", err
		}
	}
	for {
		_, raw, err := k.Read(ctx)
		if err != nil {
			return "", err
		}
		if f, err := channel.Decode(raw); err != nil || f.Bye != nil {
			return f.Bye.Code, err
		}
	}
}

// silent is a connection on which nothing comes. It ends when the test says so.
type silent struct {
	ended   chan struct{} // of reading
	closing chan struct{} // Close was called
	closed  chan struct{} // Close returns
}

func (s silent) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-s.ended:
		return nil, errors.New("the connection is lost")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (silent) Write(context.Context, []byte) error { return nil }

func (s silent) Close() error {
	close(s.closing)
	<-s.closed
	return nil
}

// TestLateEnd: a connection that was lost and is not cleaned up yet does not take the session from
// a newer one.
func TestLateEnd(t *testing.T) {
	l := newLine(NewName())
	old := silent{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	next := silent{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	close(next.closed)
	done := make(chan error, 2)
	linked := func(n int) {
		if err := l.wait(t.Context(), &l.rooms, func() bool { return l.serial == n && len(l.outbox) == 0 }); err != nil {
			t.Fatal(err)
		}
		l.mu.Unlock()
	}
	go func() { done <- l.attach(t.Context(), old, nil) }()
	linked(1)
	close(old.ended)
	<-old.closing // so the cause of the end is the loss, not the newer connection
	go func() { done <- l.attach(t.Context(), next, nil) }()
	linked(2)
	close(old.closed)
	if err := <-done; err == nil {
		t.Error("the lost connection ends without a reason")
	}
	l.mu.Lock()
	if l.link == nil {
		t.Error("the lost connection took the session from the newer one")
	}
	l.mu.Unlock()
	l.stop(errGone)
	<-done
}
