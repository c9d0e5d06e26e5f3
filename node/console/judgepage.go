package console

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// judgePage is what the page of a judge shows.
type judgePage struct {
	Key, Short string
	Own        bool
	Link       *Link // nil: it announces nothing
	Stands     string
	Figures    []figure
	Record     []picture.Share // of its seats, by how they ended
	Seats      uint32
	Cases      []seatIn
	Earnings   *chart   // nil: it earned and lost nothing yet
	Left       int      // cases that are not read yet
	Work       []figure // of this node's judge
	Models     []modelRow
	Abstained  []string
	Todo       []todo
}

// todo is something that the owner of a judge should do now.
type todo struct{ What, Command string }

// modelRow is a model of this node's judge.
type modelRow struct {
	Name, Family, State, Class, Took, Calls, Cases, Tokens, Cost string
}

// figure is a number with its name.
type figure struct{ Name, Value string }

// seatIn is a seat of a judge in a case.
type seatIn struct {
	Task, Short, Subject, Word string
	Says, Class, Money, Why    string
}

// errNoJudge means that an address is no judge's.
var errNoJudge = errors.New("console: there is no such judge on the roster, and none that this node knows")

// judge puts the page of a judge together. The zero key is this node's judge.
func (c *Console) judge(key voting.Key) (judgePage, error) {
	court := c.source.Court()
	if key.IsZero() {
		key = court.Self
	}
	p := judgePage{Key: casefile.Address(key).String(), Short: picture.Short(key), Own: key == court.Self, Stands: "It is not on the roster."}
	for _, l := range court.Links {
		if l.Judge == p.Key {
			clean := l.clean()
			p.Link = &clean
		}
	}
	entry, on := entryOf(court.Roster, key)
	if !on && p.Link == nil && !p.Own {
		return p, errNoJudge
	}
	if on {
		p.stands(entry, court.Roster)
	}
	var rows []picture.Row
	rows, p.Left = c.rows(court.Cases, key, math.MaxInt)
	slices.SortFunc(rows, newest)
	for _, row := range rows {
		if s, ok := row.Seats[key]; ok {
			p.Cases = append(p.Cases, seatIn{row.Task, row.Short, row.Subject, row.State.Word, s.Says, s.Class, s.Earns, s.Why})
		}
	}
	p.Earnings = earnings(rows, key)
	p.Cases = p.Cases[:min(len(p.Cases), maxOverCases)]
	if p.Own {
		p.work(court)
	}
	return p, nil
}

// entryOf finds a judge on a Roster.
func entryOf(r *program.Roster, key voting.Key) (program.RosterEntry, bool) {
	if r == nil {
		return program.RosterEntry{}, false
	}
	i := r.Find(key)
	if i < 0 {
		return program.RosterEntry{}, false
	}
	return r.Entries[i], true
}

// stands fills in what the Roster says.
func (p *judgePage) stands(e program.RosterEntry, r *program.Roster) {
	p.Stands = "It judges."
	switch {
	case e.State != program.EntryActive:
		p.Stands = "It is leaving, and its stake is free on " + picture.Day(e.ExitAt) + " at the earliest."
		if e.Weighs() {
			p.Stands += " Panels may seat it until the season is over."
		}
	case !e.Weighs():
		p.Stands = "It has no weight in this season, so it is not drawn before the next one."
	}
	weight := uint64(0)
	if e.Weighs() {
		weight = e.Weight
	}
	p.Figures = []figure{{"stake", onchain.SOL(e.Stake)}, {"weight in this season", onchain.SOL(weight)}}
	if r.Weight > 0 {
		p.Figures = append(p.Figures, figure{"of all weight", fmt.Sprintf("%.1f %%", 100*float64(weight)/float64(r.Weight))})
	}
	p.Figures = append(p.Figures, figure{"to be claimed", onchain.SOL(e.Rewards)}, figure{"reserved by live seats", onchain.SOL(e.Locked)})
	if e.Seen > 0 {
		p.Figures = append(p.Figures, figure{"test cases right", fmt.Sprintf("%d of %d", e.Right, e.Right+e.Wrong)})
	}
	p.Figures = append(p.Figures, figure{"on the roster since", picture.Date(e.JoinedAt)})
	p.Seats = e.Seated
	p.Record = picture.Spread([]picture.Share{
		{Who: "with the majority", Class: "accept", Size: uint64(e.Majority)}, {Who: "against it", Class: "reject", Size: uint64(e.Minority)},
		{Who: "abstained", Class: "abstain", Size: uint64(e.Abstained)}, {Who: "absent", Class: "absent", Size: uint64(e.Absent)},
		{Who: "signed two votes", Class: "twice", Size: uint64(e.Equivocated)},
	})
	for i := range p.Record {
		p.Record[i].Amount = fmt.Sprint(p.Record[i].Size)
	}
}

