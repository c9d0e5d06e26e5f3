package generator

import (
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/golden"
	"ojud/voting"
)

// ErrFalse says that the generator makes something else than a leaf says.
var ErrFalse = errors.New("the leaf is false")

// Verify makes the dispute of a leaf again. The error wraps ErrFalse if the leaf does not say what
// its generator makes from its seed. Any other error means that this program cannot tell.
func Verify(l golden.Leaf) (Dispute, error) {
	g, err := Find(l.Generator)
	if err != nil {
		return Dispute{}, err
	}
	d, err := g.Make(l.Seed)
	if err != nil {
		return Dispute{}, err
	}
	for _, part := range []struct {
		name string
		says voting.Hash
		made []byte
	}{{"task", l.Task, d.Task}, {"result", l.Result, d.Result}, {"objection", l.Objection, d.Objection}, {"counter-objection", l.Counter, d.Counter}} {
		if made := casefile.HashOf(part.made); part.says != made {
			return d, fmt.Errorf("%w: its %s is %s, but the generator makes %s from its seed", ErrFalse, part.name, part.says, made)
		}
	}
	if l.Answer != d.Answer {
		return d, fmt.Errorf("%w: it answers %s, but %s is right: %s", ErrFalse, l.Answer, d.Answer, d.Proof.Why)
	}
	return d, nil
}
