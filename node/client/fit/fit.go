// Package fit holds a result to what the code of a court will hold it to: its task's output_schema,
// demands and check programs.
package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge"
	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
)

// The classes of errors.
var (
	// ErrUnreadable means that a result is none that a judge can read: it is no canonical JSON, or
	// too long, or too deep. The court refuses it, whatever the task says.
	ErrUnreadable = errors.New("no judge can read the result")
	// ErrMisfit means that a result does not satisfy the output_schema of its task.
	ErrMisfit = errors.New("the result does not fit the task's output_schema")
	// ErrUnmet means that the result does not meet what the task expects of it.
	ErrUnmet = errors.New("the result does not meet what the task expects")
	// ErrRefuted means that a check program of the task says false of the result.
	ErrRefuted = errors.New("the result fails a check program of the task")
	// ErrSchema means that a result cannot be checked, because the task's output_schema is
	// unusable.
	ErrSchema = errors.New("the task's output_schema cannot be used")
	// ErrSilent means that a check says nothing of the result, or nothing at all.
	ErrSilent = errors.New("a check of the task says nothing")
)

// maxViolations bounds how many faults of a result an error names.
const maxViolations = 5

// Result checks a result against its task, both as documents.
func Result(ctx context.Context, task, result []byte, modules ...[]byte) (err error) {
	var prover proof.Prover
	defer func() { err = errors.Join(err, prover.Close(context.WithoutCancel(ctx))) }()
	return ResultBy(ctx, &prover, task, result, modules...)
}

// ResultBy is Result with a prover that many checks share.
func ResultBy(ctx context.Context, prover *proof.Prover, task, result []byte, modules ...[]byte) error {
	if read := judge.Open(casefile.HashOf(result), result, casefile.ParseResult); !read.Readable() {
		return fmt.Errorf("%w: %w", ErrUnreadable, cmp.Or(read.Err, judge.ErrMissing))
	}
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return fmt.Errorf("%w: the task's document: %w", ErrSchema, err)
	}
	s, err := judge.Compile(doc.Value.OutputSchema, judge.DefaultLimits())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	faults, err := s.Check(ctx, result)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSchema, err)
	}
	if len(faults) > 0 {
		texts := make([]string, len(faults))
		for i, fault := range faults {
			texts[i] = fault.String()
		}
		return fmt.Errorf("%w: %s", ErrMisfit, first(texts))
	}
	silent := demands(doc, result)
	if silent != nil && !errors.Is(silent, ErrSilent) {
		return silent
	}
	if err := programs(ctx, prover, doc, result, false, modules); err != nil {
		return err
	}
	return silent
}

// demands makes the checks that need neither a source nor a program.
func demands(task casefile.Doc[casefile.Task], raw []byte) error {
	result, err := casefile.ParseResult(raw)
	if err != nil {
		return err
	}
	papers, err := check.Read(task.Raw, result.Raw)
	if err != nil {
		return err
	}
	var faults, doubts []string
	for _, m := range check.Every(task.Value, papers) {
		text := fmt.Sprintf("expected[%d]: %s", m.Index, m.Detail)
		switch m.Outcome {
		case casefile.Fail:
			faults = append(faults, text)
		case casefile.Unknown:
			doubts = append(doubts, text)
		case casefile.Pass:
		}
	}
	switch {
	case len(faults) > 0:
		return fmt.Errorf("%w: %s", ErrUnmet, first(faults))
	case len(doubts) > 0:
		return fmt.Errorf("%w: %s", ErrSilent, first(doubts))
	}
	return nil
}

// first joins the first of several texts, and says how many there are besides.
func first(texts []string) string {
	out := strings.Join(texts[:min(len(texts), maxViolations)], "; ")
	if more := len(texts) - maxViolations; more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}
	return out
}

// Example checks a task by a result that is right: the result fits and meets every demand, and
// every check program says true of it, but not of results that say nothing.
func Example(ctx context.Context, task, result []byte, modules ...[]byte) (err error) {
	var prover proof.Prover
	defer func() { err = errors.Join(err, prover.Close(context.WithoutCancel(ctx))) }()
	if err := ResultBy(ctx, &prover, task, result, modules...); err != nil {
		return err
	}
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return err
	}
	return programs(ctx, &prover, doc, result, true, modules)
}

// programs runs the check programs of a task. If strict is set, one that looks at no result is an
// error, too.
func programs(ctx context.Context, prover *proof.Prover, task casefile.Doc[casefile.Task], raw []byte, strict bool, modules [][]byte) error {
	if !programmed(task.Value) {
		return nil
	}
	result, err := casefile.ParseResult(raw)
	if err != nil {
		return err
	}
	papers := proof.Papers{Task: task.Raw, Result: result.Raw, Modules: proof.ModulesOf(modules...)}
	var silent error
	for i, k := range task.Value.Expected {
		if k.Sealed != nil {
			if err := proof.There(result.Raw, k.Path); err != nil {
				return fmt.Errorf("%w: expected[%d], which is sealed: at %q: %w", ErrRefuted, i, k.Path, err)
			}
			silent = errors.Join(silent, fmt.Errorf("%w: expected[%d] is sealed; nobody but the creator can run it before a dispute", ErrSilent, i))
		}
		if !k.Runs() {
			continue
		}
		run, err := prover.Run(ctx, task.Value, i, papers)
		var place proof.ErrPlace
		var missing proof.ErrModule
		switch {
		case errors.Is(err, proof.ErrNoPython) && !strict:
			silent = errors.Join(silent, fmt.Errorf("%w: expected[%d]: %w", ErrSilent, i, err))
		case errors.As(err, &missing) && !strict:
			silent = errors.Join(silent, fmt.Errorf("%w: expected[%d]: %w", ErrSilent, i, missing))
		case errors.As(err, &place):
			return fmt.Errorf("%w: expected[%d]: at %q: %w", ErrRefuted, i, k.Path, place)
		case err != nil:
			return err
		case run.Said == runs.False:
			return fmt.Errorf("%w: expected[%d] says false: %s", ErrRefuted, i, run.Why)
		case run.Said == runs.None:
			silent = errors.Join(silent, fmt.Errorf("%w: expected[%d]: %s", ErrSilent, i, run.Why))
		case strict:
			hollow, err := prover.Hollow(ctx, task.Value, i, papers)
			if err != nil {
				return err
			}
			if hollow {
				return fmt.Errorf("%w: expected[%d] says true of an empty result, too", ErrSilent, i)
			}
			if k.Program == nil || len(k.Settles) == 0 {
				continue
			}
			vacuous, err := prover.Vacuous(ctx, task.Value, i, papers)
			if err != nil {
				return err
			}
			if vacuous {
				return fmt.Errorf("%w: expected[%d] says true of this result without its content, too (empty arrays and texts, numbers 0), so it would settle nothing; "+
					"have it look at how much there is, such as value.length > 0", ErrSilent, i)
			}
		}
	}
	return silent
}

// Modules gets the modules that a task's document names. Of one that cannot be got, Result says so.
func Modules(task []byte, get func(hash [32]byte) ([]byte, error)) (out [][]byte) {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return nil // Result says what is wrong
	}
	for _, hash := range doc.Value.Modules() {
		if raw, err := get(hash); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// Programmed reports whether a task's document has check programs.
func Programmed(task []byte) bool {
	doc, err := casefile.ParseTask(task)
	return err == nil && programmed(doc.Value)
}

func programmed(t casefile.Task) bool {
	return slices.ContainsFunc(t.Expected, func(k casefile.Check) bool { return k.Runs() || k.Sealed != nil })
}
