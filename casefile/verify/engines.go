//go:build !plain

package verify

import (
	"context"
	"encoding/json"
	"errors"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/voting"
)

// runner makes runs again. The second value of a run says why nothing stands at its path in the
// result.
type runner struct{ prover *proof.Prover }

func newRunner() runner { return runner{&proof.Prover{}} }

// end ends the runner.
func (r runner) end() error { return r.prover.Close(context.Background()) }

// program runs the check program i of a task on a result.
func (r runner) program(task casefile.Task, i int, rawTask, rawResult []byte, modules map[voting.Hash][]byte) (runs.Run, error, error) {
	run, err := r.prover.Run(context.Background(), task, i, proof.Papers{Task: rawTask, Result: rawResult, Modules: modules})
	return placed(run, err)
}

// counterexample makes the call of a ground.
func (r runner) counterexample(task casefile.Task, pleading string, i int, g ground.Ground, rawResult []byte) (runs.Run, error, error) {
	run, err := r.prover.Counterexample(context.Background(), task, pleading, i, g, rawResult)
	return placed(run, err)
}

// proposal makes the runs of a program that a model proposed.
func (r runner) proposal(p runs.Proposed, rawTask, rawResult, objection, counter []byte) (runs.Proposed, string, error) {
	return r.prover.Propose(context.Background(), p, proof.Papers{Task: rawTask, Result: rawResult}, proof.Sides{Objection: objection, Counter: counter})
}

// placed takes the errors apart.
func placed(run runs.Run, err error) (_ runs.Run, nothing, fault error) {
	var place proof.ErrPlace
	if errors.As(err, &place) {
		return run, place, nil
	}
	var missing proof.ErrModule
	if errors.As(err, &missing) {
		return run, nil, errors.Join(errNoModule, missing)
	}
	if errors.Is(err, proof.ErrNoPython) {
		return run, nil, errNoPython
	}
	return run, nil, err
}

// demanded makes the demands of a task on a result again. The papers are for those on data.
func demanded(task casefile.Doc[casefile.Task], result []byte) (out []demand, p papers, err error) {
	if p.Papers, err = check.Read(task.Raw, result); err != nil {
		return nil, p, err
	}
	for _, m := range check.Every(task.Value, p.Papers) {
		out = append(out, demand{m.Index, m.Outcome, m.Detail})
	}
	return out, p, nil
}

// papers are a task and a result for its demands on data.
type papers struct{ check.Papers }

// question completes a request with parts of the result.
func (p papers) question(l casefile.Lookup) (json.RawMessage, error) {
	return check.Question(l, p.Papers)
}

// answered makes a check on the answer of a source.
func (p papers) answered(k casefile.Check, content []byte) (casefile.CheckOutcome, string) {
	return check.Answer(content, p.Papers).Make(k)
}

// again makes the golden case of a leaf again, and says why its answer is right. untrue: the error
// says how the leaf differs from what its generator makes.
func again(l golden.Leaf) (why string, untrue bool, err error) {
	d, err := generator.Verify(l)
	return d.Proof.Why, errors.Is(err, generator.ErrFalse), err
}