// work fills in what this node's own judge does, and what its owner should do.
func (p *judgePage) work(court Court) {
	j := court.State.Judging
	p.Work = []figure{
		{"cases at work", fmt.Sprintf("%d of %d places", j.AtWork, j.Places)}, {"waiting for a place", fmt.Sprint(j.Waiting)},
		{"votes for a side since this node started", fmt.Sprint(j.Voted)},
	}
	abstained := uint64(0)
	for _, a := range j.Abstained {
		abstained += a.Cases
	}
	if abstained > 0 {
		p.Work = append(p.Work, figure{"abstained since then", fmt.Sprint(abstained)})
	}
	if j.CaseSeconds > 0 {
		took := fmt.Sprintf("%.1f s", j.CaseSeconds)
		if j.CaseSeconds < 0.1 {
			took = "below 0.1 s" // code alone decides that fast
		}
		p.Work = append(p.Work, figure{"time for a case", took})
	}
	for _, a := range j.Abstained {
		p.Abstained = append(p.Abstained, fmt.Sprintf("%s: %s", picture.Count(int(a.Cases), "case", "cases"), a.Why))
	}
	for _, m := range court.Models {
		p.Models = append(p.Models, m.row())
	}
	p.Todo = todos(court)
}

// leastClaim is the sum of rewards from which the page reminds of them, in lamports. Claiming costs
// 5,000.
const leastClaim = onchain.LamportsPerSOL / 100

// todos says what the owner of this node's judge should do now.
func todos(court Court) (out []todo) {
	for _, problem := range court.State.Problems {
		what, command := picture.Line(problem), ""
		if before, after, ok := strings.Cut(what, "; "); ok {
			what, command = before, after
		}
		out = append(out, todo{what, command})
	}
	for _, m := range court.Models {
		if m.Failing {
			out = append(out, todo{"The model " + picture.Line(m.Name) + " failed at its last call (" + picture.Line(m.Last) + ")", "ojud doctor"})
		}
	}
	e, on := entryOf(court.Roster, court.Self)
	if !on {
		return out
	}
	if e.Rewards >= leastClaim {
		out = append(out, todo{"Rewards of " + onchain.SOL(e.Rewards) + " wait", "ojud judge claim"})
	}
	if e.State == program.EntryExiting && e.ExitAt <= court.State.Time && !e.Counted() {
		out = append(out, todo{"The time of leaving is over, and the stake is free", "ojud judge withdraw"})
	}
	return out
}

// row says how a model is.
func (m Model) row() modelRow {
	r := modelRow{Name: picture.Line(m.Name), Family: picture.Line(m.Family), State: "not asked yet", Class: "", Took: "–", Calls: fmt.Sprintf("%d, %d without an answer", m.Answered+m.Failed, m.Failed), Cases: fmt.Sprint(m.Cases), Tokens: "–", Cost: "–"}
	switch {
	case m.Failing && m.Resting:
		r.State, r.Class = "rests after a fault: "+picture.Line(m.Last), "bad"
	case m.Failing:
		r.State, r.Class = "its last call failed: "+picture.Line(m.Last), "bad"
	case m.Last != "":
		r.State, r.Class = "answers", "good"
	}
	if m.Median > 0 {
		r.Took = fmt.Sprintf("%.1f s", m.Median.Seconds())
	}
	if m.Cases > 0 {
		r.Tokens, r.Cost = fmt.Sprint(m.Tokens/m.Cases), fmt.Sprintf("%.4f US$", float64(m.Cost)/1e6/float64(m.Cases))
	}
	return r
}

// clean bounds the words of another node.
func (l Link) clean() Link {
	l.Family, l.Dimension, l.Version = picture.Line(l.Family), picture.Line(l.Dimension), picture.Line(l.Version)
	sources := make([]string, 0, len(l.Sources))
	for _, s := range l.Sources {
		sources = append(sources, picture.Line(s))
	}
	l.Sources = sources
	offers := make([]string, 0, len(l.RPC))
	for _, u := range l.RPC {
		offers = append(offers, picture.Line(u))
	}
	l.RPC = offers
	return l
}
