package picture

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/voting"
)

// Replay shows the file of a case step by step, from its opening to its payments. It needs no node
// and no chain.
type Replay struct {
	// Served: a server has the steps, so that a browser without a script can go through them.
	Served bool

	name   string
	report *verify.Report // nil: the file is not verified yet
	halted string         // why it will not be; empty: it may be
	around *Around        // the page that the file was in; nil: it was in none
	frames []moment
	drawn  []verify.Testimony // the facts that the steps are drawn from
	task   voting.Key
}

// moment is a step of a replay.
type moment struct {
	text  string
	scene Scene
}

// Open returns the replay of a case file, which is not verified yet. The name is for people. The
// error says what keeps the file from being read; a file that can be read is shown even if it does
// not verify, and its page says so.
func Open(file []byte, name string) (*Replay, error) {
	r, err := reading.File(file)
	if err != nil {
		return nil, err
	}
	p := &Replay{name: Line(name), task: voting.Key(r.Case)}
	whole := Scene{Record: r, Content: r.Content, Whose: "this case file"}
	whole.Remember()
	p.frames, p.drawn = moments(whole), r.Support
	return p, nil
}

// Settle says what came of the verification of the file. From then on the pages show it.
func (p *Replay) Settle(report verify.Report) { p.report, p.halted = &report, "" }

// Halt says that the file will not be verified, and why.
func (p *Replay) Halt(why string) { p.halted = Line(why) }

// Around is what is known of the page that a case file was in.
type Around struct {
	Same    bool   // it is as a release writes it
	Unknown bool   // it could not be compared
	Words   string // a sentence about it
}

// Found says what came of comparing the page that the file was in.
func (p *Replay) Found(a Around) { p.around = &Around{a.Same, a.Unknown, Line(a.Words)} }

// Task is the address of the task of the case.
func (p *Replay) Task() voting.Key { return p.task }

// Last is the number of the last step. The first one is 0.
func (p *Replay) Last() int { return len(p.frames) - 1 }

// button leads to a step.
type button struct {
	To         int
	Name, Sign string
}

// ReplayPage is what the page of a replay shows.
type ReplayPage struct {
	Name                string
	Step, Last          int
	Buttons             []button
	Served              bool // a server has the steps, under their addresses
	Text                string
	Case                CasePage
	Done                bool   // the verifier has run
	Halted              string // why it will not run; empty: it may
	Verified            bool
	Around              *Around // the page that the file was in; nil: it was in none
	Foreign             bool    // that page is not known to be as the release writes it
	Finding             string
	Checks              []verify.CheckResult
	Passed, Failed, All int
	Lacking             int // of the checks: they lack content that is not in the file
	Notes               []string
}

// At fills the page of a step in.
func (p *Replay) At(step int) ReplayPage {
	last := p.Last()
	out := ReplayPage{
		Name: p.name, Step: step, Last: last, Text: p.frames[step].text, Served: p.Served,
		Buttons: []button{{0, "First step", "|◀"}, {max(step-1, 0), "Step back", "◀"}, {min(step+1, last), "Step forward", "▶"}, {last, "Last step", "▶|"}},
		Case:    Show(p.task, p.frames[step].scene), Halted: p.halted,
		Around: p.around, Foreign: p.around != nil && !p.around.Same,
	}
	r := p.report
	if r == nil {
		return out
	}
	same := slices.Equal(p.drawn, r.Testimony)
	out.Done, out.Verified, out.All, out.Failed = true, r.OK() && same, len(r.Checks), len(r.Failed())
	for _, c := range r.Checks {
		c.Path, c.Detail = Line(c.Path), Line(c.Detail)
		switch {
		case c.State == verify.Passed && c.Missing > 0:
			out.Lacking++
		case c.State == verify.Passed:
			out.Passed++
		}
		out.Checks = append(out.Checks, c)
	}
	out.Case.refute(r.Refuted)
	if out.Finding = finding(r); r.OK() && !same {
		out.Finding = "The steps are drawn from other facts than those that were verified."
	}
	for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
		out.Notes = append(out.Notes, Line(n.Detail))
	}
	return out
}

// maxNotes bounds the notes of a verifier that are shown.
const maxNotes = 50

