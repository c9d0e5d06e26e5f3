package console

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
)

// thoughtPage is what the page of a task of MegaBrain shows.
type thoughtPage struct {
	thoughtRow
	Next, About string
	Lacks       string            // why the question is not here
	Whole       []picture.Passage // a question that is too long for the head of the page
	Figures     []figure
	Steps       []thoughtStep
	Meaning     string // which fields carry the meaning, in words
	Plane       meaningPlane
	Workers     []thinker
	Evaluators  []scorer
	Heads       []int // numbers of the workers, for the table of scores
	Terms       []figure
	Money       []purse
	Outcome     string
	Found       string
	FoundBad    bool
	Court       string
	CourtMark   string
	Evidence    string
}

// longQuestion is from how many bytes on the head of a page shows only the beginning of a question.
const longQuestion = 400

// thoughtStep is a phase of the task: done, now or next.
type thoughtStep struct{ Name, Note, State string }

// thinker is a worker with its result.
type thinker struct {
	Number                            int
	Key, Short, State                 string
	Said                              string // what the outcome says of it
	Mark                              string
	Summary, Hash                     string
	Result                            []picture.Passage
	Score, Mean, Complete, Paid, Lost string
	Committed                         string
}

// scorer is an evaluator with its scores.
type scorer struct {
	Number                                   int
	Key, Short, State, Reputation, Rationale string
	Says                                     []mark // one for each worker
	Stamped                                  bool
	Paid, Lost                               string
}

// mark is a score in a table.
type mark struct{ Score, Sure, Words string }

// purse is a pool with what was paid of it.
type purse struct {
	Name, Amount, Paid string
	Share              float64 // of the pool, in percent
	Class              string
}

// thoughtFrom puts the page of a task together.
func thoughtFrom(d brainview.Detail) thoughtPage {
	is := phaseOf(d.Stage())
	p := thoughtPage{thoughtRow: thoughtOf(d.Outline, d.Now), Next: is.next, About: picture.Line(d.About)}
	p.Figures = []figure{
		{"budget", p.Budget}, {"results", fmt.Sprintf("%d of %d", d.Submitted, max(len(d.Seats), d.Workers))},
		{"evaluators that scored", fmt.Sprintf("%d of %d", d.Evaluated, max(len(d.Jury), d.Evaluators))},
		{"paid", onchain.SOL(uint64(d.Paid))}, {"slashed", onchain.SOL(uint64(d.Slashed))},
	}
	p.Lacks = picture.Line(d.Lacks)
	if raw, err := json.Marshal(d.Question); err == nil && len(d.Question) > longQuestion {
		p.Whole = picture.Passages(raw)
	}
	p.Steps = stepsOf(d)
	p.Meaning = fieldsOf(d)
	best := dominant(d)
	for i, s := range d.Seats {
		p.Workers = append(p.Workers, thinkerOf(i+1, s, best, d.Over))
		p.Heads = append(p.Heads, i+1)
	}
	for i, s := range d.Jury {
		p.Evaluators = append(p.Evaluators, scorerOf(i+1, s, len(d.Seats), d.Over))
	}
	p.Plane = planeOf(d, best)
	p.terms(d)
	p.outcome(d)
	p.court(d)
	return p
}

// dominant is the cluster that is paid, or the largest one: the number of its first worker. 0 is
// none.
func dominant(d brainview.Detail) int {
	sizes := map[int]int{}
	for _, s := range d.Seats {
		if s.Inside && s.Cluster > 0 {
			return s.Cluster
		}
		if s.Cluster > 0 && s.CopyOf == 0 && !s.LowEffort {
			sizes[s.Cluster]++
		}
	}
	best := 0
	for cluster, n := range sizes {
		if n > 1 && (best == 0 || n > sizes[best] || n == sizes[best] && cluster < best) {
			best = cluster
		}
	}
	return best
}

