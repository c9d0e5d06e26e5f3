package judge

import (
	"context"
	"errors"

	"ojud/agent"
	"ojud/agent/judge/class"
	"ojud/agent/judge/memory"
)

// Means are what a Reasoner works with. Only Model has to be there.
type Means struct {
	// Model gives the model for one evaluation, with a budget of its own.
	Model func() agent.Model
	// Manner gives the way of looking at tasks of a class. nil: in no special way.
	Manner func(class.Class) Manner
	// Memory finds what the judge learned from earlier cases. nil: nothing.
	Memory Memory
	// Marks gives the marks of one evaluation. nil: Drawn.
	Marks func(Brief) Marks
}

// Manner is a way of looking at cases (a persona): trusted text of the node's owner, a part of the system prompt.
type Manner struct {
	Name, Text string
	Dimension  string // what it has an eye on; the opinion says it
}

// Memory finds what a judge learned from its earlier cases (package memory). What it returns may quote strangers. It returns soon after ctx is done.
type Memory interface {
	Recall(ctx context.Context, c memory.Cue) ([]memory.Memory, error)
}

var errNoModel = errors.New("judge: a judge that reasons needs a model")

// filled puts what nobody gave.
func (m Means) filled() (Means, error) {
	if m.Model == nil {
		return m, errNoModel
	}
	if m.Manner == nil {
		m.Manner = func(class.Class) Manner { return Manner{} }
	}
	if m.Marks == nil {
		m.Marks = Drawn
	}
	return m, nil
}
