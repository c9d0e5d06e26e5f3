package trader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/judge"
	"ojud/agent/judge/check"
	"ojud/agent/model"
	"ojud/agent/work"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/ground"
	"ojud/casefile/proof"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/node/client/fit"
	"ojud/node/library"
	"ojud/voting"
)

// Bundle has the documents of a task so far. What is not there yet is nil.
type Bundle struct {
	Task, Result, Objection []byte
	Modules                 [][]byte // that the task names
	// Exhibits are contents that the objection names, such as the openings of sealed checks.
	Exhibits [][]byte
	Data     []agentdata.Reading // that the task names
	Reworks  uint8               // how often the worker worked again before this result
}

// Estimate is what an agent expects of the court.
type Estimate struct {
	Chance int    // percent that the court accepts the result
	Why    string // for the owner
	// Plea is what an answer to an objection may say for the result, and the agent holds it true;
	// empty: Why.
	Plea string
	Use  work.Use
	// Unheard says why the agent that judges was not heard, if models were asked in its place.
	Unheard error
}

// Assessor estimates what the court would say. A creator asks before it answers a result; then
// there is no objection yet. A worker asks before it answers an objection.
type Assessor interface {
	Assess(ctx context.Context, p Bundle) (Estimate, error)
}

// The chances that an Assessor by code and a judge gives, in percent.
const (
	certain  = 97 // code proves it
	probable = 85 // a judge with a model says it
	even     = 50
	whole    = 100
)

// Judges is an Assessor that asks what a judge of the court asks: first the checks of the task, by
// the same code, then a judge.
type Judges struct {
	code      *judge.Code
	ladder    *model.Ladder // nil: by code alone
	reasoning judge.Reasoning
	adviser   Thinker // an agent of a host; nil: none
}

// opinionTime bounds an opinion.
const opinionTime = 5 * time.Minute

// doubt is the objection about which a creator asks its judge.
const doubt = `{"reason":"The creator asks whether the result does all that the task asks."}`

// Assess implements Assessor.
func (j *Judges) Assess(ctx context.Context, p Bundle) (e Estimate, err error) {
	found, err := checked(ctx, j.code.Prover(), p)
	if err != nil || found.Chance <= whole-certain {
		return found, err
	}
	if hidden(p) {
		return Estimate{Chance: min(found.Chance, even), Why: "the objection opens a sealed check, and no node has given the opening"}, nil
	}
	creator := p.Objection == nil
	if creator && found.Chance == even && j.adviser != nil {
		said, unheard := j.advised(ctx, p, found)
		if unheard == nil || j.ladder == nil {
			return said, unheard
		}
		defer func() { e.Unheard = unheard }()
		found.Use = said.Use // the models of the settings are asked in its place
	}
	if creator && (found.Chance != even || j.ladder == nil) {
		return found, nil // code has decided, or cannot
	}
	if creator {
		p.Objection = []byte(doubt)
	}
	opinion, use, err := j.ask(ctx, p)
	use = work.Use{Tokens: use.Tokens + found.Use.Tokens, Micros: use.Micros + found.Use.Micros}
	found.Use = use
	if err != nil { // the estimate is that of code
		return found, fmt.Errorf("trader: the judge that was asked: %w", err)
	}
	const _ = uint(3 - voting.Choices) // an abstention leaves what code found
	switch choice := voting.Choice(opinion.Choice); {
	case choice == voting.Accept:
		return Estimate{Chance: max(found.Chance, probable), Why: words(opinion.Summary, found.Why), Use: use}, nil
	case choice == voting.Reject && opinion.Model == casefile.CodeChecks: // such as an opened check that says false
		return Estimate{Chance: whole - certain, Why: words(opinion.Summary, found.Why), Use: use}, nil
	case choice == voting.Reject && found.Chance == even:
		return Estimate{Chance: whole - probable, Why: words(opinion.Summary, found.Why), Use: use}, nil
	case choice == voting.Reject: // the checks pass, and something else is wrong
		return Estimate{Chance: even - 1, Why: words(opinion.Summary, found.Why), Plea: found.Why, Use: use}, nil
	}
	for _, f := range opinion.Findings { // an opened check may decide nothing alone, but the agent knows better now
		if f.Run != nil && f.Run.Said == runs.False {
			return Estimate{Chance: whole - probable, Why: words(f.Detail, found.Why), Use: use}, nil
		}
	}
	return found, nil
}