func thinkerOf(number int, s brainview.WorkPlace, best int, over bool) thinker {
	t := thinker{Number: number, Key: s.Worker, Short: ends(s.Worker), State: s.State, Summary: picture.Line(s.Summary), Hash: s.Hash, Mark: "abstain"}
	if s.Committed > 0 {
		t.Committed = picture.Clock(s.Committed)
	}
	if s.Result != nil {
		t.Result = picture.Passages(s.Result)
	}
	if s.Rated > 0 {
		t.Mean = hundredths(s.Mean)
	}
	switch {
	case s.State == "absent":
		t.Said, t.Mark = "handed in nothing", "reject"
	case s.State != "revealed":
		t.Said, t.Mark = map[string]string{"drawn": "works", "committed": "committed to a result"}[s.State], "open"
	case !s.Facts:
		t.Said, t.Mark = "handed in a result", "open"
	case s.CopyOf > 0:
		t.Said, t.Mark = fmt.Sprintf("a copy of the result of worker %d", s.CopyOf), "reject"
	case s.LowEffort:
		t.Said, t.Mark = "no effort", "reject"
	case s.Cluster == 0:
		t.Said = "means what no other means, or contradicts"
	case s.Cluster == best:
		t.Said, t.Mark = "in the cluster of most", "accept"
	default:
		t.Said = "means something else"
	}
	if s.Facts && s.Complete < 10_000 && s.State == "revealed" {
		t.Complete = hundredths(s.Complete) + " % complete"
	}
	if over {
		t.Score, t.Paid, t.Lost = hundredths(s.Score), lamports(uint64(s.Paid)), lamports(uint64(s.Slashed))
		if !s.Inside {
			t.Score = ""
		}
	}
	return t
}

func scorerOf(number int, s brainview.ScoreSeat, workers int, over bool) scorer {
	e := scorer{
		Number: number, Key: s.Evaluator, Short: ends(s.Evaluator), State: s.State, Reputation: hundredths(s.Reputation) + " %", Rationale: picture.Line(s.Rationale),
		Stamped: s.Stamped, Says: make([]mark, workers),
	}
	for _, r := range s.Says {
		if r.Worker >= 1 && r.Worker <= workers {
			e.Says[r.Worker-1] = mark{fmt.Sprint(r.Score), fmt.Sprintf("%d %%", r.Confidence), remarked(r)}
		}
	}
	if over {
		e.Paid, e.Lost = lamports(uint64(s.Paid)), lamports(uint64(s.Slashed))
	}
	return e
}

// maxTitle bounds what the title of a score says, in characters.
const maxTitle = 300

// remarked says what an evaluator says of a result: score, rationale and corrections.
func remarked(r brainview.Remark) string {
	text := fmt.Sprintf("%d of 100 points, with a confidence of %d %%", r.Score, r.Confidence)
	if r.Rationale != "" {
		text += ": " + picture.Line(r.Rationale)
	}
	for _, c := range r.Corrections {
		text += "; to correct: " + picture.Line(string(c))
	}
	if len(r.SameAs) > 0 {
		text += "; means the same: " + picture.Line(strings.Join(r.SameAs, ", "))
	}
	if all := []rune(text); len(all) > maxTitle {
		text = string(all[:maxTitle]) + "…"
	}
	return text
}

// hundredths writes a number of hundredths.
func hundredths(n int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", n/100, n%100), "0"), ".")
}

// fieldsOf says which fields carry the meaning.
func fieldsOf(d brainview.Detail) string {
	var parts []string
	if len(d.Meaning) > 0 {
		parts = append(parts, "the same in "+strings.Join(d.Meaning, ", "))
	}
	if len(d.Prose) > 0 {
		parts = append(parts, "texts that say the same in "+strings.Join(d.Prose, ", "))
	}
	return picture.Line(strings.Join(parts, ", and "))
}

// stepsOf are the phases of a task.
func stepsOf(d brainview.Detail) []thoughtStep {
	all := []struct {
		name, note string
		from, to   brain.Stage
	}{
		{"Draw", "workers by lot", brain.DrawWorkers, brain.DrawWorkers}, {"Work", "apart, then shown", brain.Working, brain.Revealing},
		{"Score", "by evaluators", brain.DrawEvaluators, brain.RevealScores}, {"Outcome", "posted with a bond", brain.AwaitOutcome, brain.Posted},
		{"Court", "if disputed", brain.Disputed, brain.Disputed}, {"Pay", "budget and stakes", brain.Ready, brain.Expired},
	}
	out := make([]thoughtStep, 0, len(all))
	for _, s := range all {
		step := thoughtStep{Name: s.name, Note: s.note, State: "next"}
		switch {
		case s.from == brain.Disputed && d.Stage() != brain.Disputed && d.Dispute == "" && d.Stage() > brain.Disputed:
			step.Note, step.State = "nobody disputed", "next"
		case d.Stage() > s.to || d.Over:
			step.State = "done"
		case d.Stage() >= s.from:
			step.State = "now"
		}
		out = append(out, step)
	}
	return out
}

