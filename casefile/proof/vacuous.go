package proof

import (
	"context"
	"encoding/json"
	"errors"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
	"ojud/schema"
)

// Vacuous reports whether a check program that says true of a result says true of it without its
// content, too: each array empty, each text "", each number 0. It would pay for nothing. A result
// without an array may be right as it is, so that the program must also say true of another one:
// each text and number changed.
func (p *Prover) Vacuous(ctx context.Context, task casefile.Task, i int, papers Papers) (bool, error) {
	doc, err := schema.Limits{ValueBytes: casefile.MaxDocument, Depth: canon.MaxDepth, Values: casefile.MaxDocument}.Decode(papers.Result)
	if err != nil {
		return false, err
	}
	empty := emptied{text: func(string) string { return "" }, number: "0"}
	controls := []any{empty.of(doc)}
	if !empty.lists {
		controls = append(controls, (&emptied{text: func(s string) string { return s + "x" }, number: "-7.5"}).of(doc))
	}
	for _, control := range controls {
		raw, err := json.Marshal(control)
		if err != nil {
			return false, err
		}
		run, err := p.Run(ctx, task, i, Papers{Task: papers.Task, Result: raw, Modules: papers.Modules})
		if errors.As(err, new(ErrPlace)) {
			return false, nil // the check fails there
		}
		if err != nil || run.Said != runs.True {
			return false, err
		}
	}
	return true, nil
}

// emptied makes a value of the same shape.
type emptied struct {
	text   func(string) string
	number json.Number
	lists  bool // it had an array
}

func (e *emptied) of(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = e.of(member)
		}
		return out
	case []any:
		e.lists = true
		return []any{}
	case string:
		return e.text(v)
	case json.Number:
		return e.number
	}
	return v
}
