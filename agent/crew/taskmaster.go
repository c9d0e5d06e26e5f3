package crew

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"ojud/agent"
)

// part is a part of the work of a taskmaster.
type part struct {
	ID     string   `json:"id"`
	Task   string   `json:"task"`
	Accept string   `json:"accept"` // when it is done well
	Needs  []string `json:"needs"`  // ids of parts whose results it gets

	result string
	state  string // empty, or one of these
}

// The states of a part that is over.
const (
	accepted = "accepted"
	refused  = "refused" // the last result was not accepted
	skipped  = "skipped" // a part that it needs was not accepted
)

// tries bounds the plans of a taskmaster, and the results of a part.
const tries = 2

const partsForm = `{"type":"object","properties":{"parts":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"object","properties":{` +
	`"id":{"type":"string","pattern":"^[a-z0-9-]{1,32}$"},"task":{"type":"string","minLength":1,"maxLength":1000},"accept":{"type":"string","maxLength":1000},` +
	`"needs":{"type":"array","maxItems":8,"items":{"type":"string"}}},"required":["id","task","accept","needs"],"additionalProperties":false}}},"required":["parts"],"additionalProperties":false}`

// taskmaster divides an order into parts, gives each to a worker with the results that it needs,
// checks what comes back, lets it be done again once with the reason, and puts the results
// together.
func taskmaster(b *builder) agent.Body {
	b.role(master, "You divide an order into parts, each of which one worker can do alone. Say of each which others it needs, and when it is done well.", json.RawMessage(partsForm), false)
	b.role(worker, "You do one part of a larger work. You know only this part and the results that it needs.", resultForm, true)
	b.role(critic, "You check the result of one part by its criterion alone.",
		json.RawMessage(`{"type":"object","properties":{"accepted":{"type":"boolean"},"why":{"type":"string"}},"required":["accepted","why"],"additionalProperties":false}`), false)
	b.finish()
	return func(_ context.Context, r *agent.Run) (json.RawMessage, error) {
		s := shift{r}
		parts, err := s.divide()
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if err := s.part(p, parts); err != nil {
				return nil, err
			}
		}
		type outcome struct {
			Task   string `json:"task"`
			State  string `json:"state"`
			Result string `json:"result"`
		}
		all := []outcome{}
		for _, p := range parts {
			all = append(all, outcome{p.Task, p.state, p.result})
		}
		return s.result(map[string]any{"order": r.Input(), "parts": all})
	}
}

// divide returns the parts in an order in which each comes after those that it needs.
func (s shift) divide() ([]*part, error) {
	fault := ""
	for range tries {
		var plan struct{ Parts []*part }
		if err := s.ask(master, "How is the work divided?", nil, map[string]any{"order": s.Input(), "fault": fault, "messages": s.messages()}, &plan); err != nil {
			return nil, err
		}
		parts, why := inOrder(plan.Parts)
		if why == "" {
			return parts, nil
		}
		fault = why
	}
	return nil, failed{master, fault}
}

// inOrder sorts parts so that each comes after those that it needs, or says why that is impossible.
func inOrder(parts []*part) (out []*part, fault string) {
	has := func(list []*part, id string) bool {
		return slices.ContainsFunc(list, func(p *part) bool { return p.ID == id })
	}
	for i, p := range parts {
		if has(parts[:i], p.ID) {
			return nil, fmt.Sprintf("two parts have the id %s", p.ID)
		}
		for _, id := range p.Needs {
			if !has(parts, id) {
				return nil, fmt.Sprintf("the part %s needs %.40q, and there is no such part", p.ID, id)
			}
		}
	}
	for len(out) < len(parts) {
		before := len(out)
		for _, p := range parts {
			if !has(out, p.ID) && !slices.ContainsFunc(p.Needs, func(id string) bool { return !has(out, id) }) {
				out = append(out, p)
			}
		}
		if len(out) == before {
			return nil, "some parts need each other in a circle"
		}
	}
	return out, ""
}

// part does one part.
func (s shift) part(p *part, all []*part) error {
	needs, plan := map[string]string{}, []string{}
	for _, o := range all {
		if plan = append(plan, o.Task); !slices.Contains(p.Needs, o.ID) {
			continue
		}
		if needs[o.ID] = o.result; o.state != accepted {
			p.state, p.result = skipped, "it needs "+o.ID+", which was not accepted"
			return nil
		}
	}
	fault := ""
	for range tries {
		var err error
		if p.result, err = s.work(p.Task, plan, map[string]any{"task": p.Task, "accept": p.Accept, "needs": needs, "fault": fault}); err != nil {
			return err
		}
		var v struct {
			Accepted bool
			Why      string
		}
		if err := s.ask(critic, "Is it done well?", nil, map[string]any{"task": p.Task, "accept": p.Accept, "result": p.result}, &v); err != nil {
			return err
		}
		if p.state = refused; v.Accepted {
			p.state = accepted
			return nil
		}
		fault = short(v.Why)
	}
	return nil
}
