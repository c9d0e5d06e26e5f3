package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/check"
	"ojud/agent/judge/english"
	"ojud/agent/judge/signed"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/proof"
	"ojud/casefile/sealed"
	"ojud/schema"
	"ojud/voting"
)

// Code is the judge without a model. It decides the points that code can decide, names the rest,
// and abstains if the dispute is about the rest; Decide is its rule. Its opinion depends only on
// the case, not on time or place.
type Code struct {
	limits Limits
	prover *proof.Prover
}

var _ Judge = (*Code)(nil)

// NewCode returns the code judge. The limits must be valid.
func NewCode(l Limits) *Code { return &Code{limits: l, prover: &proof.Prover{}} }

// Prover returns what runs the check programs, so that others need not compile it again.
func (c *Code) Prover() *proof.Prover { return c.prover }

// Evaluate makes all checks. It asks only for the data that the task's expected checks name. When
// ctx ends, it stops within milliseconds in the schema check, and after the current check
// elsewhere.
func (c *Code) Evaluate(ctx context.Context, b Brief) (casefile.Opinion, error) {
	findings, err := c.findings(ctx, b)
	if err != nil {
		return casefile.Opinion{}, err
	}
	choice := Decide(findings)
	return casefile.Opinion{
		Choice: casefile.Choice(choice), Summary: summary(choice, findings, casefile.CodeChecks), Findings: fit(findings), Model: casefile.CodeChecks,
	}, nil
}

// facts are what code knows of a case.
type facts struct {
	english.Reading
	task     casefile.Task
	work     agentdata.Work
	papers   proof.Papers
	Schema   bool // the result satisfies a schema that refuses something, and says nothing in words
	Expected bool // it passes all of the expected checks
	trial    *trial
	changed  bool // data that a check reads decides nothing, because it was written too late
	sealed   sealed.Opened
	vacuous  []int // checks that pass and settle nothing
}

// decoded returns the documents beside a value. The task is canonical, because it was read.
func (f *facts) decoded() check.Papers {
	task, err := decode(f.papers.Task, casefile.MaxDocument)
	if err != nil {
		task = nil // a demand on it finds nothing there, and says so
	}
	return check.Papers{Task: task, Result: f.Doc}
}

