package verify

import (
	"fmt"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
	"ojud/voting/rules"
)

// Anchors are what a verifier knows from elsewhere. Without them Verify shows that a file is
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

// FileWith is File with what the caller knows from elsewhere.
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

	bundle casefile.Bundle
	domain voting.Domain
	chains map[casefile.DID]*casefile.ActorChain
	paths  map[casefile.Digest]string // where an event, by its id, is in the file
	order  []casefile.CheckedEvent    // all events as they stand in the file

	open    casefile.Doc[casefile.OpenFact]
	rounds  []round
	outcome casefile.Doc[casefile.OutcomeFact]
	seating casefile.Seating
	end     rules.Settlement // of the last round
}

// round is a round with its established facts.
type round struct {
	draw   casefile.Doc[casefile.DrawFact]
	settle casefile.Doc[casefile.SettleFact]
	seats  []voting.Seat // as drawn, with what the settlement says that they did
}

// step is one check.
type step struct {
	name  CheckName
	check func() (count int, f *fault)
}

// run makes the checks. Those of the second group stand on what the first established.
func (v *verifier) run() {
	if !v.make(step{CheckForm, v.form}) && v.bundle.Format == "" {
		v.report.skip(CheckForm, "the file cannot be read", allChecks[1:]...)
		return
	}
	v.domain = voting.Domain{Network: voting.Hash(v.bundle.Network), Program: voting.Key(v.bundle.Program)}
	v.report.Case, v.report.Exporter = v.bundle.Case, v.bundle.Exporter
	v.make(step{CheckSeal, v.seal})
	v.make(step{CheckBlobs, v.blobs})
	v.make(step{CheckEvents, v.events})
	if !v.make(step{CheckTestimony, v.testimony}) {
		v.report.skip(CheckTestimony, "the facts are not established", allChecks[5:]...)
		return
	}
	for _, s := range []step{{CheckOpening, v.opening}, {CheckDraw, v.draw}, {CheckSeats, v.seats}, {CheckDocuments, v.documents},
		{CheckCommitments, v.commitments}, {CheckVotes, v.votes}, {CheckOpinions, v.opinions}, {CheckData, v.data}, {CheckInjections, v.injections},
		{CheckEquivocation, v.equivocation}, {CheckTally, v.tally}, {CheckPanel, v.panels}} {
		v.make(s)
	}
	if !v.make(step{CheckSettlement, v.settlement}) {
		v.report.skip(CheckSettlement, "the settlement does not add up", CheckPayments)
		return
	}
	v.make(step{CheckPayments, v.payments})
}

// make makes one check and records how it ended.
func (v *verifier) make(s step) bool {
	count, f := s.check()
	if f != nil {
		v.report.fail(s.name, f)
		return false
	}
	v.report.pass(s.name, count)
	return true
}

// court is the court as the established facts seat it.
func (v *verifier) court() casefile.Court {
	return casefile.Court{Domain: v.domain, Task: v.bundle.Case, Seats: &v.seating}
}

// each runs a check of intake over the undisputed events with bodies of one type, and returns how
// many there are.
func (v *verifier) each(of func(casefile.Form) bool, check func(*casefile.ActorChain, casefile.Event, casefile.Form) error) (int, *fault) {
	count := 0
	for _, e := range v.order {
		if !of(e.Parsed) {
			continue
		}
		count++
		if err := check(v.before(e), e.Event, e.Parsed); err != nil {
			return 0, faultAt(v.paths[e.Hash], "%v", err)
		}
	}
	return count, nil
}

// before returns the part of the actor's chain that stands before an event.
func (v *verifier) before(e casefile.CheckedEvent) *casefile.ActorChain {
	return &casefile.ActorChain{Events: v.chains[e.Actor].Events[:e.Seq-1]}
}

// is returns a test for bodies of one type.
func is[T casefile.Form](body casefile.Form) bool {
	_, ok := body.(T)
	return ok
}

// inBlob is the path of a field in a document that stands in the file as a blob.
func inBlob(hash voting.Hash, field string) string {
	return fmt.Sprintf("$.blobs.%s → $.%s", casefile.Digest(hash), field)
}
