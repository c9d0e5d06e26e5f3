package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent"
	"ojud/agent/agenttest"
)

// minion asks its client, or its own tool, and returns that answer with another context.
func minion(t *testing.T, name string) agent.Agent {
	t.Helper()
	return do(t, func(s *agent.Setup) { s.Repr.Name = name }, func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		results, err := r.Step(agent.Step{Text: "asking", Calls: []agent.ToolCall{call("ask", `{"for":"minion"}`)}, Usage: agent.Usage{Calls: 1}})
		if err != nil {
			return nil, err
		}
		if results[0].Error != "" {
			return nil, agent.Failure(results[0].Error)
		}
		return results[0].Output, r.SetContext([]byte(`"changed by ` + name + `"`))
	})
}

// A run uses its own minion, one of the client, and a minion of a minion. The client sees all their
// steps in order, and answers their calls by path.
func TestMinions(t *testing.T) {
	middle := do(t, func(s *agent.Setup) {
		s.Repr.Name, s.Minions, s.Lend = "middle", []agent.Agent{minion(t, "inner")}, true
	}, steps(call("inner", `{}`)))
	for _, chunks := range []bool{false, true} {
		top := do(t, func(s *agent.Setup) { s.Minions, s.Lend = []agent.Agent{middle}, true }, steps(call("middle", `{}`), call("outer", `{"n":1}`)))
		ch := run(t, top, agent.Request{Context: []byte(`"first"`), Tools: []agent.Repr{tool("ask")}, Minions: []agent.Repr{tool("outer")}})
		client := agenttest.Client{
			"ask": agenttest.Answer(`"heard"`),
			"outer": func(c agent.ClientCall) agent.Input {
				if !c.Minion || string(c.Context) != `"changed by inner"` {
					t.Errorf("%+v", c)
				}
				return agent.MinionChannel{ID: c.ID, Channel: run(t, minion(t, "outer"), agent.Request{Tools: []agent.Repr{tool("ask")}, Context: c.Context})}
			},
		}
		events, err := client.Follow(t, ch, chunks)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "minions", agenttest.Transcript(t, events, err))
		for _, e := range events {
			if reader, ok := e.(*agent.StepReader); ok && reader.Minion() == "1/1" {
				for c := range reader.Chunks() {
					if c.Call != nil && c.Call.ID != "1/1/1" {
						t.Errorf("%+v", c.Call)
					}
				}
			}
		}
	}
}

// A minion that fails is one failed call.
func TestMinionFailures(t *testing.T) {
	failing := agenttest.Steps{Name: "inner", Err: errors.New("hunter2")}.Agent(t)
	picky := do(t, func(s *agent.Setup) { s.Repr.Name, s.Forms.Context = "inner", []byte(`{"type":"integer"}`) }, steps())
	panics := do(t, func(s *agent.Setup) { s.Repr.Name = "inner" }, func(context.Context, *agent.Run) (json.RawMessage, error) { panic("hunter2") })
	large := agenttest.Steps{Name: "inner", Output: `"` + strings.Repeat("x", 40<<10) + `"`}.Agent(t)
	slow := do(t, func(s *agent.Setup) { s.Repr.Name, s.Config.Time = "inner", time.Second }, func(ctx context.Context, _ *agent.Run) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	strange := do(t, func(s *agent.Setup) { s.Repr.Name = "inner" }, func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		return []byte(`1`), r.SetContext([]byte(`"another form"`))
	})
	for name, c := range map[string]struct {
		inner agent.Agent
		want  string
	}{
		"fails": {failing, "owner's log"}, "does not begin": {picky, "the request cannot be run"}, "panics": {panics, "panic"},
		"says too much": {large, "ask for less"}, "is slow": {slow, "the time of the run is over"}, "spoils the context": {strange, "the request cannot be run"},
	} {
		t.Run(name, func(t *testing.T) {
			top := do(t, func(s *agent.Setup) {
				s.Minions, s.Forms.Context = []agent.Agent{c.inner}, []byte(`{"type":["null","integer"]}`)
			}, steps(call("inner", `{}`)))
			events, err := (agenttest.Client{}).Follow(t, run(t, top, agent.Request{}), false)
			if err != nil || !strings.Contains(agenttest.Output(events), c.want) || strings.Contains(agenttest.Transcript(t, events, err), "hunter2") {
				t.Errorf("%s, %v; want %s", agenttest.Output(events), err, c.want)
			}
		})
	}
	// A minion that the client does not start is a failed call, too.
	ch := run(t, do(t, nil, steps(call("outer", `{}`))), agent.Request{Minions: []agent.Repr{tool("outer")}})
	events, err := agenttest.Client{"outer": agenttest.Refuse("no time")}.Follow(t, ch, false)
	if err != nil || agenttest.Output(events) != `"no time"` {
		t.Errorf("%s, %v", agenttest.Output(events), err)
	}
}