// findings makes the checks in order.
func (c *Code) findings(ctx context.Context, b Brief) ([]casefile.Finding, error) {
	if b.Task.Err == nil && b.Task.Raw == nil {
		return []casefile.Finding{finding(instruction+"task", casefile.Unknown, "there is no task, so nothing can be judged", "task:")}, nil
	}
	if out, ok := challenged(b); ok {
		return out, nil
	}
	out := slices.Concat(concealed(b), steered(b), lookalikes(b), exhibits(b), signed.Findings(b.Task.Value.InputData, b.Parties), faults(b))
	if !b.Result.Readable() {
		return append(out, finding(specification+"result", casefile.Fail, unread(b.Result.Err), "result:")), nil
	}
	doc, err := decode(b.Result.Raw, casefile.MaxDocument)
	if err != nil {
		return append(out, finding(specification+"result", casefile.Fail, "the result is not JSON: "+err.Error(), "result:")), nil
	}
	if !b.Task.Readable() {
		return append(out, inspect(casefile.Task{}, english.Read(doc))), nil
	}
	b, seals := opened(b)
	f := facts{Reading: english.Read(doc), task: b.Task.Value, work: b.Work, sealed: seals, papers: proof.Papers{Task: b.Task.Raw, Result: b.Result.Raw, Modules: b.Modules}}
	out = append(out, inspect(f.task, f.Reading))
	for _, check := range []func(context.Context, *facts) []casefile.Finding{c.schema, c.expected, c.programs} {
		out = append(out, check(ctx, &f)...)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	out = append(out, instructions(f.task)...)
	out = append(out, c.data(ctx, b, &f)...)
	f.trial, f.Expected = c.trial(&f, out), f.passes(out)
	out = byChecks(out, &f)
	out = slices.Concat(out, f.shown(slices.Concat(c.typed(ctx, b.Objection, &f), c.grounds(ctx, b.Objection, &f))), c.answered(ctx, b.Counter, &f))
	return concede(out, b.Objection, f.task), nil
}

// passes reports whether the result passes all of the expected checks that were answered. One that
// no holder with a stake answers counts against the creator, who named the source: otherwise a
// creator makes a case undecidable by naming a source that only its own judge has. So a holder that
// answers some of the judges divides them. If data was written too late, code cannot tell: an owner
// that updates its prices every hour, and a worker that may write, would have garbage paid.
func (f *facts) passes(findings []casefile.Finding) bool {
	passed := 0
	for _, found := range findings {
		if found.Outcome == casefile.Pass && strings.HasPrefix(found.Check, specification+"expected[") || strings.HasPrefix(found.Check, unanswered+"expected[") {
			passed++
		}
	}
	return passed > 0 && passed == len(f.task.Expected) && !f.changed && !f.sealed.Lacks && len(f.sealed.Unsettled) == 0
}

// faults names the documents besides the result that are missing or cannot be read. The party that
// published a document bears the loss, because otherwise a party that sees that it loses could make
// a case undecidable. A brief without such a document is not of a case, and has no fault.
func faults(b Brief) (out []casefile.Finding) {
	for _, p := range []struct {
		name, publisher string
		err             error
	}{{"task", "creator", b.Task.Err}, {"objection", "creator", b.Objection.Err}, {"counter-objection", "worker", b.Counter.Err}} {
		switch {
		case p.err == nil:
		case errors.Is(p.err, ErrMissing):
			out = append(out, finding(faulty+p.name, casefile.Fail, fmt.Sprintf("no node has the %s; the %s must make it available", p.name, p.publisher), p.name+":"))
		default:
			out = append(out, finding(faulty+p.name, casefile.Fail, fmt.Sprintf("the %s published a %s that cannot be read: %v", p.publisher, p.name, p.err), p.name+":"))
		}
	}
	return out
}

// unread says why there is no result to judge. The worker must make the result available to the
// panel. Otherwise a hash of content that no node has would be worth half the reward.
func unread(err error) string {
	if err == nil || errors.Is(err, ErrMissing) {
		return "no node has the result; the worker must make it available"
	}
	return "the submitted content is not a result: " + err.Error()
}

// schema checks the result against output_schema. One that cannot be used fails no result.
func (c *Code) schema(ctx context.Context, f *facts) []casefile.Finding {
	s, err := Compile(f.task.OutputSchema, c.limits)
	if err != nil {
		return []casefile.Finding{finding(instruction+"schema", casefile.Unknown, err.Error(), "task:/output_schema")}
	}
	bad, err := s.Validate(ctx, f.Doc)
	switch {
	case err != nil:
		return []casefile.Finding{finding(instruction+"schema", casefile.Unknown, errSchema.Error()+": "+schema.Reason(err), "task:/output_schema")}
	case len(bad) > 0:
		var lines []string
		for _, v := range bad {
			lines = append(lines, clean(v.String()))
		}
		return []casefile.Finding{finding(specification+"schema", casefile.Fail, "the result does not satisfy output_schema: "+strings.Join(lines, "; "), "task:/output_schema", "result:")}
	case s.Idle:
		return []casefile.Finding{finding(note+"schema", casefile.Pass, "output_schema accepts every value, so it proves nothing that the result satisfies it", "task:/output_schema")}
	}
	f.Schema = s.Words == "" && s.UnknownFormat == ""
	return []casefile.Finding{finding(specification+"schema", casefile.Pass, "the result satisfies output_schema", "task:/output_schema", "result:")}
}

// expected makes the task's own checks.
func (c *Code) expected(_ context.Context, f *facts) (out []casefile.Finding) {
	class := map[casefile.CheckOutcome]string{casefile.Pass: specification, casefile.Fail: specification, casefile.Unknown: note}
	for _, m := range check.Every(f.task, f.decoded()) {
		out = append(out, finding(fmt.Sprintf("%sexpected[%d]", class[m.Outcome], m.Index), m.Outcome, m.Detail,
			fmt.Sprintf("task:/expected/%d", m.Index), "result:"+f.task.Expected[m.Index].Path))
	}
	return out
}

// summary names the choice and the finding that decided.
func summary(choice voting.Choice, findings []casefile.Finding, model string) string {
	by := "Code checks without a model: "
	if model != casefile.CodeChecks {
		by = "Code checks and " + model + ": "
	}
	const _ = uint(3 - voting.Choices) // the texts below know three endings
	why := "the task demands nothing that can be decided"
	open, missing, silent := "", "", ""
	for _, f := range findings {
		switch {
		case required(f) && f.Outcome == casefile.Fail:
			return clean(by + "rejected, because " + f.Detail)
		case f.Check == faulty+"counter-objection" && choice == voting.Reject:
			return clean(by + "rejected, because the objection is not answered: " + f.Detail)
		case strings.HasPrefix(f.Check, faulty) && choice == voting.Accept:
			return clean(by + "accepted, because " + f.Detail)
		case strings.HasPrefix(f.Check, unanswered):
			silent = " What counts against the creator: " + f.Detail
		case strings.HasPrefix(f.Check, specification) && f.Outcome == casefile.Unknown && choice == voting.Abstain:
			missing = f.Detail
		case open == "" && f.Outcome == casefile.Unknown && (strings.HasPrefix(f.Check, ground) || strings.HasPrefix(f.Check, instruction)):
			open = f.Detail
		}
		if strings.HasPrefix(f.Check, ground) && f.Outcome == casefile.Unknown {
			open = f.Detail // a disputed point matters more than an open one
		}
	}
	if missing != "" {
		return clean(by + "abstained, because " + missing)
	}
	if open != "" {
		why = "this is undecided: " + open
	}
	switch {
	case choice == voting.Abstain:
		return clean(by + "abstained, because " + why)
	case !isOpen(findings):
		if silent != "" {
			return clean(by + "accepted, because every other demand of the task was decided and holds." + silent)
		}
		if leftOpen(findings) {
			return clean(by + "accepted, because the objection is refuted. What it does not dispute was not decided, and does not count against the worker.")
		}
		return clean(by + "accepted, because every demand of the task was decided and holds.")
	}
	return clean(by + "accepted, because every demand that code can decide holds, and every ground of the objection is untrue." + silent)
}

// leftOpen reports whether a demand is undecided that the creator does not dispute.
func leftOpen(findings []casefile.Finding) bool {
	return slices.ContainsFunc(findings, func(f casefile.Finding) bool {
		return strings.HasPrefix(f.Check, undisputed) && f.Outcome == casefile.Unknown
	})
}

// isOpen reports whether a demand of the task is undecided.
func isOpen(findings []casefile.Finding) bool {
	return slices.ContainsFunc(findings, func(f casefile.Finding) bool { return required(f) && f.Outcome == casefile.Unknown })
}
