package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/casefile/testimony"
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
	CheckPrograms     CheckName = "programs"     // check programs run again, against the runs in opinions
	CheckDemands      CheckName = "demands"      // demands made again on the result and on answers of sources, against opinions
	CheckEquivocation CheckName = "equivocation" // proofs, and no punishment without one
	CheckTally        CheckName = "tally"        // weights, quorum, verdict
	CheckPanel        CheckName = "panel"        // how many votes the panels' were worth
	CheckSettlement   CheckName = "settlement"   // results, slashes and shares
	CheckPayments     CheckName = "payments"     // what became of escrow and bonds
	CheckLeaf         CheckName = "leaf"         // the answer of a golden case, and what it moved
)

var allChecks = []CheckName{CheckForm, CheckSeal, CheckBlobs, CheckEvents, CheckTestimony, CheckOpening, CheckDraw, CheckSeats,
	CheckDocuments, CheckCommitments, CheckVotes, CheckOpinions, CheckData, CheckInjections, CheckPrograms, CheckDemands, CheckEquivocation, CheckTally, CheckPanel,
	CheckSettlement, CheckPayments, CheckLeaf}

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
	// Pending says that nothing contradicts the file, and that the check may pass when more seats
	// have testified.
	Pending bool `json:"pending,omitempty"`
	// Missing counts what the check could not look at, because the exporter left it out of the
	// file.
	Missing int `json:"missing,omitempty"`
}

// Refuted is a check of the task that fails, as the verifier found itself.
type Refuted struct {
	Check  string `json:"check"` // as judges name it
	Detail string `json:"detail"`
}

// Note is something that a reader should know and that is no fault of the file: mostly a fault of a
// party or a judge.
type Note struct {
	Kind   NoteKind `json:"kind"`
	Path   string   `json:"path"`
	Detail string   `json:"detail"`
}

// Testimony says how many seats of a round stand for a fact document.
type Testimony = testimony.Support

// Report has the findings of Verify.
type Report struct {
	Case      casefile.Address `json:"case"`
	Exporter  casefile.DID     `json:"exporter"`
	Rounds    int              `json:"rounds"`
	Verdict   casefile.Verdict `json:"verdict"`
	Checks    []CheckResult    `json:"checks"`
	Testimony []Testimony      `json:"testimony"`
	Panels    []panel.Summary  `json:"panels"` // what the histories say is the exporter's word
	Notes     []Note           `json:"notes"`
	Refuted   []Refuted        `json:"refuted,omitempty"`
}

// OK reports whether every check was made and passed.
func (r *Report) OK() bool {
	return len(r.ended(Passed)) == len(allChecks) && len(r.Checks) == len(allChecks)
}

// Incomplete returns the checks that passed over content which is not in the file.
func (r *Report) Incomplete() []CheckResult {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(c CheckResult) bool { return c.State != Passed || c.Missing == 0 })
}

// Failed returns the checks that failed, in their order.
func (r *Report) Failed() []CheckResult { return r.ended(Failed) }

// NotRun returns the checks that could not run because another one failed, in their order.
func (r *Report) NotRun() []CheckResult { return r.ended(Skipped) }

func (r *Report) ended(state State) []CheckResult {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(c CheckResult) bool { return c.State != state })
}

// Pending reports whether the file is not verified only because too few seats have testified yet,
// as right after a verdict: a later export of the same case may verify.
func (r *Report) Pending() bool {
	failed := r.Failed()
	return len(failed) == 1 && failed[0].Pending
}

// Check returns the result of one check.
func (r *Report) Check(name CheckName) CheckResult {
	if i := slices.IndexFunc(r.Checks, func(c CheckResult) bool { return c.Name == name }); i >= 0 {
		return r.Checks[i]
	}
	return CheckResult{Name: name, State: Skipped, Detail: "not reached"}
}

// String is the report for people, in the order of the command line: the verdict about the file,
// the failed checks, the checks that could not run, the panels and the notes.
func (r *Report) String() string {
	var b strings.Builder
	switch {
	case r.OK():
		fmt.Fprintf(&b, "verified: case %s, %d rounds, verdict %s\n", r.Case, r.Rounds, voting.Verdict(r.Verdict))
	case r.Pending():
		b.WriteString("NOT VERIFIED YET: testimony is still coming\n")
	default:
		b.WriteString("NOT VERIFIED\n")
	}
	for _, c := range r.Failed() {
		fmt.Fprintf(&b, "failed %s: %s: %s\n", c.Name, c.Path, c.Detail)
	}
	for _, c := range r.NotRun() {
		if c.Because == "" {
			fmt.Fprintf(&b, "not run: %s: %s\n", c.Name, c.Detail)
			continue
		}
		fmt.Fprintf(&b, "not run, because %s failed: %s\n", c.Because, c.Name)
	}
	for _, c := range r.Incomplete() {
		fmt.Fprintf(&b, "not in the file: %s lacks %d\n", c.Name, c.Missing)
	}
	for _, f := range r.Refuted {
		fmt.Fprintf(&b, "refuted: %s: %s\n", f.Check, f.Detail)
	}
	for _, p := range r.Panels {
		fmt.Fprintf(&b, "votes of round %d: %s; for the earlier rounds this is the word of the exporter alone\n", p.Round, p)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "%s: %s: %s\n", n.Kind, n.Path, n.Detail)
	}
	return b.String()
}

// maxNotes bounds what a hostile file can make the report say.
const maxNotes = 1000

// skip records checks that could not run.
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
type fault struct {
	path, detail string
	pending      bool // more testimony may fix it
	cannot       bool // this verifier cannot make the check
}

// errNoEngine is the error of a verifier that was built with the tag plain. It makes no demands of
// tasks and has neither the interpreter of check programs nor the generators of golden cases. So it
// is small enough for the page of a case that needs none of them, and it does not verify another.
var errNoEngine = errors.New("this small verifier makes no demands and runs no programs and no generators: ojud case verify FILE does")

func faultAt(path, format string, args ...any) *fault {
	return &fault{path: path, detail: fmt.Sprintf(format, args...)}
}

// errNoPython means that this machine cannot make a run in Python again.
var errNoPython = errors.New("not run here: it needs CPython, which is not on this machine; see ojud check python")

// errNoModule means that the module of a check program is not in the file.
var errNoModule = errors.New("its module is not in this file")
