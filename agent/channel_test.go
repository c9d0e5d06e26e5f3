package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ojud/agent"
	"ojud/agent/agenttest"
)

// end reads a run to its end and returns how it ended.
func end(ch *agent.Channel) (err error) {
	for _, wrong := range ch.Steps(false) {
		err = wrong
	}
	return err
}

// The run and its goroutines end however the client behaves.
func TestEnds(t *testing.T) {
	boom := errors.New("boom")
	step := agent.Step{Text: "x"}
	endless := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		for {
			if _, err := r.Step(step); err != nil {
				return nil, err
			}
		}
	}
	waits := func(ctx context.Context, _ *agent.Run) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, errors.New("agent of the test: stopped")
	}
	for name, c := range map[string]struct {
		body   agent.Body
		client func(*testing.T, *agent.Channel, context.CancelCauseFunc) error
		want   error
	}{
		"nobody reads, closed": {endless, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { ch.Close(); return end(ch) }, agent.ErrClosed},
		"nobody reads, time": {endless, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error {
			time.Sleep(time.Hour)
			return end(ch)
		}, agent.ErrTime},
		"the reader leaves":     {endless, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { leave(ch); return nil }, nil},
		"ctx ends":              {waits, func(_ *testing.T, ch *agent.Channel, stop context.CancelCauseFunc) error { stop(boom); return end(ch) }, boom},
		"time":                  {waits, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { return end(ch) }, agent.ErrTime},
		"steps":                 {endless, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { return end(ch) }, agent.ErrLimit},
		"panic":                 {func(context.Context, *agent.Run) (json.RawMessage, error) { panic("secret") }, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { return end(ch) }, agent.ErrPanic},
		"fails":                 {func(context.Context, *agent.Run) (json.RawMessage, error) { return nil, boom }, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { return end(ch) }, boom},
		"no JSON":               {func(context.Context, *agent.Run) (json.RawMessage, error) { return []byte(`{`), nil }, func(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error { return end(ch) }, agent.ErrOutput},
		"closed twice, at once": {endless, closeTwice, agent.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(context.Background())
				defer stop(nil)
				ch, err := do(t, nil, c.body).Run(ctx, agent.Request{})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.client(t, ch, stop); !errors.Is(err, c.want) {
					t.Errorf("it ends with %v, want %v", err, c.want)
				}
				ch.Close()
				if err := ch.Input(agent.ExtraInput{Content: []byte(`1`)}); !errors.Is(err, agent.ErrEnded) {
					t.Errorf("an input after the end: %v", err)
				}
			})
		})
	}
}

// A client that leaves the loop ends the run, even without Close.
func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		ch := run(t, do(t, nil, func(ctx context.Context, r *agent.Run) (json.RawMessage, error) {
			if _, err := r.Step(agent.Step{Text: "one"}); err != nil {
				cause = context.Cause(ctx)
			}
			return []byte(`1`), nil
		}), agent.Request{})
		leave(ch)
		synctest.Wait()
		if !errors.Is(cause, agent.ErrClosed) {
			t.Errorf("the body goes on: %v", cause)
		}
	})
}

func leave(ch *agent.Channel) {
	for range ch.Steps(false) {
		break
	}
}

func closeTwice(_ *testing.T, ch *agent.Channel, _ context.CancelCauseFunc) error {
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(ch.Close)
	}
	wait.Wait()
	return end(ch)
}

// A run has one reader.
func TestOneReader(t *testing.T) {
	ch := run(t, do(t, nil, steps(call("nothing", `{}`))), agent.Request{})
	for range ch.Steps(false) {
		for _, err := range ch.Steps(true) {
			if !errors.Is(err, agent.ErrReader) {
				t.Error(err)
			}
		}
	}
	if err := end(ch); !errors.Is(err, agent.ErrReader) {
		t.Error(err)
	}
}

// A body or a tool that ignores its ctx delays the reader at most until the run's time is over.
func TestDeafBody(t *testing.T) {
	for name, deaf := range map[string]func(wake chan struct{}) agent.Agent{
		"body": func(wake chan struct{}) agent.Agent {
			return do(t, nil, func(context.Context, *agent.Run) (json.RawMessage, error) { <-wake; return []byte(`1`), nil })
		},
		"tool": func(wake chan struct{}) agent.Agent {
			return do(t, func(s *agent.Setup) {
				s.Tools = []agent.Tool{agenttest.Tool("deaf", func(string) (string, error) { <-wake; return `1`, nil })}
			}, steps(call("deaf", `{}`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wake := make(chan struct{})
				ch := run(t, deaf(wake), agent.Request{})
				begin := time.Now()
				if err := end(ch); !errors.Is(err, agent.ErrTime) || time.Since(begin) != agent.DefaultConfig().Time {
					t.Errorf("after %s: %v", time.Since(begin), err)
				}
				close(wake)
				ch.Close()
			})
		})
	}
}