// maxWords bounds what a judge says, in characters.
const maxWords = 600

func words(said, otherwise string) string {
	said = strings.TrimRight(said, ". ")
	if said == "" {
		return otherwise
	}
	if text := []rune(said); len(text) > maxWords {
		return string(text[:maxWords-1]) + "…"
	}
	return said
}

// checked makes the checks of the task by code alone.
func checked(ctx context.Context, prover *proof.Prover, p Bundle) (Estimate, error) {
	err := fit.ResultBy(ctx, prover, p.Task, p.Result, p.Modules...)
	switch {
	case err == nil && hasChecks(p.Task):
		return Estimate{Chance: certain, Why: "the result satisfies the schema and every check of the task"}, nil
	case err == nil:
		return Estimate{Chance: even, Why: "the result satisfies the schema, and the task has no checks"}, nil
	case errors.Is(err, fit.ErrUnreadable) || errors.Is(err, fit.ErrMisfit) || errors.Is(err, fit.ErrUnmet) || errors.Is(err, fit.ErrRefuted):
		return Estimate{Chance: whole - certain, Why: err.Error()}, nil
	case errors.Is(err, fit.ErrSilent) || errors.Is(err, fit.ErrSchema):
		return Estimate{Chance: even, Why: err.Error()}, nil
	}
	return Estimate{}, err
}

func hasChecks(task []byte) bool {
	doc, err := casefile.ParseTask(task)
	return err == nil && len(doc.Value.Expected) > 0
}

// exhibits are the contents that the objection names, by their hashes.
func (p Bundle) exhibits() map[voting.Hash][]byte { return proof.ModulesOf(p.Exhibits...) }

// hidden reports whether the objection names the opening of a sealed check for this result, and the
// content is not here. Judges may have it.
func hidden(p Bundle) bool {
	task, err := casefile.ParseTask(p.Task)
	if err != nil {
		return false
	}
	here := p.exhibits()
	return slices.ContainsFunc(named(task.Value, p), func(h voting.Hash) bool { return here[h] == nil })
}

// named are the openings of sealed checks for this result that the objection names.
func named(task casefile.Task, p Bundle) (out []voting.Hash) {
	objection, err := casefile.ParseObjection(p.Objection)
	if err != nil {
		return nil
	}
	for _, e := range objection.Value.Evidence {
		if slices.Contains(sealed.Hashes(task, p.Reworks), e.SHA256) {
			out = append(out, voting.Hash(e.SHA256))
		}
	}
	return out
}

// ask puts a dispute before the judge. The answer to the objection is not written yet.
func (j *Judges) ask(ctx context.Context, p Bundle) (o casefile.Opinion, use work.Use, err error) {
	ctx, cancel := context.WithTimeout(ctx, opinionTime)
	defer cancel()
	deadline, _ := ctx.Deadline()
	b := judge.Brief{
		Case: voting.Key(casefile.HashOf(p.Task)), Round: 1, Judge: voting.Key{1}, Deadline: deadline, Evidence: evidence(p.Data),
		Task: judge.Open(casefile.HashOf(p.Task), p.Task, casefile.ParseTask), Result: judge.Open(casefile.HashOf(p.Result), p.Result, casefile.ParseResult),
		Objection: judge.Open(casefile.HashOf(p.Objection), p.Objection, casefile.ParseObjection),
		Exhibits:  p.exhibits(), Reworks: p.Reworks, Modules: proof.ModulesOf(p.Modules...),
	}
	answer, err := library.Argue("The result does what the task asks.", nil, nil)
	if err != nil {
		return o, use, err
	}
	b.Counter = judge.Open(answer.Hash, answer.Content, casefile.ParseCounterObjection)
	if j.ladder == nil {
		o, err = j.code.Evaluate(ctx, b)
		return o, use, err
	}
	session := j.ladder.Session(j.ladder.Budget())
	reasoner, err := judge.NewReasoner(j.code, j.reasoning, judge.ReasonerDeps{Model: func() agent.Model { return session }})
	if err != nil {
		return o, use, err
	}
	o, err = reasoner.Evaluate(ctx, b)
	return o, used(session.Usage()), err
}