// terms fills in deadlines, stakes and pools.
func (p *thoughtPage) terms(d brainview.Detail) {
	for _, f := range []figure{
		{"Results are due", picture.Day(d.Submission)}, {"Stake of a worker", lamports(uint64(d.WorkerStake))}, {"Stake of an evaluator", lamports(uint64(d.ScorerStake))},
		{"Bond of an outcome", lamports(uint64(d.PostBond))}, {"Requester", d.Requester}, {"Class", d.Class}, {"Task", d.Task},
	} {
		if f.Value != "" {
			p.Terms = append(p.Terms, f)
		}
	}
	if d.Settled > 0 {
		p.Terms = slices.Insert(p.Terms, 1, figure{"Settled", picture.Day(d.Settled)})
	}
	if d.Golden != nil {
		p.Terms = slices.Insert(p.Terms, 1, figure{"Golden task", d.Golden.String()})
		if d.Golden.Appeal != "" {
			p.Terms = slices.Insert(p.Terms, 2, figure{"Appeal", d.Golden.Appeal})
		}
	}
	if d.Extended {
		p.Terms = slices.Insert(p.Terms, 1, figure{"Extended", "once, for more budget"})
	}
	var work, score casefile.Amount
	for _, s := range d.Seats {
		work += s.Paid
	}
	for _, s := range d.Jury {
		score += s.Paid
	}
	pool := func(name, class string, amount, paid casefile.Amount) {
		one := purse{Name: name, Amount: onchain.SOL(uint64(amount)), Paid: onchain.SOL(uint64(paid)), Class: class}
		if amount > 0 {
			one.Share = math.Round(1000*float64(min(paid, amount))/float64(amount)) / 10
		}
		p.Money = append(p.Money, one)
	}
	pool("Workers, with the bonus of the best", "worker", d.Pools.Workers+d.Pools.Bonus, work)
	pool("Evaluators", "judges", d.Pools.Evaluators, score)
}

// outcome says who posted which outcome, and whether this node finds it, too.
func (p *thoughtPage) outcome(d brainview.Detail) {
	p.Outcome = "Nobody has posted an outcome yet."
	if d.Outcome != nil {
		p.Outcome = "Posted by " + ends(d.Outcome.Poster) + "."
		if d.Verdict == brainview.Upheld {
			p.Outcome = "This is the outcome of the disputant. The one that " + ends(d.Outcome.Poster) + " posted was false."
			if d.Outcome.Shown {
				p.Outcome = "This is the outcome of the disputant. " + ends(d.Outcome.Poster) + " posted one without a result that was shown in the dispute."
			}
		}
		p.Evidence = d.Outcome.Evidence
	}
	switch {
	case d.Agrees == nil && d.Outcome != nil:
		p.Found = "This node does not have all results, so it cannot find the outcome again. Whoever has them can: ojud brain outcome " + d.Task
	case d.Agrees == nil:
	case *d.Agrees:
		p.Found = "This node finds the same outcome from the results."
	default:
		p.Found, p.FoundBad = "This node finds another outcome from the results. Look: ojud brain outcome "+d.Task, true
	}
}

// court says how the dispute stands.
func (p *thoughtPage) court(d brainview.Detail) {
	if d.Dispute == "" {
		return
	}
	who := ends(d.Opponent)
	switch d.Verdict {
	case brainview.InCourt:
		p.Court, p.CourtMark = "The court looks at another outcome, which "+who+" found.", "undecided"
	case brainview.Upheld:
		p.Court, p.CourtMark = "The court accepted the outcome that "+who+" found. The bond of the poster is the disputant's.", "accept"
		if d.Outcome != nil && d.Outcome.Shown {
			p.Court = "The court accepted the outcome that " + who + " found. The poster could not have all results, and keeps its bond."
		}
	case brainview.Refused:
		p.Court, p.CourtMark = "The court rejected the outcome that "+who+" brought.", "reject"
	case brainview.Undecided:
		p.Court, p.CourtMark = "The court did not decide, so no outcome counts.", "abstain"
	default:
		p.Court, p.CourtMark = "The dispute was about an earlier outcome of this task.", "abstain"
	}
}