// All calls to the client go out at once. Their results come in any order and from any goroutine,
// each once.
func TestManyInputs(t *testing.T) {
	var calls []agent.ToolCall
	for i := range 8 {
		calls = append(calls, call("ask", fmt.Sprintf(`{"n":%d}`, i)))
	}
	body := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		results, err := r.Step(agent.Step{Calls: calls})
		if err != nil {
			return nil, err
		}
		var out []string
		for _, x := range results {
			out = append(out, string(x.Output))
		}
		return json.Marshal(out)
	}
	ch := run(t, do(t, nil, body), agent.Request{Tools: []agent.Repr{tool("ask")}})
	var waiting []agent.ClientCall
	var events []agent.Event
	var wait sync.WaitGroup
	for e, err := range ch.Steps(false) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		if c, ok := e.(agent.ClientCall); ok {
			waiting = append(waiting, c)
		}
		if len(waiting) < len(calls) {
			continue
		}
		for _, c := range slices.Backward(waiting) {
			for range 2 {
				wait.Go(func() {
					err := ch.Input(agent.ToolResult{ID: c.ID, Output: c.Input})
					if err != nil && !errors.Is(err, agent.ErrCall) && !errors.Is(err, agent.ErrEnded) {
						t.Error(err)
					}
				})
			}
		}
		waiting = nil
	}
	wait.Wait()
	if got := agenttest.Output(events); got != `["{\"n\":0}","{\"n\":1}","{\"n\":2}","{\"n\":3}","{\"n\":4}","{\"n\":5}","{\"n\":6}","{\"n\":7}"]` {
		t.Error(got)
	}
}

// Inputs that no call waits for are refused and change nothing.
func TestRefusedInputs(t *testing.T) {
	ch := run(t, do(t, nil, steps(call("ask", `{}`))), agent.Request{Tools: []agent.Repr{tool("ask")}})
	other := run(t, do(t, nil, steps()), agent.Request{})
	client := agenttest.Client{"ask": func(c agent.ClientCall) agent.Input {
		for name, in := range map[string]struct {
			input agent.Input
			want  error
		}{
			"another id":           {agent.ToolResult{ID: "2"}, agent.ErrCall},
			"no id":                {agent.ToolResult{}, agent.ErrCall},
			"of a minion":          {agent.ToolResult{ID: "1/1"}, agent.ErrCall},
			"deep":                 {agent.ToolResult{ID: strings.Repeat("1/", 10_000)}, agent.ErrCall},
			"minion for a tool":    {agent.MinionChannel{ID: "1", Channel: other}, agent.ErrCall},
			"minion of a minion":   {agent.MinionChannel{ID: "1/2", Channel: other}, agent.ErrCall},
			"itself":               {agent.MinionChannel{ID: "1", Channel: ch}, agent.ErrRequest},
			"no channel":           {agent.MinionChannel{ID: "1"}, agent.ErrRequest},
			"no JSON":              {agent.ExtraInput{Content: []byte(`{"a":1,"a":2}`)}, agent.ErrRequest},
			"nothing":              {agent.ExtraInput{}, agent.ErrRequest},
			"too large":            {agent.ExtraInput{Content: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}, agent.ErrRequest},
			"extra for no minion":  {agent.ExtraInput{Minion: "7", Content: []byte(`1`)}, agent.ErrCall},
			"extra for its minion": {agent.ExtraInput{Minion: "1/7", Content: []byte(`1`)}, agent.ErrCall},
			"nil":                  {nil, agent.ErrRequest},
		} {
			if err := ch.Input(in.input); !errors.Is(err, in.want) {
				t.Errorf("%s: %v, want %v", name, err, in.want)
			}
		}
		return agent.ToolResult{ID: c.ID, Output: []byte(`"right"`)}
	}}
	events, err := client.Follow(t, ch, false)
	if err != nil || agenttest.Output(events) != `"right"` {
		t.Errorf("%s, %v", agenttest.Output(events), err)
	}
	if err := end(other); err != nil {
		t.Errorf("the channel that was refused cannot be read: %v", err)
	}
	if err := ch.Input(agent.ToolResult{ID: "1"}); !errors.Is(err, agent.ErrEnded) {
		t.Error(err)
	}
}

