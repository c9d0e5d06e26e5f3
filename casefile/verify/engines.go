//go:build !plain

package verify

import (
	"context"
	"errors"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/golden"
	"ojud/golden/generator"
)

// newRunner returns what runs the check program i of a task on a result, and what ends it. The
// second value of a run says why nothing stands at the check's path in the result.
func newRunner() (run func(task casefile.Task, i int, rawTask, rawResult []byte) (casefile.Run, error, error), end func() error) {
	var prover proof.Prover
	run = func(task casefile.Task, i int, rawTask, rawResult []byte) (casefile.Run, error, error) {
		ran, err := prover.Run(context.Background(), task, i, proof.Papers{Task: rawTask, Result: rawResult})
		var place proof.ErrPlace
		if errors.As(err, &place) {
			return ran, place, nil
		}
		return ran, nil, err
	}
	return run, func() error { return prover.Close(context.Background()) }
}

// demanded makes the demands of a task on a result again.
func demanded(task casefile.Doc[casefile.Task], result []byte) (out []demand, err error) {
	papers, err := check.Read(task.Raw, result)
	if err != nil {
		return nil, err
	}
	for _, m := range check.Every(task.Value, papers) {
		out = append(out, demand{m.Index, m.Outcome, m.Detail})
	}
	return out, nil
}

// again makes the golden case of a leaf again, and says why its answer is right. untrue: the error
// says how the leaf differs from what its generator makes.
func again(l golden.Leaf) (why string, untrue bool, err error) {
	d, err := generator.Verify(l)
	return d.Proof.Why, errors.Is(err, generator.ErrFalse), err
}
