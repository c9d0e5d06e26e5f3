package verify

import (
	"fmt"
	"iter"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// Anchors are facts that a verifier knows from elsewhere. Without them Verify shows that a file is
// consistent and that the holders of certain keys vouch for it, not that these keys are those of
// the judges of a certain court. Nil means unknown.
type Anchors struct {
	Network *voting.Hash
	Program *voting.Key
	Judges  map[voting.Key]voting.Key // authority to node key: the Roster, past entries included
}

// File checks a bundle file offline; see the package comment for what that proves. It never fails:
// the report names every fault. The largest hostile files tried took less than 410 MiB of memory
// in all.
func File(file []byte) Report { return FileWith(file, Anchors{}) }

// FileWith is File with facts that the caller knows from elsewhere.
func FileWith(file []byte, known Anchors) Report {
	v := &verifier{file: file, known: known}
	v.report.Notes, v.report.Testimony, v.report.Panels = []Note{}, []Testimony{}, []panel.Summary{}
	v.run()
	return v.report
}

// verifier carries what one check found to the next.
type verifier struct {
	file   []byte
	known  Anchors
	report Report

	bundle    casefile.Bundle
	canonical []byte // the file in its canonical form
	opened    map[casefile.Digest]opened
	domain    voting.Domain
	chains    map[casefile.DID]*casefile.ActorChain
	paths     map[casefile.Digest]string // where an event, by its id, is in the file
	order     []casefile.CheckedEvent    // all events as they stand in the file

	open    casefile.Doc[casefile.OpenFact]
	rounds  []round
	outcome casefile.Doc[casefile.OutcomeFact]
	seating casefile.Seating
	staked  map[uint8]map[casefile.DID]bool // candidates that are no parties, by round, once asked for
	missing int                             // what the check in hand could not look at
	books   books
	end     ending // of the last round
}

// round is a round with its established facts.
type round struct {
	number uint8
	partly bool // of the candidates only those that were drawn are known
	draw   casefile.Doc[casefile.DrawFact]
	settle casefile.Doc[casefile.SettleFact]
	seats  []voting.Seat // as drawn, with their acts by the settlement
}

// run makes the checks. Those of the second group stand on what the first established.
func (v *verifier) run() {
	if !v.make(CheckForm, v.form) && v.bundle.Format == "" {
		v.report.skip(CheckForm, "the file cannot be read", allChecks[1:]...)
		return
	}
	v.domain = voting.Domain{Network: voting.Hash(v.bundle.Network), Program: voting.Key(v.bundle.Program)}
	v.report.Case, v.report.Exporter = v.bundle.Case, v.bundle.Exporter
	v.make(CheckSeal, v.seal)
	v.canonical = nil // it is as large as the file
	v.make(CheckBlobs, v.blobs)
	v.make(CheckEvents, v.events)
	if !v.make(CheckTestimony, v.testimony) {
		v.report.skip(CheckTestimony, "the facts are not established", allChecks[5:]...)
		return
	}
	v.make(CheckOpening, v.opening)
	v.make(CheckDraw, v.draw)
	v.make(CheckSeats, v.seats)
	v.make(CheckDocuments, v.documents)
	v.make(CheckCommitments, v.commitments)
	v.make(CheckVotes, v.votes)
	v.make(CheckOpinions, v.opinions)
	v.make(CheckData, v.data)
	v.make(CheckInjections, v.injections)
	v.make(CheckPrograms, v.programs)
	v.make(CheckDemands, func() (int, *fault) { return demands(v, maxAgain) })
	v.make(CheckEquivocation, v.equivocation)
	v.make(CheckTally, v.tally)
	v.make(CheckPanel, v.panels)
	if !v.make(CheckSettlement, v.settlement) {
		v.report.skip(CheckSettlement, "the settlement does not add up", CheckPayments, CheckLeaf)
		return
	}
	v.make(CheckPayments, v.payments)
	v.make(CheckLeaf, func() (int, *fault) { return openLeaf(v) })
}

// make makes one check and records how it ended.
func (v *verifier) make(name CheckName, check func() (int, *fault)) bool {
	notes := len(v.report.Notes)
	v.missing = 0
	count, f := check()
	if f != nil && f.cannot {
		v.report.Checks = append(v.report.Checks, CheckResult{Name: name, State: Skipped, Path: f.path, Detail: f.detail})
		return false
	}
	if f != nil {
		v.report.Checks = append(v.report.Checks, CheckResult{Name: name, State: Failed, Path: f.path, Detail: f.detail, Pending: f.pending})
		return false
	}
	for _, n := range v.report.Notes[notes:] {
		if n.Kind == NoteMissing {
			v.missing++
		}
	}
	v.report.Checks = append(v.report.Checks, CheckResult{Name: name, State: Passed, Count: count, Missing: v.missing})
	return true
}

// court is the court as the established facts seat it.
func (v *verifier) court() casefile.Court {
	return casefile.Court{Domain: v.domain, Task: v.bundle.Case, Seats: &v.seating}
}

// bodies are the undisputed events with bodies of one type.
func bodies[T casefile.Form](v *verifier) iter.Seq2[casefile.CheckedEvent, T] {
	return func(yield func(casefile.CheckedEvent, T) bool) {
		for _, e := range v.order {
			if b, ok := e.Parsed.(T); ok && !yield(e, b) {
				return
			}
		}
	}
}

// each runs a check of intake over the undisputed events with bodies of one type, and returns how
// many there are. The check sees the part of the actor's chain that stands before the event.
func each[T casefile.Form](v *verifier, check func(*casefile.ActorChain, casefile.Event, casefile.Form) error) (int, *fault) {
	count := 0
	for e := range bodies[T](v) {
		count++
		before := casefile.ActorChain{Events: v.chains[e.Actor].Events[:e.Seq-1]}
		if err := check(&before, e.Event, e.Parsed); err != nil {
			return 0, faultAt(v.paths[e.Hash], "%v", err)
		}
	}
	return count, nil
}

// inBlob is the path of a field in a document that stands in the file as a blob.
func inBlob(hash voting.Hash, field string) string {
	return fmt.Sprintf("$.blobs.%s → $.%s", casefile.Digest(hash), field)
}
