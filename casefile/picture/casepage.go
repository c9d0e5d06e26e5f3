package picture

import (
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

// CasePage is what the page of a case shows.
type CasePage struct {
	Task    string
	Short   string
	Subject string // what was ordered, in a line
	State   CaseState
	Steps   []step
	Papers  []paper
	Rings   []panelPart // the latest one first
	Checks  []checkRow
	Open    bool // a check is neither met nor failed
	Reasons []reason
	Runs    []run      // of check programs
	Data    []question // that judges rest on
	// MoreData is how many further requests are not shown.
	MoreData int
	NoData   []refusal
	Money    money
	Events   []happening
	Whose    string
	Over     bool   // the case has ended
	Lead     string // what the case is about, for a stranger
	Server
}

// Server is what the server of a page has besides.
type Server struct {
	Links bool // the pages of the judges
	Whole bool // the case as one page that verifies itself
}

// CaseState says in words where a case stands.
type CaseState struct {
	Word     string // one of few words: "voting", "accepted", …
	Class    string // of the word: open, accept, reject, undecided
	Sentence string
	Until    int64  // when the present phase ends; 0: it has no end that is known
	Waits    string // for what, until then
	Now      int64  // the chain's time, if Until is known
}

// step is a step of a case, from the order to the payment.
type step struct {
	Name, Note string
	Class      string // done, now, next
}

// paper is a document of a party.
type paper struct {
	Who, Did string // "The creator", "asked for this work"
	Class    string // creator or worker
	Key      string
	Hash     string
	Blocks   []Passage
	Missing  bool
	Bond     string
	Exhibits []exhibit
}

// exhibit is content that a party names.
type exhibit struct {
	Text  string
	Image *shown // nil: it is no picture, or is not here
}

// panelPart is a panel with its seats as a table.
type panelPart struct {
	Title string
	Ring  Ring
	Seats []SeatRow
	Note  string
}

// SeatRow is a seat as a line of a table.
type SeatRow struct {
	Number                   int
	Judge, Key               string
	Weight, Says, Earns, End string
	Class                    string
	Own                      bool
	Earned, Slashed          uint64 // lamports
	Why                      string // the begin of its opinion; empty: it is not public, or has none
}

// checkRow is a check that judges made, with how many found what.
type checkRow struct {
	Check, Name         string // in words, and as the judges name it
	Pass, Fail, Unknown int
	Detail              string
	Refuted             string // how it fails, as the verifier found itself; empty: it found nothing
}

// reason is an opinion that one judge or several have in the same words.
type reason struct {
	Class   string // accept, reject, abstain
	Says    string // "accept"
	Judges  string // "14 judges", "judge in seat 3"
	Seats   []int
	Summary string
	Model   string
}

// happening is a line of the history of a case.
type happening struct {
	At    string
	Text  string
	Class string
}

// maxReasons bounds the opinions that are shown.
const maxReasons = 56

// Show puts the page of a case together.
func Show(task voting.Key, s Scene) CasePage {
	p := CasePage{Task: casefile.Address(task).String(), Short: Short(task), Whose: Line(s.Whose), Server: Server{Links: s.Links}, Lead: partiesOf(s).Lead}
	all := Benches(s)
	_, p.Over = over(s)
	p.State = StateOf(s, all)
	p.Papers, p.Subject = papers(s)
	p.Steps = steps(s, all)
	for _, b := range slices.Backward(all) {
		p.Rings = append(p.Rings, part(b, s, len(all) > 1))
	}
	if n := len(all); n > 0 {
		p.Checks, p.Reasons = reasons(all[n-1])
		p.Runs = ran(all[n-1])
		p.Open = slices.ContainsFunc(p.Checks, func(c checkRow) bool { return c.Unknown > 0 })
	}
	p.Data, p.MoreData = questions(s, all)
	p.NoData = refusals(all)
	p.Money = moneyOf(s, all)
	p.Events = history(s, all)
	return p
}

// over reports whether a case has ended, and how.
func over(s Scene) (verdict voting.Verdict, ended bool) {
	switch {
	case s.Look.Status.Over():
		return s.Look.Verdict, true
	case s.Record.Outcome == nil:
		return voting.NoVerdict, false
	}
	for _, r := range slices.Backward(s.Record.Rounds[:]) {
		if r.Settle != nil && voting.Verdict(r.Settle.Value.Verdict) != voting.NoVerdict {
			return voting.Verdict(r.Settle.Value.Verdict), true
		}
	}
	return voting.Undecided, true
}

// Over reports whether a case has ended.
func Over(s Scene) bool {
	_, ended := over(s)
	return ended
}

// StateOf says where a case stands.
func StateOf(s Scene, all []Bench) CaseState {
	out := standing(s, all)
	if out.Until <= s.Now {
		out.Until = 0 // it is over, and the chain has not said so yet
	}
	if out.Until > 0 {
		out.Now = s.Now
	}
	return out
}

func standing(s Scene, all []Bench) CaseState {
	const _ = uint(6 - voting.Statuses) // a seventh status needs a sentence
	if verdict, ended := over(s); ended {
		return ending(s, verdict, all)
	}
	if len(all) == 0 {
		return CaseState{Word: "drawing judges", Class: "open", Sentence: "The parties disagree. The chain is about to draw judges by lot.", Until: s.Look.DrawBy, Waits: "to draw"}
	}
	b := all[len(all)-1]
	seats := Count(len(b.Seats), "judge", "judges")
	switch {
	case s.Look.Status == voting.Appealable:
		return CaseState{Word: "may be appealed", Class: "open", Until: s.Look.AppealBy, Waits: "to appeal",
			Sentence: fmt.Sprintf("The first panel says: %s. The side that lost may ask for other judges until the time is over. Nobody is paid before then.", partiesOf(s).says(s.Look.Verdict))}
	case s.Look.Status == voting.AwaitingDraw:
		return CaseState{Word: "drawing again", Class: "open", Sentence: "Too few judges took a side, so the chain draws another panel.", Until: s.Look.DrawBy, Waits: "to draw"}
	case b.Revealed > 0 || s.Look.Status == voting.Revealing:
		return CaseState{Word: "votes open", Class: "open", Until: b.RevealEnds, Waits: "to show the votes",
			Sentence: fmt.Sprintf("%d of %s have shown their votes. The program counts as soon as all are there.", b.Revealed, seats)}
	case b.Committed > 0:
		return CaseState{Word: "votes sealed", Class: "open", Until: b.CommitEnds, Waits: "to vote",
			Sentence: fmt.Sprintf("%d of %s have sealed a vote on the chain. Nobody can read a vote until all are sealed.", b.Committed, seats)}
	}
	return CaseState{Word: "judges at work", Class: "open", Until: b.CommitEnds, Waits: "to vote",
		Sentence: fmt.Sprintf("%s Each looks at the case alone and then seals a vote.", b.drawn())}
}

// ending says how a case ended.
func ending(s Scene, verdict voting.Verdict, all []Bench) CaseState {
	words := partiesOf(s)
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs a sentence
	vote := ""
	if len(all) > 0 {
		vote = votesOf(s, all)
	}
	switch verdict {
	case voting.ForWorker:
		return CaseState{Word: words.WonWorker, Class: "accept", Sentence: vote + words.Worked}
	case voting.ForCreator:
		return CaseState{Word: words.WonCreator, Class: "reject", Sentence: vote + words.Lost}
	}
	return CaseState{Word: "undecided", Class: "undecided", Sentence: vote + "No panel could decide, so the money is shared as the task says."}
}

// steps returns the way of a case.
func steps(s Scene, all []Bench) []step {
	_, ended := over(s)
	drawn, sealed, shown := len(all) > 0, false, false
	var b Bench
	if drawn {
		b = all[len(all)-1]
		sealed = b.Settled || b.Revealed > 0 || b.Committed == len(b.Seats)
		shown = b.Settled
	}
	words := partiesOf(s)
	list := []struct {
		name, note string
		done       bool
	}{
		{words.Steps[0][0], words.Steps[0][1], true},
		{words.Steps[1][0], words.Steps[1][1], true},
		{words.Steps[2][0], words.Steps[2][1], true},
		{words.Steps[3][0], words.Steps[3][1], true},
		{"Panel", b.lot(), drawn},
		{"Votes sealed", fmt.Sprintf("%d of %d", b.Committed, len(b.Seats)), sealed},
		{"Votes shown", fmt.Sprintf("%d of %d", b.Revealed, len(b.Seats)), shown},
		{"Verdict", "by the program", ended},
	}
	var out []step
	now := true
	for _, l := range list {
		one := step{Name: l.name, Note: l.note, Class: "done"}
		if !l.done {
			one.Class = "next"
			if now {
				one.Class, now = "now", false
			}
			if !drawn && strings.HasPrefix(l.name, "Votes") {
				one.Note = ""
			}
		}
		out = append(out, one)
	}
	return out
}

// TermsOf returns the terms of a task, from the chain or else from the record.
func TermsOf(s Scene) *casefile.TaskTerms {
	if s.Record.Open != nil { // it has the bonds, which the account gives up at the end
		return &s.Record.Open.Value.Task
	}
	return s.Terms
}

// appealed reports whether a panel is that of the appeal.
func (b Bench) appealed(s Scene) bool {
	return s.Record.Open != nil && b.Round > s.Record.Open.Value.Rules.Timing().MaxRounds || b.Round == s.Look.SeatsRound() && s.Look.Appealed()
}

// votesOf says how the judges voted. If the first panel decided nothing, the votes of both decide.
func votesOf(s Scene, all []Bench) string {
	b := all[len(all)-1]
	text := fmt.Sprintf("%d of %s accept the %s, %d reject it", b.Votes[voting.Accept], Count(len(b.Seats), "judge", "judges"), partiesOf(s).Judged, b.Votes[voting.Reject])
	if n := b.Votes[voting.Abstain]; n > 0 {
		text += fmt.Sprintf(", %d abstain", n)
	}
	text += ". "
	for i := len(all) - 2; i >= 0 && b.appealed(s); i-- {
		first := all[i]
		if first.appealed(s) {
			continue
		}
		if first.Verdict == voting.NoVerdict || first.Verdict == voting.Undecided {
			text += fmt.Sprintf("The first panel decided nothing, so its votes count, too: %d accept, %d reject. ", first.Votes[voting.Accept], first.Votes[voting.Reject])
		}
		break
	}
	return text
}

// part draws a panel and lists its seats.
func part(b Bench, s Scene, many bool) panelPart {
	p := panelPart{Title: "The panel", Ring: draw(b, s.Self, partiesOf(s))}
	if many {
		p.Title = fmt.Sprintf("The panel of round %d", b.Round)
	}
	if b.appealed(s) {
		p.Title = "The panel of the appeal"
	}
	if b.Settled && b.Verdict == voting.NoVerdict {
		p.Note = "Too few judges took a side: this round is void."
	}
	for i := range b.Seats {
		p.Seats = append(p.Seats, b.row(i, s.Self))
	}
	return p
}

// stateWords returns the words of a seat's state in a table.
func stateWords(state string) string {
	switch state {
	case "drawn":
		return "at work"
	case "sealed":
		return "vote sealed"
	case "accept", "reject", "abstain":
		return state + "s"
	case "equivocated":
		return "signed two votes"
	}
	return state
}

// row returns a seat as a line of a table. self is the judge of this node.
func (b Bench) row(i int, self voting.Key) SeatRow {
	at := b.Seats[i]
	state, _, _ := look(at, i+1, b.Settled, "")
	row := SeatRow{Number: i + 1, Judge: Short(at.Judge), Key: casefile.Address(at.Judge).String(), Weight: sol(at.Weight), Says: stateWords(state),
		Class: state, Own: !self.IsZero() && at.Judge == self, Earned: at.Earned, Slashed: at.Slashed}
	if o := at.Said.Opinion; o != nil && at.counts() {
		row.Why = Said(o.Summary)
	}
	if at.Earned > 0 {
		row.Earns = "+" + sol(at.Earned)
	}
	if at.Slashed > 0 {
		row.Earns = strings.TrimSpace(row.Earns + " −" + sol(at.Slashed))
	}
	return row
}
