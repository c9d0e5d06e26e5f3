package verify

import (
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// CheckName names a check of Verify.
type CheckName string

// The checks, in their order (protocol section 10).
const (
	CheckForm         CheckName = "form"         // the file is the one spelling of what it says, and complete
	CheckSeal         CheckName = "seal"         // the exporter signed every byte
	CheckBlobs        CheckName = "blobs"        // content has the hash under which it stands, and something names it
	CheckEvents       CheckName = "events"       // signatures, chains, order, nothing said twice
	CheckTestimony    CheckName = "testimony"    // enough seats name the same facts
	CheckOpening      CheckName = "opening"      // the facts of the opening belong to this case
	CheckDraw         CheckName = "draw"         // drawn again from the candidates; no party sits
	CheckSeats        CheckName = "seats"        // every actor sits where he says he does
	CheckDocuments    CheckName = "documents"    // task, result and pleadings are what the opening facts name
	CheckCommitments  CheckName = "commitments"  // signed statements
	CheckVotes        CheckName = "votes"        // signatures, openings against commitments, choices against the settlement
	CheckOpinions     CheckName = "opinions"     // opinions against votes
	CheckData         CheckName = "data"         // data_accessed against receipts
	CheckInjections   CheckName = "injections"   // what judges found that may be meant to steer them, against opinions and content
	CheckEquivocation CheckName = "equivocation" // proofs, and no punishment without one
	CheckTally        CheckName = "tally"        // weights, quorum, verdict
	CheckPanel        CheckName = "panel"        // how many votes the panels' were worth
	CheckSettlement   CheckName = "settlement"   // results, slashes and shares
	CheckPayments     CheckName = "payments"     // what became of escrow and bonds
)

var allChecks = []CheckName{CheckForm, CheckSeal, CheckBlobs, CheckEvents, CheckTestimony, CheckOpening, CheckDraw, CheckSeats,
	CheckDocuments, CheckCommitments, CheckVotes, CheckOpinions, CheckData, CheckInjections, CheckEquivocation, CheckTally, CheckPanel,
	CheckSettlement, CheckPayments}

// State is how a check ended.
type State string

// The states of a check.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped" // there was nothing sound to check it against; the bundle is not verified
)

// CheckResult is the result of one check of Verify. Count says how many things were looked at.
type CheckResult struct {
	Name   CheckName `json:"name"`
	State  State     `json:"state"`
	Count  int       `json:"count"`
	Path   string    `json:"path,omitempty"`   // JSON path of the first fault
	Detail string    `json:"detail,omitempty"` // the fault, or why the check was skipped
	// Because names the failed check without which a skipped one cannot run.
	Because CheckName `json:"because,omitempty"`
}

// Note is something that a reader should know and that is no fault of the file: mostly a fault of a
// party or a judge.
type Note struct {
	Kind   NoteKind `json:"kind"`
	Path   string   `json:"path"`
	Detail string   `json:"detail"`
}

// Testimony says how many seats of a round stand for a fact document.
type Testimony struct {
	Fact   string          `json:"fact"` // open, draw, settle, outcome
	Round  uint8           `json:"round,omitempty"`
	Hash   casefile.Digest `json:"hash"`
	Seats  int             `json:"seats"`  // that name it
	Of     int             `json:"of"`     // seats of the round
	Weight casefile.Amount `json:"weight"` // of those that name it
	Total  casefile.Amount `json:"total"`  // of the round
	Others int             `json:"others"` // seats that name other facts
}

// Report is what Verify found.
type Report struct {
	Case      casefile.Address `json:"case"`
	Exporter  casefile.DID     `json:"exporter"`
	Rounds    int              `json:"rounds"`
	Verdict   casefile.Verdict `json:"verdict"`
	Checks    []CheckResult    `json:"checks"`
	Testimony []Testimony      `json:"testimony"`
	Panels    []panel.Summary  `json:"panels"` // what the histories say is the exporter's word
	Notes     []Note           `json:"notes"`
}

// OK reports whether every check was made and passed.
func (r *Report) OK() bool {
	for _, c := range r.Checks {
		if c.State != Passed {
			return false
		}
	}
	return len(r.Checks) == len(allChecks)
}

// Failed returns the checks that failed, in their order.
func (r *Report) Failed() []CheckResult { return r.ended(Failed) }

// NotRun returns the checks that could not run because another one failed, in their order.
func (r *Report) NotRun() []CheckResult { return r.ended(Skipped) }

func (r *Report) ended(state State) (out []CheckResult) {
	for _, c := range r.Checks {
		if c.State == state {
			out = append(out, c)
		}
	}
	return out
}

// Check returns the result of one check.
func (r *Report) Check(name CheckName) CheckResult {
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	return CheckResult{Name: name, State: Skipped, Detail: "not reached"}
}

// String is the report for people: a line a check, then testimonies, panels and notes.
func (r *Report) String() string {
	var b strings.Builder
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "%-7s %-13s %5d", c.State, c.Name, c.Count)
		if c.State != Passed {
			fmt.Fprintf(&b, "  %s: %s", c.Path, c.Detail)
		}
		b.WriteByte('\n')
	}
	for _, t := range r.Testimony {
		fmt.Fprintf(&b, "%d of %d seats testify to %s", t.Seats, t.Of, t.Fact)
		if t.Round > 0 {
			fmt.Fprintf(&b, " of round %d", t.Round)
		}
		fmt.Fprintf(&b, " (%d of %d lamports of weight)\n", t.Weight, t.Total)
	}
	for _, p := range r.Panels {
		fmt.Fprintf(&b, "votes of round %d: %s; the earlier rounds are the exporter's word\n", p.Round, p)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note    %s: %s\n", n.Path, n.Detail)
	}
	if r.OK() {
		fmt.Fprintf(&b, "verified: case %s, %d rounds, verdict %s\n", r.Case, r.Rounds, voting.Verdict(r.Verdict))
	} else {
		b.WriteString("NOT VERIFIED\n")
	}
	return b.String()
}

// maxNotes bounds what a hostile file can make the report say.
const maxNotes = 1000

// pass, fail and skip record how a check ended.
func (r *Report) pass(name CheckName, count int) {
	r.Checks = append(r.Checks, CheckResult{Name: name, State: Passed, Count: count})
}

func (r *Report) fail(name CheckName, f *fault) {
	r.Checks = append(r.Checks, CheckResult{Name: name, State: Failed, Path: f.path, Detail: f.detail})
}

func (r *Report) skip(because CheckName, why string, names ...CheckName) {
	for _, name := range names {
		r.Checks = append(r.Checks, CheckResult{Name: name, State: Skipped, Path: "$", Detail: why, Because: because})
	}
}

func (r *Report) note(kind NoteKind, path, format string, args ...any) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, Note{Kind: kind, Path: path, Detail: fmt.Sprintf(format, args...)})
	}
}

// fault is the first thing that is wrong in a check.
type fault struct{ path, detail string }

func faultAt(path, format string, args ...any) *fault {
	return &fault{path, fmt.Sprintf(format, args...)}
}
