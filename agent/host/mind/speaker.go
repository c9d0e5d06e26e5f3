package mind

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ojud/agent"
	"ojud/agent/channel"
	"ojud/agent/host"
)

// order is the first line that a program reads: what to do, and what it knows besides.
type order struct {
	channel.RunOrder
	About background `json:"about"`
}

// speech is a call that is carried out by a program which speaks the messages of a channel by
// lines.
type speech struct {
	run   *agent.Run
	purse *Purse
	queue [][]byte // lines that the program has not read; TotalBytes of the run bounds them

	step *agent.StepWriter // that the program writes; nil: none
	n    int               // number of the step

	used    agent.Usage            // said so far
	minions map[string]agent.Usage // said by working minions
	calls   []named                // of the step
}

// named is a call by the name that the program gave it.
type named struct {
	id   string
	made bool // by the program itself
}

// converse carries out a call. The program ends it with the message final.
func (w *Worker) converse(ctx context.Context, r *agent.Run, c host.Capability, j Job) (json.RawMessage, error) {
	s := speech{run: r, minions: map[string]agent.Usage{}, purse: j.Purse}
	first := order{RunOrder: channel.RunOrder{
		Capability: c.Name, Input: r.Input(), Params: given(c, r), Context: Outward(r.Context()), Tools: r.Tools(), Chunks: true,
	}}
	if err := json.Unmarshal(r.Context(), &first.About); err != nil {
		return nil, err
	}
	first.About.Client = nil
	if err := s.tell("run", first); err != nil {
		return nil, err
	}
	p, err := w.start(ctx, w.m.Thinks.Launch, j.Environ)
	if err != nil {
		return nil, err
	}
	final, said, err := s.follow(ctx, p)
	how := p.end(err != nil)
	if said || err != nil {
		return final, err
	}
	return nil, how
}

// tell puts a message into the queue.
func (s *speech) tell(kind string, value any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]any{kind: value})
	if err == nil {
		s.queue = append(s.queue, line.Bytes())
	}
	return err
}

