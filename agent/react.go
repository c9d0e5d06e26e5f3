package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// NewReAct makes an agent that thinks and acts by turns (arXiv 2210.03629). Its model says a
// thought and calls a tool, sees the result, and goes on until it finishes with a result of its
// own. Its parameters are a Sampling. No tool may be called call, finish, plan or next.
//
// If an answer cannot be used (prose, truncated JSON, unknown keys, a result that violates the
// schema), the model is told the reason, at most Config.Repairs times. Then the run ends with
// ErrGarbled or ErrOutput. In its last step, and when no calls are left, the model can only finish.
func NewReAct(s Setup, m ModelSetup) (Agent, error) { return thinker(s, m, false) }

// NewPlanner makes an agent that plans and then acts. Its model makes a plan, works on it item by
// item like that of NewReAct, may replace the open items, and finishes at the latest when all items
// are done.
func NewPlanner(s Setup, m ModelSetup) (Agent, error) { return thinker(s, m, true) }

func thinker(s Setup, m ModelSetup, planned bool) (Agent, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(s.Forms.Params) > 0 {
		return nil, bad("an agent with a model has its own parameters; leave Forms.Params empty")
	}
	s.Forms.Params = json.RawMessage(samplingForm)
	s.reserved = []string{string(doCall), string(doFinish), string(doPlan), string(doNext)}
	return New(s, func(ctx context.Context, r *Run) (json.RawMessage, error) {
		t, err := newTalk(r, m, planned)
		if err != nil {
			return nil, err
		}
		return (&loop{talk: t}).turn(ctx)
	})
}

// loop is a conversation with its plan.
type loop struct {
	*talk
	plan plan
}

// turn lets the model decide, and acts on the decision, until it finishes.
func (l *loop) turn(ctx context.Context) (json.RawMessage, error) {
	for {
		d, err := l.step(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case d.fault != "":
			err = l.excuse(d)
		case d.Verb == doFinish:
			return d.Result, nil
		case d.Verb == doPlan:
			l.plan.replace(d.Plan)
			l.tell("Go on with your plan.")
		case d.Verb == doNext:
			l.plan.next(d.Note)
			l.tell("Go on with your plan.")
		}
		if err != nil {
			return nil, err
		}
	}
}

// step begins before the model is asked, so that a reader of chunks sees the beginning.
func (l *loop) step(ctx context.Context) (decision, error) {
	if err := l.news(); err != nil {
		return decision{}, err
	}
	allowed := l.allowed()
	w, err := l.run.Begin()
	if err != nil {
		return decision{}, err
	}
	var h *hearing
	if !w.whole {
		h = &hearing{write: w.Text}
	}
	d, err := l.ask(ctx, allowed, l.note(allowed), h)
	if err != nil {
		return d, err
	}
	if h != nil && h.err != nil {
		l.run.ch.spend(d.usage)
		return d, h.err
	}
	results, err := l.act(w, h, d)
	l.remember(d, results)
	return d, err
}

func (l *loop) act(w *StepWriter, h *hearing, d decision) ([]ToolResult, error) {
	text := d.Thought
	if d.fault != "" {
		text = cutText(d.said, maxSaid)
	}
	if h != nil {
		text = h.rest(text)
	}
	if err := w.fill(Step{Text: text, Plan: d.Plan, Calls: d.calls()}); err != nil {
		l.run.ch.spend(d.usage)
		return nil, err
	}
	return w.End(d.fault, d.usage)
}

// news tells the model the extra inputs of the client.
func (l *loop) news() error {
	for _, extra := range l.run.Extras() {
		if err := l.run.spend(len(extra)); err != nil {
			return err
		}
		text, err := compacted(extra)
		if err != nil {
			return fmt.Errorf("agent: an extra input: %w", err)
		}
		l.tell(l.mind.quote("message", text))
	}
	return nil
}

// allowed returns the verbs that the model may use now.
func (l *loop) allowed() []verb {
	out := []verb{}
	planning := l.planned && len(l.plan.items) == 0
	switch {
	case l.run.agent.Config.Steps-l.run.steps <= 1 || l.planned && l.plan.done():
		return []verb{doFinish}
	case planning:
		return []verb{doPlan}
	}
	if l.run.calls > 0 && len(l.run.kit) > 0 {
		out = append(out, doCall)
	}
	if l.planned {
		out = append(out, doPlan, doNext)
	}
	return append(out, doFinish)
}

// note describes the state of the work, for the end of a prompt.
func (l *loop) note(allowed []verb) string {
	text := ""
	if l.planned {
		text = l.plan.String()
	}
	if slices.Equal(allowed, []verb{doFinish}) {
		text += "Finish now."
	}
	return text
}
