package arbiter

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/voting"
)

// reads are those of accounts, also those of other programs.
type reads interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	Heads(ctx context.Context, account string, having ledger.Filter, offset, length int) ([]*ledger.Account, error)
}

// Arbiter decides disputes about outcomes of tasks of a program, and leaves all other cases to
// another judge. That one says in an appeal against a golden task whether a result is right.
type Arbiter struct {
	Chain   reads
	Program onchain.Address
	Others  judge.Judge
	Code    judge.Judge // makes the checks of questions that have some
	// Nodes gets content of at most so many bytes from memory nodes that a class names. Nil: none
	// is asked.
	Nodes func(ctx context.Context, nodes []string, hash [32]byte, most int) ([]byte, error)
}

// Evaluate implements judge.Judge. A dispute of MegaBrain is one that a task of the program names.
// Its terms are bytes that no court can read, so only cases whose terms are unreadable are looked
// for.
func (a Arbiter) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	if b.Task.Readable() {
		return a.Others.Evaluate(ctx, b)
	}
	dispute := onchain.Address(b.Case)
	var found []*ledger.Account
	for _, offset := range []int{brain.DisputeAt, brain.AppealAt} {
		more, err := a.Chain.Heads(ctx, "Task", ledger.Filter{Offset: offset, Bytes: dispute[:], Owner: a.Program}, 0, 1)
		if err != nil {
			return casefile.Opinion{}, fmt.Errorf("arbiter: look for the task of the dispute: %w", err)
		}
		found = append(found, more...)
	}
	if len(found) != 1 { // one: the address of a dispute follows from its task
		return a.Others.Evaluate(ctx, b)
	}
	all, _, err := a.Chain.Accounts(ctx, found[0].Address)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("arbiter: %w", err)
	}
	if all[0] == nil || all[0].Owner != a.Program {
		return a.Others.Evaluate(ctx, b)
	}
	t, err := brain.DecodeTask(all[0].Data)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("arbiter: %w", err)
	}
	if at, _, open := t.InCourt(); !open || at != dispute {
		return a.Others.Evaluate(ctx, b)
	}
	all, _, err = a.Chain.Accounts(ctx, t.Parties.Class)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("arbiter: %w", err)
	}
	if all[0] == nil {
		return casefile.Opinion{}, fmt.Errorf("arbiter: the task %s has no class", found[0].Address)
	}
	class, err := brain.DecodeClass(all[0].Data)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("arbiter: %w", err)
	}
	if t.Status != brain.Disputed {
		return a.appeal(ctx, b, t, class)
	}
	have := pieces(b.Result.Raw, b.Objection.Raw)
	for _, hash := range append(resultHashes(t), opinionHashes(t)...) {
		if content := b.Exhibits[hash]; content != nil {
			have[hash] = content
		}
	}
	if sha256.Sum256(b.Objection.Raw) == t.Finding.Evidence {
		have[t.Finding.Evidence] = b.Objection.Raw
	}
	return judged(t, class, b.Result.Raw, have), nil
}