// A channel that has a reader is refused, and its call waits for another. A channel that was taken
// ends with the run, even if the run never read it.
func TestMinionChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		waits := do(t, nil, func(ctx context.Context, _ *agent.Run) (json.RawMessage, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, cause
		})
		taken := run(t, minion(t, "taken"), agent.Request{})
		leave(taken)
		both := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
			_, err := r.Step(agent.Step{Calls: []agent.ToolCall{call("outer", `{"n":1}`), call("outer", `{"n":2}`)}})
			return []byte(`1`), err
		}
		ch, unread := run(t, do(t, nil, both), agent.Request{Minions: []agent.Repr{tool("outer")}}), run(t, waits, agent.Request{})
		for e := range ch.Steps(false) {
			if c, ok := e.(agent.ClientCall); ok && c.ID == "2" {
				if err := ch.Input(agent.MinionChannel{ID: "2", Channel: taken}); !errors.Is(err, agent.ErrReader) {
					t.Error(err)
				}
				if err := ch.Input(agent.MinionChannel{ID: "2", Channel: unread}); err != nil {
					t.Error(err)
				}
				break
			}
		}
		synctest.Wait()
		if !errors.Is(cause, agent.ErrClosed) {
			t.Errorf("the minion goes on: %v", cause)
		}
	})
}

// The end of a run ends its minions, wherever they run.
func TestMinionsEndWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := 0
		endless := do(t, func(s *agent.Setup) { s.Repr.Name = "endless" }, func(ctx context.Context, _ *agent.Run) (json.RawMessage, error) {
			<-ctx.Done()
			stopped++
			return nil, ctx.Err()
		})
		top := do(t, func(s *agent.Setup) { s.Minions = []agent.Agent{endless} }, steps(call("endless", `{}`)))
		ch := run(t, top, agent.Request{})
		for e := range ch.Steps(false) {
			if _, ok := e.(agent.MinionStart); ok {
				break
			}
		}
		ch.Close()
		other := run(t, do(t, nil, steps(call("outer", `{}`))), agent.Request{Minions: []agent.Repr{tool("outer")}})
		for e := range other.Steps(false) {
			switch e := e.(type) {
			case agent.ClientCall:
				if err := other.Input(agent.MinionChannel{ID: e.ID, Channel: run(t, endless, agent.Request{})}); err != nil {
					t.Error(err)
				}
			case agent.MinionStart:
				other.Close()
			}
		}
		if stopped != 2 {
			t.Errorf("%d minions stopped", stopped)
		}
	})
}

// Two runs that are each other's minions end at their time limit.
func TestCircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := agent.Request{Minions: []agent.Repr{tool("other")}}
		a, b := run(t, do(t, nil, steps(call("other", `{}`))), q), run(t, do(t, nil, steps(call("other", `{}`))), q)
		client := agenttest.Client{"other": func(c agent.ClientCall) agent.Input { return agent.MinionChannel{ID: c.ID, Channel: b} }}
		for e, err := range a.Steps(false) {
			c, ok := e.(agent.ClientCall)
			switch {
			case ok && c.ID == "1":
				if err := a.Input(client["other"](c)); err != nil {
					t.Error(err)
				}
			case ok: // b asks for a minion: it gets a, which has a reader
				if err := a.Input(agent.MinionChannel{ID: c.ID, Channel: a}); !errors.Is(err, agent.ErrReader) {
					t.Error(err)
				}
			case err != nil && !errors.Is(err, agent.ErrTime):
				t.Error(err)
			}
		}
		a.Close()
		b.Close()
	})
}

// An agent that calls itself ends at the depth that its Config allows.
func TestDepth(t *testing.T) {
	self := &selfish{}
	depth := 0
	self.Agent = do(t, func(s *agent.Setup) { s.Repr.Name = "self" }, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
		depth++
		results, err := r.Step(agent.Step{Calls: []agent.ToolCall{call("self", fmt.Sprintf(`{"n":%d}`, depth))}})
		if err != nil {
			return nil, err
		}
		if results[0].Error != "" {
			return json.Marshal(results[0].Error)
		}
		return results[0].Output, nil
	})
	events, err := (agenttest.Client{}).Follow(t, run(t, self, agent.Request{}), false)
	if want := agent.DefaultConfig().Depth + 1; err != nil || depth != want || agenttest.Output(events) != `"the run has reached a limit"` {
		t.Errorf("%d deep, %s, %v", depth, agenttest.Output(events), err)
	}
}

// selfish gives its agent itself as a minion.
type selfish struct{ agent.Agent }

// Run implements agent.Agent.
func (s *selfish) Run(ctx context.Context, q agent.Request) (*agent.Channel, error) {
	q.LocalMinions = []agent.Agent{s}
	return s.Agent.Run(ctx, q)
}
