package runs

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Proposed is a check program that a judge's model wrote for a point of a case, with two controls
// and what came of all three (protocol section 2).
type Proposed struct {
	JavaScript string `json:"javascript"`
	// Input stands in the place of the task's input_data for both controls. A task without
	// input_data has none.
	Input []json.RawMessage `json:"input,omitempty"`
	Right json.RawMessage   `json:"right"` // a result of which the program must say true
	Wrong json.RawMessage   `json:"wrong"` // and one of which it must say false
	Runs  []Run             `json:"runs"`  // on right, wrong and the result of the case, in this order
}

// What the runs of a proposal are of.
const (
	OfRight  = "right"
	OfWrong  = "wrong"
	OfResult = "result"
)

// The limits of a proposal. The opinion of a judge has at most MaxProposals.
const (
	MaxProposals = 4
	maxProposed  = 8 << 10 // bytes of the program
	maxControl   = 8 << 10 // bytes of the input, and of each control
)

// Written says which field is wrong, and why, apart from the runs; nothing if none is.
func (p *Proposed) Written() (field, problem string) {
	input := 0
	for _, raw := range p.Input {
		input += len(raw)
	}
	switch {
	case p.JavaScript == "" || len(p.JavaScript) > maxProposed:
		return "javascript", fmt.Sprintf("has %d bytes; a proposal has 1 to %d", len(p.JavaScript), maxProposed)
	case !utf8.ValidString(p.JavaScript):
		return "javascript", "is not UTF-8"
	case input > maxControl:
		return "input", fmt.Sprintf("has %d bytes; at most %d are allowed", input, maxControl)
	case len(p.Right) == 0 || len(p.Right) > maxControl:
		return "right", fmt.Sprintf("has %d bytes; 1 to %d are needed", len(p.Right), maxControl)
	case len(p.Wrong) == 0 || len(p.Wrong) > maxControl:
		return "wrong", fmt.Sprintf("has %d bytes; 1 to %d are needed", len(p.Wrong), maxControl)
	}
	return "", ""
}

// Problem is Written, and also looks at the runs.
func (p *Proposed) Problem() (field, problem string) {
	if field, problem := p.Written(); problem != "" {
		return field, problem
	}
	of := [...]string{OfRight, OfWrong, OfResult}
	if len(p.Runs) != len(of) {
		return "runs", fmt.Sprintf("has %d runs; %d are needed", len(p.Runs), len(of))
	}
	for i := range p.Runs {
		if field, problem := p.Runs[i].Problem(); problem != "" {
			return fmt.Sprintf("runs[%d].%s", i, field), problem
		}
		if p.Runs[i].Of != of[i] {
			return fmt.Sprintf("runs[%d].of", i), fmt.Sprintf("is %.40q; %q is needed", p.Runs[i].Of, of[i])
		}
	}
	return "", ""
}