// judged finds the outcome again, from the results that claim, answer or the court's nodes have,
// and from the documents of evaluators that the court's nodes have. A result that none of them has,
// or that is too large, is no effort: otherwise one worker that withholds its own would block each
// dispute. An evaluator whose document none has says nothing of results together.
func judged(t *brain.TaskAccount, class *brain.ClassAccount, claim []byte, have map[voting.Hash][]byte) casefile.Opinion {
	no := func(format string, args ...any) casefile.Opinion {
		return opinion(voting.Reject, fmt.Sprintf(format, args...))
	}
	r, err := ReadShowing(claim)
	if err != nil {
		return no("The claim does not show how the outcome was found: %v.", err)
	}
	if sha256.Sum256(r.Class) != class.ID {
		return no("The claim shows the document of another class.")
	}
	of, _, err := finding.ReadClass(r.Class)
	if err != nil {
		return no("The document of the class cannot be used: %v.", err)
	}
	results := make([][]byte, t.Counts.Drawn)
	for i, w := range t.Work[:t.Counts.Drawn] {
		if w.State == revealed {
			results[i] = have[w.ResultHash]
		}
	}
	documents := make([][]byte, t.Counts.Seated)
	for i, e := range t.Judges[:t.Counts.Seated] {
		documents[i] = have[e.EvaluationHash]
	}
	f, err := Assess(t, class.Parameters, of, results, documents)
	if err != nil {
		return no("The outcome cannot be found: %v.", err)
	}
	c := contest{t, class.Parameters, of, results, documents}
	if want := Conclusion(f, [32]byte{}); !Same(want, t.Counter) {
		if Same(want, t.Finding) || !c.follows(results, r.Heard, t.Counter) {
			return no("The claimant's outcome is not what follows from the results. %s", apart(want, t.Counter, t, f))
		}
		if c.posted(have[t.Finding.Evidence]) {
			return opinion(voting.Abstain, "Each outcome follows from what its side had of what evaluators say of results together, and neither from all of it. So neither counts.")
		}
		return opinion(voting.Accept, "The claimant's outcome follows from what the claimant had of what evaluators say of results together. The posted one follows neither from all of it, nor from what its poster shows.")
	}
	if c.bereft(have[t.Finding.Evidence]) {
		return opinion(voting.Abstain, "The claimant's outcome follows from what evaluators say of results together, and the posted one from what its poster had of that. So neither counts.")
	}
	return opinion(voting.Accept, "The claimant's outcome is what follows from the results; the posted one is not. "+apart(Conclusion(f, [32]byte{}), t.Finding, t, f))
}

// contest is a dispute with all that its judge has: results and documents of evaluators.
type contest struct {
	task               *brain.TaskAccount
	by                 brain.Parameters
	of                 finding.TaskClass
	results, documents [][]byte
}

// follows reports whether an outcome follows from these results and the documents of these
// evaluators, by their numbers.
func (c contest) follows(results [][]byte, heard []int, outcome brain.Conclusion) bool {
	some := make([][]byte, len(c.documents))
	for i, content := range c.documents {
		if slices.Contains(heard, i+1) {
			some[i] = content
		}
	}
	f, err := Assess(c.task, c.by, c.of, results, some)
	return err == nil && Same(Conclusion(f, [32]byte{}), outcome)
}

// posted reports whether the posted outcome follows from what its poster had, by the document that
// shows it.
func (c contest) posted(evidence []byte) bool {
	r, err := ReadShowing(evidence)
	if err != nil || sha256.Sum256(evidence) != c.task.Finding.Evidence {
		return false
	}
	shown, had := pieces(evidence), make([][]byte, len(c.results))
	for i, content := range c.results {
		if shown[c.task.Work[i].ResultHash] != nil {
			had[i] = content
		}
	}
	return c.follows(had, r.Heard, c.task.Finding)
}

// bereft reports whether the poster found what follows from what it had, and only documents of
// evaluators that it lacked say what the claimant says. Else an evaluator that withholds its
// document until a dispute would win the bond of the poster. Without votes such a task has no
// outcome. Who withholds a document, or leaves one out, brings about no worse.
func (c contest) bereft(evidence []byte) bool {
	if !c.posted(evidence) {
		return false
	}
	r, err := ReadShowing(evidence)
	return err == nil && !c.follows(c.results, r.Heard, c.task.Counter)
}

// apart says where an outcome first differs from what was found.
func apart(want, said brain.Conclusion, t *brain.TaskAccount, f finding.Assessment) string {
	for i := range t.Work[:t.Counts.Drawn] {
		if want.Facts[i] != said.Facts[i] {
			return fmt.Sprintf("Worker %d: %s.", i+1, f.Facts[i].Why)
		}
	}
	for i := range t.Judges[:t.Counts.Seated] {
		if want.Rubber[i] != said.Rubber[i] {
			return fmt.Sprintf("Evaluator %d: it stamps, %v.", i+1, f.Stamped[i])
		}
	}
	return ""
}

// method names how such opinions are formed.
const method = "megabrain-1"

func opinion(c voting.Choice, why string) casefile.Opinion {
	return casefile.Opinion{Choice: casefile.Choice(c), Summary: why, Model: method}
}