// follow does what the program says until it says the end, or ends.
func (s *speech) follow(ctx context.Context, p *process) (final json.RawMessage, said bool, err error) {
	for {
		var to chan<- []byte
		var next []byte
		news := s.run.News()
		if len(s.queue) > 0 { // extra inputs wait where their number is bounded
			to, next, news = p.in, s.queue[0], nil
		}
		select {
		case to <- next:
			s.queue = s.queue[1:]
		case <-news:
			for _, extra := range s.run.Extras() {
				if err := s.tell("extra", channel.Extra{Content: extra}); err != nil {
					return nil, false, err
				}
			}
		case line, more := <-p.lines:
			if !more {
				return nil, false, nil
			}
			m, err := channel.DecodeBody(line)
			if err == nil {
				err = usages(line)
			}
			if err != nil {
				return nil, false, fmt.Errorf("%w printed %.100q, which is no message: %w", errProgram, line, err)
			}
			if m.Final != nil {
				return s.final(*m.Final)
			}
			if err := s.hear(m); err != nil {
				return nil, false, err
			}
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// usages refuses a usage with members that nobody counts: what is left out of it costs nothing.
func usages(line []byte) error {
	if !bytes.Contains(line, []byte(`"usage"`)) {
		return nil
	}
	var body map[string]struct {
		Usage map[string]json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(line, &body); err != nil {
		return err
	}
	for kind, said := range body {
		for name := range said.Usage {
			if !slices.Contains([]string{"calls", "prompt_tokens", "completion_tokens", "cost_micros", "time_ns"}, name) {
				return fmt.Errorf("usage of %s has the member %.40q; write calls, prompt_tokens, completion_tokens, cost_micros and time_ns", kind, name)
			}
		}
	}
	return nil
}

// final takes the end of the work.
func (s *speech) final(f agent.FinalResult) (json.RawMessage, bool, error) {
	if s.step != nil {
		return nil, false, fmt.Errorf("%w said final within a step; say stop before", errProgram)
	}
	if err := s.rest(f.Usage, s.used); err != nil {
		return nil, false, err
	}
	return f.Output, true, s.context(f.Context)
}

// context takes the client's context, as the program changed it.
func (s *speech) context(client json.RawMessage) error {
	if len(client) == 0 {
		return nil
	}
	whole, err := inward(s.run.Context(), client)
	if err != nil {
		return err
	}
	return s.run.SetContext(whole)
}

// hear does what a message says.
func (s *speech) hear(m channel.Body) (err error) {
	switch {
	case m.Step != nil && m.Step.Minion != "":
		if err = s.spend(m.Step.Usage); err == nil {
			err = s.run.Relay(*m.Step)
		}
		if err == nil {
			said := s.minions[m.Step.Minion]
			said.Add(m.Step.Usage)
			s.minions[m.Step.Minion] = said
		}
		return err
	case m.MinionStart != nil:
		return s.run.Relay(*m.MinionStart)
	case m.MinionResult != nil:
		if err := s.run.Relay(*m.MinionResult); err != nil {
			return err
		}
		defer delete(s.minions, m.MinionResult.ID)
		return s.rest(m.MinionResult.Usage, s.minions[m.MinionResult.ID])
	case m.StepEnd != nil && s.step == nil:
		return s.context(m.StepEnd.Context)
	case (m.Begin != nil || m.Step != nil) && s.step == nil:
		s.n++
		if s.step, err = s.run.Begin(); err != nil || m.Step == nil {
			return err
		}
		if err := s.add(channel.Piece{Text: m.Step.Text, Plan: m.Step.Plan}); err != nil {
			return err
		}
		for _, c := range m.Step.Calls {
			if err := s.add(channel.Piece{Call: &c}); err != nil {
				return err
			}
		}
		return s.stop(m.Step.Fault, m.Step.Usage)
	case m.Chunk != nil && s.step != nil:
		return s.add(*m.Chunk)
	case m.Result != nil && s.step != nil && len(s.calls) > 0 && s.calls[len(s.calls)-1].id == m.Result.ID:
		s.calls[len(s.calls)-1].made = true
		return s.step.Made(m.Result.Output, m.Result.Error)
	case m.Stop != nil && s.step != nil:
		return s.stop(m.Stop.Fault, m.Stop.Usage)
	}
	return fmt.Errorf("%w said a message that agents do not say now; docs/protocol.md, section 16, has their order", errProgram)
}

// add writes a part of the step.
func (s *speech) add(c channel.Piece) error {
	if c.Minion != "" {
		return fmt.Errorf("%w said a chunk of a minion; a step of a minion comes whole", errProgram)
	}
	if err := s.step.Text(c.Text); err != nil {
		return err
	}
	if len(c.Plan) > 0 {
		if err := s.step.Plan(c.Plan); err != nil {
			return err
		}
	}
	if c.Call == nil {
		return nil
	}
	s.calls = append(s.calls, named{id: c.Call.ID})
	return s.step.Call(*c.Call)
}

// stop ends the step, has its calls made, and tells the program their results.
func (s *speech) stop(fault string, u agent.Usage) error {
	w, calls := s.step, s.calls
	s.step, s.calls = nil, nil
	if err := s.spend(u); err != nil {
		return err
	}
	results, err := w.End(fault, u)
	if err != nil {
		return err
	}
	for i, r := range results {
		if calls[i].made {
			continue
		}
		r.ID = cmp.Or(calls[i].id, r.ID)
		if err := s.tell("result", r); err != nil {
			return err
		}
	}
	return s.tell("step_end", agent.StepEnd{N: s.n, Context: Outward(s.run.Context())})
}

// spend counts the cost of models that the program reports. If the cost is above the budget, the
// call ends and is billed all that is left of it.
func (s *speech) spend(u agent.Usage) error {
	const most = 1 << 40
	if min(u.Calls, u.Prompt, u.Completion, int(u.Time)) < 0 || max(u.Calls, u.Prompt, u.Completion) > most {
		return fmt.Errorf("%w said a usage that is negative or above %d", errProgram, most)
	}
	if over, err := s.purse.spend(u); err != nil {
		s.run.Spend(over)
		return fmt.Errorf("%w has used more than the budget of the call (limits.tokens, limits.dollars): %w", errProgram, err)
	}
	s.used.Add(u)
	return nil
}

// rest counts what a total has beyond what was said before.
func (s *speech) rest(total, said agent.Usage) error {
	u := agent.Usage{Calls: max(total.Calls-said.Calls, 0), Prompt: max(total.Prompt-said.Prompt, 0), Completion: max(total.Completion-said.Completion, 0)}
	u.Cost = max(total.Cost, said.Cost) - said.Cost
	if err := s.spend(u); err != nil {
		return err
	}
	s.run.Spend(u)
	return nil
}
