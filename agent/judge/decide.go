package judge

import (
	"fmt"
	"slices"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/voting"
)

// The classes of findings are prefixes of the check names. Decide uses nothing else.
const (
	specification = "specification/" // a demand that code decides: pass, fail, or unknown if data is missing
	instruction   = "instruction/"   // a demand that code cannot decide: unknown, unless a model decided it
	ground        = "objection/"     // a ground of the creator: pass if code refuted it, unknown if it cannot tell
	exhibited     = ground + "exhibits"
	exhibit       = "exhibit/"    // content that a party names; decides nothing
	undisputed    = "undisputed/" // a demand that code left open, and that the creator does not dispute; decides nothing
	unanswered    = "unanswered/" // a demand on data that no holder with a stake answered, or one that its creator sealed and did not open: it cannot reject
	faulty        = "fault/"      // fail: a document that its publisher does not show, or that cannot be read
	injection     = "injection/"  // text that may steer a reader; decides nothing
	note          = "note/"       // decides nothing
)

// Decide is the rule that turns findings into a choice. Anybody who has an opinion can apply it
// again.
//
//  1. A specification or an instruction fails: reject. Code needs no interpretation for this, and a
//     model said so in enough samples. A result that nobody has or can read is such a failure.
//  2. The task or the objection is missing or cannot be read: accept, because the creator
//     published it. Without it the creator demands or disputes nothing.
//  3. No specification or instruction passes, or a specification is undecided: abstain, because
//     there is nothing to decide by. A demand on data that no holder with a stake answered counts
//     against the creator, who named the source, and a sealed one that is not opened against the
//     creator, who sealed it: they are as if they were not there.
//  4. Nothing in the task is open (no instruction is unknown): accept. What the creator does not
//     dispute is not open, and no model is asked about it.
//  5. Something is open, but code refuted every ground of the creator, and proved what the task
//     demands there: accept, because the creator disputes nothing else. A ground that is untrue
//     beside a demand that is not proved ("the result is empty") stays open.
//  6. Something is open, and the counter-objection is missing or cannot be read: reject, because
//     the worker, who published it, does not answer the objection.
//  7. Otherwise abstain, because the dispute is about something that code cannot see.
func Decide(findings []casefile.Finding) voting.Choice {
	choice, _ := decide(findings)
	return choice
}

// decide is Decide. It also reports whether only the lack of an answer to the objection decided,
// which a model's findings may still outweigh.
func decide(findings []casefile.Finding) (choice voting.Choice, byDefault bool) {
	var passed, undecided, open, grounds, upheld, noTask, noAnswer bool
	for _, f := range findings {
		switch {
		case required(f) && f.Outcome == casefile.Fail:
			return voting.Reject, false
		case f.Check == faulty+"task", f.Check == faulty+"objection":
			noTask = true
		case f.Check == faulty+"counter-objection":
			noAnswer = true
		case strings.HasPrefix(f.Check, unanswered):
			passed = true
		case required(f) && f.Outcome == casefile.Pass:
			passed = true
		case strings.HasPrefix(f.Check, specification):
			undecided = true
		case strings.HasPrefix(f.Check, instruction):
			open = true
		case strings.HasPrefix(f.Check, ground):
			grounds = true
			upheld = upheld || f.Outcome != casefile.Pass
		}
	}
	switch {
	case noTask:
		return voting.Accept, false
	case undecided, !passed && !open:
		return voting.Abstain, false
	case passed && (!open || grounds && !upheld):
		return voting.Accept, false
	case noAnswer:
		return voting.Reject, true
	}
	return voting.Abstain, false
}

// required reports whether a finding is about a demand of the task.
func required(f casefile.Finding) bool {
	return strings.HasPrefix(f.Check, specification) || strings.HasPrefix(f.Check, instruction)
}

// finding makes a finding. Its detail may quote a party.
func finding(check string, outcome casefile.CheckOutcome, detail string, evidence ...string) casefile.Finding {
	if evidence == nil {
		evidence = []string{}
	}
	return casefile.Finding{Check: check, Outcome: outcome, Detail: clean(detail), Evidence: evidence}
}

// fit drops findings if an opinion cannot take all of them: first those that pass, then open ones,
// then failed ones, but never the first of a kind. The result of Decide stays the same.
func fit(findings []casefile.Finding) []casefile.Finding {
	excess := len(findings) - casefile.MaxFindings
	if excess <= 0 {
		return findings
	}
	excess++ // for the finding that says so
	out, left := slices.Clone(findings), excess
	for _, kind := range []struct {
		class   string
		outcome casefile.CheckOutcome
	}{{specification, casefile.Pass}, {instruction, casefile.Pass}, {unanswered, casefile.Unknown}, {instruction, casefile.Unknown}, {instruction, casefile.Fail}, {specification, casefile.Fail}} {
		first := true
		out = slices.DeleteFunc(out, func(f casefile.Finding) bool {
			if left == 0 || f.Outcome != kind.outcome || !strings.HasPrefix(f.Check, kind.class) {
				return false
			}
			if first {
				first = false
				return false
			}
			left--
			return true
		})
	}
	return append(out, finding(note+"more", casefile.Unknown, fmt.Sprintf("%d further findings were left out", excess-left)))
}

// clean makes text that may quote a party fit for an opinion.
func clean(s string) string { return prose.Clean(s, casefile.MaxDetail) }
