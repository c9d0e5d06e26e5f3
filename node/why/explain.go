package why

import (
	"fmt"

	"ojud/casefile"
)

// Explain says what happened to a judge in a case, in order of time.
func Explain(f Facts) Explanation {
	e := &explainer{f: f, out: Explanation{Case: f.Case, Judge: f.Judge, Source: f.Source, Lines: []Line{}}}
	if !e.known() {
		e.say(0, NoCase, "nothing is known of this case here", e.noCaseFact(), noCaseNext(f.Case))
		e.passedOver(0)
		return e.out
	}
	var self casefile.DID
	for _, r := range e.rounds() {
		e.round(r)
		if r.seat >= 0 {
			self = r.peer
		}
	}
	e.twofold(self)
	e.ending()
	e.proof()
	return e.out
}

// explainer writes an answer.
type explainer struct {
	f   Facts
	out Explanation
}

// say adds a line.
func (e *explainer) say(round uint8, code Code, text, fact, next string) {
	e.out.Lines = append(e.out.Lines, Line{Round: round, Code: code, Text: text, Fact: fact, Next: next})
}

// own returns the record of the judge's own node; empty if it is not here.
func (e *explainer) own() Own {
	if e.f.Own == nil {
		return Own{}
	}
	return *e.f.Own
}

// known reports whether anything is known of the case.
func (e *explainer) known() bool {
	return e.f.Look != nil || e.f.Record != nil && e.f.Record.Events() > 0 || e.f.Own != nil && len(e.f.Own.Log.Entries) > 0
}

func (e *explainer) noCaseFact() string {
	if e.f.Own == nil {
		return "no case file was given, and this is not the judge's node"
	}
	if n := len(e.f.Own.Uptime.Spans); n > 0 {
		last := e.f.Own.Uptime.Spans[n-1]
		return fmt.Sprintf("the node's journal; it ran from %s, and was last seen running at %s", clock(e.f.Own.Uptime.Spans[0].From), clock(last.Until))
	}
	return "the node's journal"
}

func noCaseNext(task casefile.Address) string {
	return fmt.Sprintf("see whether there is such a case: ojud case show %s; then get its file from a node that followed it (ojud case export %s), and ask again with --file", task, task)
}

// proof says how far the record can be trusted.
func (e *explainer) proof() {
	switch {
	case e.f.Record == nil || e.f.Record.Events() == 0:
	case e.f.Proof == "":
		e.say(0, Proven, "the case file verifies: what is said above of draws, votes and money follows from it", e.f.Source, "")
	case e.f.Pending && !e.live():
		e.say(0, Unproven, "testimony is still coming; ask again in a minute: the case file can be checked when more than half of the judges have signed how the case ended",
			e.f.Proof, e.again())
	case e.live() || e.f.Record.Outcome == nil:
		e.say(0, Unproven, "the case file can be checked when the case is over and its judges have signed how it ended", e.f.Proof, "")
	default:
		next := fmt.Sprintf("see all checks: ojud case export %s, then ojud case verify %s.case.json", e.f.Case, e.f.Case)
		if e.f.File != "" {
			next = "see all checks: ojud case verify " + e.f.File
		}
		e.say(0, Unproven, "the case file does not verify: do not rely on what is said above of draws, votes and money", e.f.Proof, next)
	}
}

// live reports whether the case is known to run.
func (e *explainer) live() bool { return e.f.Look != nil && !e.f.Look.Status.Over() }

// TestimonySeconds is how long after the end of a case, in seconds of the chain, its judges hurry
// to testify. The facts that they sign come up to half a minute late, because they need final
// blocks.
const TestimonySeconds = 120

// recent reports whether the case ended so recently that its judges still testify and collect.
func (e *explainer) recent() bool {
	return e.f.Look != nil && e.f.Look.Status.Over() && e.f.Now < e.f.Look.SettledAt+TestimonySeconds
}

// again says how to ask again after the end of a case.
func (e *explainer) again() string {
	if e.f.File != "" {
		return fmt.Sprintf("get a newer file: ojud case export %s", e.f.Case)
	}
	return fmt.Sprintf("in a minute: ojud case why %s", e.f.Case)
}

// party says how a judge or operator belongs to a side; empty if it does not.
func party(t casefile.TaskTerms, who casefile.Address) string {
	creator, worker := "the creator", "the worker"
	if t.Prepaid { // a dispute of others
		creator, worker = "the respondent", "the claimant"
	}
	switch {
	case who == (casefile.Address{}):
		return ""
	case who == t.Creator:
		return creator
	case who == t.Worker:
		return worker
	case who == t.CreatorOperator:
		return "the operator of " + creator
	case who == t.WorkerOperator:
		return "the operator of " + worker
	}
	return ""
}
