// Package guide proposes the checks that fit a task: what code can decide about its results, so
// that no reader has to.
//
// It looks at the task's schema, instruction and input, and at an example of a right result if
// there is one. It proposes nothing that the example does not meet. Without an example it goes by
// names, formats and words of the instruction, and the creator has to look whether a proposal says
// what he means.
package guide

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/demand"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
)

// Proposal is a check with the reason why it fits.
type Proposal struct {
	Check   casefile.Check `json:"check"`
	Because string         `json:"because"`
}

// maxProposals is how many checks are proposed: a creator reads them.
const maxProposals = 24

// Propose proposes checks that a task does not have yet, both as documents. The example is a right
// result; without one it is nil. The prover runs the parsers of the engine on the
// example; if it is nil, there is one for this call.
func Propose(ctx context.Context, prover *proof.Prover, document, example []byte) (_ []Proposal, err error) {
	task, err := casefile.ParseTask(document)
	if err != nil {
		return nil, err
	}
	if prover == nil {
		prover = &proof.Prover{}
		defer func() { err = errors.Join(err, prover.Close(context.WithoutCancel(ctx))) }()
	}
	g := &guide{task: task.Value, ctx: ctx, prover: prover}
	var schema any
	if err = json.Unmarshal(task.Value.OutputSchema, &schema); err != nil {
		return nil, err
	}
	if example == nil {
		example = []byte("null")
	} else {
		result, err := casefile.ParseResult(example)
		if err != nil {
			return nil, err
		}
		g.shown, example, g.example = true, result.Raw, result.Raw
	}
	if g.papers, err = check.Read(task.Raw, example); err != nil {
		return nil, err
	}
	shape := described(schema, 0)
	if g.shown {
		shape = shapeOf(g.papers.Result, 0)
	}
	for _, p := range places(shape, "", nil) {
		for _, rule := range []func(*guide, place){(*guide).unique, (*guide).sorted, (*guide).set, (*guide).dates, (*guide).url, (*guide).words, (*guide).image, (*guide).translation, (*guide).parses, (*guide).language} {
			rule(g, p)
		}
	}
	g.grounded()
	return g.fitting(), nil
}

// guide collects proposals.
type guide struct {
	task      casefile.Task
	papers    check.Papers
	shown     bool // there is an example
	proposals []Proposal

	ctx     context.Context // of the parsers
	prover  *proof.Prover
	example []byte
}

// propose adds a proposal at a place.
func (g *guide) propose(p place, d demand.Demands, because string) {
	if p.list && d.Sorted == nil && d.Unique == nil && d.Set == nil && d.Translation == nil {
		d.Each = &p.by
	}
	g.proposals = append(g.proposals, Proposal{Check: casefile.Check{Path: p.path, Demands: d}, Because: because})
}

// fitting returns the proposals that make a valid task, that the task lacks, and that the example
// meets.
func (g *guide) fitting() (out []Proposal) {
	for _, p := range g.proposals {
		t := g.task
		t.Expected = []casefile.Check{p.Check}
		if _, err := casefile.NewTask(t); err != nil || slices.ContainsFunc(g.task.Expected, p.stands) {
			continue
		}
		if g.shown {
			detail, met := g.meets(t)
			if !met {
				continue
			}
			p.Because += "; of the example: " + detail
		}
		out = append(out, p)
	}
	return out[:min(len(out), maxProposals)]
}

// meets makes the only check of a task on the example. What needs an interpreter that is not here
// is not met.
func (g *guide) meets(t casefile.Task) (detail string, met bool) {
	if !t.Expected[0].Runs() {
		made := check.Every(t, g.papers)
		return made[0].Detail, made[0].Outcome == casefile.Pass
	}
	run, err := g.prover.Run(g.ctx, t, 0, proof.Papers{Task: []byte("null"), Result: g.example})
	return "it parses", err == nil && run.Said == runs.True
}

// stands reports whether a check of the task makes the proposed demand at this place.
func (p Proposal) stands(k casefile.Check) bool {
	d := p.Check.Demands
	if k.Path != p.Check.Path || k.Data != nil || d.Each != nil && (k.Each == nil || *k.Each != *d.Each) {
		return false
	}
	return d.Sorted != nil && k.Sorted != nil && *k.Sorted == *d.Sorted || d.Unique != nil && k.Unique != nil && *k.Unique == *d.Unique ||
		d.Set != nil && k.Set != nil && k.Set.By == d.Set.By || d.Dates != nil && k.Dates != nil || d.URL != nil && k.URL != nil ||
		d.Pattern != nil && k.Pattern != nil || d.Words != nil && k.Words != nil || d.Media != nil && k.Media != nil ||
		d.Translation != nil && k.Translation != nil || d.Parses != nil && k.Parses != nil || d.Language != nil && k.Language != nil || d.Grounded != nil && k.Grounded != nil
}

// place is where checks can look: a value, or a part of each item of a list.
type place struct {
	path, by, name string
	list           bool
	kind, format   string
	values         []any // of the example
}

// shape is what a schema or an example says of a value.
type shape struct {
	kind, format string // string, number, object, array, or nothing
	members      map[string]*shape
	item         *shape
	value        any
	items        []any
}

const maxDepth = 8

// described reads a schema, in the short form or as JSON Schema.
func described(schema any, depth int) *shape {
	switch s := schema.(type) {
	case string:
		return &shape{kind: kindOf(s)}
	case []any:
		if len(s) == 1 && depth < maxDepth {
			return &shape{kind: "array", item: described(s[0], depth+1)}
		}
	case map[string]any:
		kind, typed := s["type"].(string)
		properties, full := s["properties"].(map[string]any)
		if depth >= maxDepth {
			break
		}
		if !typed && !full {
			return object(s, depth)
		}
		out := &shape{kind: cmp.Or(kindOf(kind), "object")}
		out.format, _ = s["format"].(string)
		if full {
			out.members = object(properties, depth).members
		}
		if item, ok := s["items"]; ok {
			out.item = described(item, depth+1)
		}
		return out
	}
	return &shape{}
}

func kindOf(name string) string {
	switch name {
	case "integer":
		return "number"
	case "string", "number", "object", "array":
		return name
	}
	return ""
}

func object(members map[string]any, depth int) *shape {
	out := &shape{kind: "object", members: map[string]*shape{}}
	for name, m := range members {
		out.members[name] = described(m, depth+1)
	}
	return out
}

// shapeOf reads an example. The members of the items of a list are those that each item has.
func shapeOf(v any, depth int) *shape {
	out := &shape{value: v}
	switch v := v.(type) {
	case string:
		out.kind = "string"
	case json.Number:
		out.kind = "number"
	case []any:
		out.kind, out.items = "array", v
		if len(v) > 0 && depth < maxDepth {
			out.item = shapeOf(v[0], depth+1)
			for name := range out.item.members {
				if slices.ContainsFunc(v, func(item any) bool { o, ok := item.(map[string]any); return !ok || o[name] == nil }) {
					delete(out.item.members, name)
				}
			}
		}
	case map[string]any:
		out.kind, out.members = "object", map[string]*shape{}
		for name, m := range v {
			if depth < maxDepth {
				out.members[name] = shapeOf(m, depth+1)
			}
		}
	}
	return out
}