// maxGrounds bounds the grounds of a pleading that an agent writes.
const maxGrounds = 8

// grounds returns typed grounds about a result that code finds true: with wrong, what the checks of
// the task miss, and otherwise what they find. A check that code cannot make gives none.
func grounds(ctx context.Context, prover *proof.Prover, p Bundle, wrong bool) (out []ground.Ground, err error) {
	task, err := casefile.ParseTask(p.Task)
	if err != nil {
		return nil, err
	}
	papers, err := check.Read(p.Task, p.Result)
	if err != nil {
		return nil, err
	}
	places := check.In(papers.Result, papers)
	want := map[bool]casefile.CheckOutcome{true: casefile.Fail, false: casefile.Pass}[wrong]
	for _, k := range task.Value.Expected {
		if k.Data != nil || k.Sealed != nil {
			continue
		}
		for _, one := range single(k) {
			if outcome, _ := places.Make(one.check); outcome == want {
				out = append(out, one.ground)
			}
		}
		called, err := calls(ctx, prover, task.Value, k, p, wrong)
		if err != nil {
			return nil, err
		}
		out = append(out, called...)
	}
	return out[:min(len(out), maxGrounds)], nil
}

// pair is a check with one demand, and the ground that says the same.
type pair struct {
	check  casefile.Check
	ground ground.Ground
}

// single divides a check into demands that a ground can say.
func single(k casefile.Check) (out []pair) {
	add := func(one casefile.Check, kind ground.Comparison, expected any) {
		raw, err := json.Marshal(expected)
		g := ground.Ground{Pointer: k.Path, Kind: kind, Expected: raw}
		if field, _ := ground.Check([]ground.Ground{g}); err == nil && field == "" {
			one.Path = k.Path
			out = append(out, pair{one, g})
		}
	}
	if len(k.Equals) > 0 {
		add(casefile.Check{Equals: k.Equals}, ground.Value, k.Equals)
	}
	if k.Count != nil {
		add(casefile.Check{Count: k.Count}, ground.Count, *k.Count)
	}
	if k.Lines != nil {
		add(casefile.Check{Lines: k.Lines}, ground.Lines, *k.Lines)
	}
	if k.Contains != nil {
		add(casefile.Check{Contains: k.Contains}, ground.Contains, *k.Contains)
	}
	return out
}

// calls makes the tests of a check one by one.
func calls(ctx context.Context, prover *proof.Prover, task casefile.Task, k casefile.Check, p Bundle, wrong bool) (out []ground.Ground, err error) {
	if k.Tests == nil {
		return nil, nil
	}
	want := map[bool]runs.Said{true: runs.False, false: runs.True}[wrong]
	for _, call := range k.Tests.JavaScript {
		if len(out) == ground.MaxCounterexamples {
			break
		}
		g := ground.Ground{Pointer: k.Path, Kind: ground.Returns, Expected: call.Returns, Counterexample: &ground.Counterexample{Function: call.Function, Args: call.Args}}
		if field, _ := ground.Check([]ground.Ground{g}); field != "" || len(call.Within) > 0 && !wrong {
			continue // a ground has no tolerance, so that an answer within one is not what it says
		}
		alone := task
		alone.Expected = []casefile.Check{{Path: k.Path, Tests: &runs.Tests{JavaScript: []runs.TestCall{call}}}}
		run, err := prover.Run(ctx, alone, 0, proof.Papers{Task: p.Task, Result: p.Result})
		var place proof.ErrPlace
		if errors.As(err, &place) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if run.Said == want {
			out = append(out, g)
		}
	}
	return out, nil
}

// pleading writes an objection (wrong) or an answer to one, with typed grounds.
func pleading(ctx context.Context, prover *proof.Prover, p Bundle, why string, wrong bool) (library.Document, error) {
	grounds, err := grounds(ctx, prover, p, wrong)
	if err != nil {
		grounds = nil // a result that is no JSON has no places
	}
	sentence := "The result does what the task asks: "
	if wrong {
		sentence = "The result does not do what the task asks: "
	}
	return library.Argue(sentence+words(why, "see the grounds")+".", nil, nil, grounds...)
}