// finding says in a line why a file is not verified; empty: it is.
func finding(r *verify.Report) string {
	switch failed, not := r.Failed(), r.NotRun(); {
	case r.Pending():
		return "Too few judges have signed how the case ended. A later file of the same case may verify."
	case len(failed) > 0:
		return Line(fmt.Sprintf("%s: %s: %s", failed[0].Name, failed[0].Path, failed[0].Detail))
	case len(not) > 0:
		return Line(fmt.Sprintf("%s: %s", not[0].Name, not[0].Detail))
	}
	return ""
}

// saidKey names the statements of a judge's node in a round.
type saidKey struct {
	peer  casefile.DID
	round uint8
}

// Remember reads what each seat said once, because each step of a replay needs it.
func (s *Scene) Remember() {
	said := map[saidKey]reading.Statements{}
	for round := uint8(1); round <= casefile.MaxRound; round++ {
		for _, seat := range seats(*s, round) {
			said[saidKey{casefile.DID(seat.Peer), round}] = seat.Said
		}
	}
	s.known = said
}

// Keep takes the record of an earlier reading of the same case, and what Remember read of it.
func (s *Scene) Keep(earlier Scene) { s.Record, s.known = earlier.Record, earlier.known }

// said returns what a judge's node said in a round.
func (s Scene) said(peer casefile.DID, round uint8) reading.Statements {
	if known, ok := s.known[saidKey{peer, round}]; ok {
		return known
	}
	return s.Record.Said(peer, round)
}

// moments takes a record apart into steps.
func moments(whole Scene) (out []moment) {
	now := whole
	now.Record.Outcome = nil
	for i := range now.Record.Rounds {
		now.Record.Rounds[i] = reading.Round{}
	}
	now.Look = voting.Case{Status: voting.AwaitingDraw, Round: 1, DrawnSlot: 1, SeedSlot: 2}
	add := func(s Scene, format string, args ...any) {
		s.Look.Seats = slices.Clone(s.Look.Seats)
		out = append(out, moment{fmt.Sprintf(format, args...), s})
	}
	add(now, "%s", partiesOf(whole).Opened)
	all := Benches(whole)
	for i, b := range all {
		facts := whole.Record.Rounds[b.Round-1]
		now.Record.Rounds[b.Round-1].Draw = facts.Draw
		now.Look = voting.Case{Status: voting.Committing, Round: b.Round, DrawnSlot: 2, SeedSlot: 1, Seats: blank(b)}
		add(now, "Round %d: %s", b.Round, b.drawn())
		for _, n := range b.order(committed) {
			now.Look.Seats[n].Committed = true
			add(now, "The judge in seat %d seals a vote.", n+1)
		}
		now.Look.Status = voting.Revealing
		for _, n := range b.order(revealed) {
			now.Look.Seats[n].Committed, now.Look.Seats[n].Revealed, now.Look.Seats[n].Choice = true, true, b.Seats[n].Choice
			add(now, "The judge in seat %d shows its vote: %s.", n+1, b.Seats[n].Choice)
		}
		now.Record.Rounds[b.Round-1] = facts
		if facts.Settle == nil || i == len(all)-1 {
			continue
		}
		now.Look = voting.Case{Status: voting.AwaitingDraw, Round: b.Round + 1, DrawnSlot: 1, SeedSlot: 2}
		if b.Verdict == voting.NoVerdict {
			add(now, "Too few judges took a side. Another panel is drawn.")
		} else {
			add(now, "The first panel says: %s. The loser appeals.", partiesOf(whole).says(b.Verdict))
		}
	}
	if whole.Record.Outcome != nil {
		verdict, _ := over(whole)
		add(whole, "%s", ending(whole, verdict, all).Sentence)
	}
	return out
}

// blank returns the seats of a panel before anybody votes.
func blank(b Bench) (out []voting.Seat) {
	for _, s := range b.Seats {
		out = append(out, voting.Seat{Judge: s.Judge, Peer: s.Peer, Index: s.Index, Weight: s.Weight})
	}
	return out
}

// committed and revealed return when a seat did so, by its own word, and whether it did.
func committed(s BenchSeat) (at int64, did bool) {
	for _, e := range s.Said.Committed {
		at = max(at, e.At)
	}
	return at, s.Committed
}

func revealed(s BenchSeat) (at int64, did bool) { return s.Said.VotedAt, s.counts() }

// order returns the seats that did something, those that did it first in front.
func (b Bench) order(when func(BenchSeat) (int64, bool)) (out []int) {
	for i, s := range b.Seats {
		if _, did := when(s); did {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		a, _ := when(b.Seats[x])
		c, _ := when(b.Seats[y])
		return cmp.Compare(a, c)
	})
	return out
}
