package console

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/ledger/law"
	"ojud/node/status"
	"ojud/voting"
)

// Player shows the file of a case step by step, from its opening to its payments. It needs no node
// and no chain.
type Player struct {
	console *Console
	name    string
	report  verify.Report
	frames  []moment
	task    voting.Key
}

// moment is a step of a replay.
type moment struct {
	text  string
	scene Scene
}

// Play returns the replay of a case file. The name is for people. The error says what keeps the
// file from being read; a file that can be read is played even if it does not verify, and its page
// says so.
func Play(file []byte, name string, log *slog.Logger) (*Player, error) {
	r, err := reading.File(file)
	if err != nil {
		return nil, err
	}
	p := &Player{name: line(name), report: verify.File(file), task: voting.Key(r.Case)}
	whole := Scene{Record: r, Content: r.Content, Whose: "the file " + p.name}
	whole.remember()
	p.frames = moments(whole)
	p.console = New(nowhere{}, log)
	return p, nil
}

// Handler serves the replay.
func (p *Player) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.console.guard(p.page))
	mux.HandleFunc("GET /frame", p.console.guard(p.frame))
	mux.HandleFunc("GET /assets/{file}", p.console.guard(p.console.asset))
	return mux
}

// replayPage is what the page of a replay shows.
type replayPage struct {
	Name                string
	Step, Last          int
	Before, After       int // steps
	Text                string
	Case                casePage
	Verified            bool
	Finding             string
	Checks              []verify.CheckResult
	Passed, Failed, All int
	Notes               []string
}

// step returns the step that a request names: the last one if it names none.
func (p *Player) step(r *http.Request) int {
	last := len(p.frames) - 1
	if n, err := strconv.Atoi(r.URL.Query().Get("step")); err == nil {
		return min(max(n, 0), last)
	}
	return last
}

// at fills the page of a step in.
func (p *Player) at(step int) replayPage {
	last := len(p.frames) - 1
	out := replayPage{
		Name: p.name, Step: step, Last: last, Before: max(step-1, 0), After: min(step+1, last), Text: p.frames[step].text,
		Case: show(p.task, p.frames[step].scene), Verified: p.report.OK(), All: len(p.report.Checks), Failed: len(p.report.Failed()),
	}
	for _, c := range p.report.Checks {
		c.Path, c.Detail = line(c.Path), line(c.Detail)
		if c.State == verify.Passed {
			out.Passed++
		}
		out.Checks = append(out.Checks, c)
	}
	switch failed := p.report.Failed(); {
	case p.report.Pending():
		out.Finding = "Too few judges have signed how the case ended. A later file of the same case may verify."
	case len(failed) > 0:
		out.Finding = line(fmt.Sprintf("%s: %s: %s", failed[0].Name, failed[0].Path, failed[0].Detail))
	}
	for _, n := range p.report.Notes[:min(len(p.report.Notes), maxOverCases)] {
		out.Notes = append(out.Notes, line(n.Detail))
	}
	return out
}

func (p *Player) page(w http.ResponseWriter, r *http.Request) {
	p.console.whole(w, "replay", p.at(p.step(r)), frame{Title: "Replay of case " + short(p.task), Replay: true})
}

// frame serves what is inside the page of a step, for the script.
func (p *Player) frame(w http.ResponseWriter, r *http.Request) {
	p.console.part(w, "replay", p.at(p.step(r)))
}

// saidKey names the statements of a judge's node in a round.
type saidKey struct {
	peer  casefile.DID
	round uint8
}

// remember reads what each seat said once, because each step of a replay needs it.
func (s *Scene) remember() {
	said := map[saidKey]reading.Statements{}
	for round := uint8(1); round <= casefile.MaxRound; round++ {
		for _, seat := range seats(*s, round) {
			said[saidKey{casefile.DID(seat.Peer), round}] = seat.Said
		}
	}
	s.known = said
}

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
	add(now, "The creator objects, and the worker insists. The court has a case.")
	all := benches(whole)
	for i, b := range all {
		facts := whole.Record.Rounds[b.Round-1]
		now.Record.Rounds[b.Round-1].Draw = facts.Draw
		now.Look = voting.Case{Status: voting.Committing, Round: b.Round, DrawnSlot: 2, SeedSlot: 1, Seats: blank(b)}
		add(now, "%s are drawn by lot.", count(len(b.Seats), "judge", "judges"))
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
			add(now, "The first panel says: %s. The loser appeals.", verdictWords(b.Verdict))
		}
	}
	if whole.Record.Outcome != nil {
		verdict, _ := over(whole)
		add(whole, "%s", ending(verdict, all).Sentence)
	}
	return out
}

// blank returns the seats of a panel before anybody votes.
func blank(b bench) (out []voting.Seat) {
	for _, s := range b.Seats {
		out = append(out, voting.Seat{Judge: s.Judge, Peer: s.Peer, Index: s.Index, Weight: s.Weight})
	}
	return out
}

// committed and revealed return when a seat did so, by its own word, and whether it did.
func committed(s seat) (at int64, did bool) {
	for _, e := range s.Said.Committed {
		at = max(at, e.At)
	}
	return at, s.Committed
}

func revealed(s seat) (at int64, did bool) { return s.Said.VotedAt, s.counts() }

// order returns the seats that did something, those that did it first in front.
func (b bench) order(when func(seat) (int64, bool)) (out []int) {
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

// nowhere is the Scenery of a Player, which has no node.
type nowhere struct{}

func (nowhere) Court() Court                                               { return Court{} }
func (nowhere) Case(voting.Key) (Scene, error)                             { return Scene{}, casefile.ErrNoCase }
func (nowhere) Glance(voting.Key) (Scene, bool)                            { return Scene{}, false }
func (nowhere) Still() string                                              { return "" }
func (nowhere) Changed() <-chan struct{}                                   { return nil }
func (nowhere) Findings(context.Context) (all []status.Finding, err error) { return nil, nil }
func (nowhere) Rules(context.Context) (*law.Rules, error)                  { return nil, casefile.ErrNoCase }
