package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// StepWriter writes a step. It must not be used after End.
type StepWriter struct {
	run    *Run
	buffer *buffer
	whole  bool // the client wants complete steps
}

// maxName bounds the name in a call, in bytes. No tool has a name of more than 64.
const maxName = 80

// Begin begins a step after the previous one, and waits for a reader, or returns ErrLimit.
func (r *Run) Begin() (*StepWriter, error) {
	if r.writing {
		return nil, errors.New("agent: a step begins before the last has ended")
	}
	if r.steps >= r.agent.Config.Steps {
		return nil, fmt.Errorf("%w: more than %d steps", ErrLimit, r.agent.Config.Steps)
	}
	select {
	case <-r.ch.ready:
	case <-r.ch.ctx.Done():
		return nil, context.Cause(r.ch.ctx)
	}
	r.steps++
	r.writing = true
	w := &StepWriter{r, newBuffer(r.ch.ctx, r.steps), !r.ch.chunks}
	if w.whole {
		return w, nil
	}
	return w, r.ch.emit(&StepReader{buffer: w.buffer})
}

// Text adds to the agent's words.
func (w *StepWriter) Text(s string) error {
	if s == "" {
		return nil
	}
	w.buffer.add(Chunk{Text: s}, nil)
	return w.run.spend(len(s))
}

// Plan sets the agent's plan.
func (w *StepWriter) Plan(items []string) error {
	items = slices.Clone(items)
	w.buffer.add(Chunk{Plan: items}, func(step *Step) { step.Plan = items })
	n := relayCost
	for _, item := range items {
		n += relayCost + len(item)
	}
	return w.run.spend(n)
}

// Call adds a call, which is made when the step ends. The run numbers calls and ignores the id of
// c. A missing input is an empty object. If the input is not JSON, it is kept as a text, and the
// call is answered with an error.
func (w *StepWriter) Call(c ToolCall) error {
	if len(c.Input) == 0 {
		c.Input = json.RawMessage("{}")
	}
	w.run.last++
	c.ID, c.Name = strconv.Itoa(w.run.last), cutText(c.Name, maxName)
	if _, err := w.run.agent.Config.Schema.Decode(c.Input); err != nil {
		w.run.garbled[c.ID] = "the input of the call is not JSON: " + plain(reason(err), maxWords)
		c.Input = jsonText(cutText(string(c.Input), maxSaid))
	}
	w.buffer.add(Chunk{Call: &c}, func(step *Step) { step.Calls = append(step.Calls, c) })
	return w.run.spend(relayCost + len(c.Name) + len(c.Input))
}

// Made says what came of the step's last call, which the body made itself. Such a call counts in no
// limit of calls, and its tool need not be one of Tools.
func (w *StepWriter) Made(output json.RawMessage, fault string) error {
	if len(w.buffer.step.Calls) == 0 { // nobody else writes
		return errors.New("agent: the step has no call")
	}
	id := w.buffer.step.Calls[len(w.buffer.step.Calls)-1].ID
	w.run.made[id] = ToolResult{Output: output, Error: fault}
	return nil
}

// End ends the step, makes its calls and returns their results in the order of the calls. Fault
// says why the answer of the agent's model could not be used, if so; u is the cost of the step. A
// failed call has a result that says so; an error ends the run.
func (w *StepWriter) End(fault string, u Usage) ([]ToolResult, error) {
	w.run.writing = false
	w.run.ch.spend(u)
	step := w.buffer.end(func(s *Step) { s.Fault, s.Usage = plain(fault, 4*maxWords), u })
	if w.whole {
		if err := w.run.ch.emit(step); err != nil {
			return nil, err
		}
	}
	results, err := w.run.make(step.Calls)
	if err != nil {
		return nil, err
	}
	return results, w.run.ch.emit(StepEnd{N: step.N, Context: w.run.context})
}

// Step writes a complete step, like Begin and End. It uses Text, Plan, Calls, Fault and Usage of s.
func (r *Run) Step(s Step) ([]ToolResult, error) {
	w, err := r.Begin()
	if err != nil {
		return nil, err
	}
	if err := w.fill(s); err != nil {
		return nil, err
	}
	return w.End(s.Fault, s.Usage)
}

func (w *StepWriter) fill(s Step) error {
	if err := w.Text(s.Text); err != nil {
		return err
	}
	if len(s.Plan) > 0 {
		if err := w.Plan(s.Plan); err != nil {
			return err
		}
	}
	for _, c := range s.Calls {
		if err := w.Call(c); err != nil {
			return err
		}
	}
	return nil
}