// Extra inputs wait for the agent, up to a limit.
func TestExtras(t *testing.T) {
	body := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		if _, err := r.Step(agent.Step{Calls: []agent.ToolCall{call("ask", `{}`)}}); err != nil {
			return nil, err
		}
		got := r.Extras()
		if len(r.Extras()) != 0 {
			return nil, errors.New("they come twice")
		}
		return json.Marshal(got)
	}
	ch := run(t, do(t, func(s *agent.Setup) { s.Config.Extras = 2 }, body), agent.Request{Tools: []agent.Repr{tool("ask")}})
	client := agenttest.Client{"ask": func(c agent.ClientCall) agent.Input {
		for i, want := range []error{nil, nil, agent.ErrLimit} {
			if err := ch.Input(agent.ExtraInput{Content: json.RawMessage(fmt.Sprint(i))}); !errors.Is(err, want) {
				t.Errorf("extra input %d: %v", i, err)
			}
		}
		return agent.ToolResult{ID: c.ID, Output: []byte(`1`)}
	}}
	events, err := client.Follow(t, ch, false)
	if err != nil || agenttest.Output(events) != `[0,1]` {
		t.Errorf("%s, %v", agenttest.Output(events), err)
	}
}

// A step may come in pieces. A reader sees each piece as it comes, and may leave it unread.
func TestChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
			w, err := r.Begin()
			if err != nil {
				return nil, err
			}
			for _, piece := range []string{"one ", "two ", "", "three"} {
				time.Sleep(time.Second)
				if err := w.Text(piece); err != nil {
					return nil, err
				}
			}
			if err := errors.Join(w.Plan([]string{"a", "b"}), w.Call(agent.ToolCall{Name: "ask"})); err != nil {
				return nil, err
			}
			if _, err := r.Begin(); err == nil {
				return nil, errors.New("two steps at once")
			}
			results, err := w.End("", agent.Usage{Calls: 1})
			if err != nil {
				return nil, err
			}
			_, err = r.Step(agent.Step{Text: "unread"})
			return results[0].Output, err
		}
		ch := run(t, do(t, nil, body), agent.Request{Tools: []agent.Repr{tool("ask")}})
		begin, n := time.Now(), 0
		var seen []string
		client := agenttest.Client{"ask": agenttest.Answer(`7`)}
		for e, err := range ch.Steps(true) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case *agent.StepReader:
				if n++; n > 1 {
					continue // unread
				}
				for c := range e.Chunks() {
					seen = append(seen, fmt.Sprintf("%s after %s %v %v", c.Text, time.Since(begin), c.Plan, c.Call != nil))
				}
				if step, err := e.Step(); err != nil || step.Text != "one two three" || len(step.Calls) != 1 || string(step.Calls[0].Input) != `{}` || e.N() != 1 {
					t.Errorf("%+v, %v", step, err)
				}
			case agent.ClientCall:
				if err := ch.Input(client["ask"](e)); err != nil {
					t.Error(err)
				}
			}
		}
		want := "one  after 1s [] false|two  after 2s [] false|three after 4s [] false| after 4s [a b] false| after 4s [] true"
		if got := strings.Join(seen, "|"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if err := ch.Input(agent.ToolResult{ID: "1"}); !errors.Is(err, agent.ErrEnded) || ch.Usage().Calls != 1 {
			t.Errorf("%v, %+v", err, ch.Usage())
		}
	})
}

// A step that is cut short does not hold its reader.
func TestCutStep(t *testing.T) {
	boom := errors.New("boom")
	body := func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		w, err := r.Begin()
		if err == nil {
			err = w.Text("half")
		}
		return nil, errors.Join(err, boom)
	}
	ch := run(t, do(t, nil, body), agent.Request{})
	var last error
	for e, err := range ch.Steps(true) {
		last = err
		if reader, ok := e.(*agent.StepReader); ok {
			got := ""
			for c := range reader.Chunks() {
				got += c.Text
			}
			if _, err := reader.Step(); err == nil || got != "half" {
				t.Errorf("%q, %v", got, err)
			}
		}
	}
	if !errors.Is(last, boom) {
		t.Error(last)
	}
}
