package console

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

// courtPage is what the first page shows.
type courtPage struct {
	Name     string
	Judges   int
	Stake    string
	Season   string
	Peers    int
	Problems []string
	Open     []caseRow
	Over     []caseRow
	More     int // cases that are over and have no room
	Roster   []judgeRow
}

// caseRow is a case in a list.
type caseRow struct {
	Task, Short, Subject string
	State                state
	Votes                string
	Ring                 ring
	HasRing              bool
	Reward               string
	at                   int64
	over                 bool
	seats                map[voting.Key]seatRow // of all panels
}

// judgeRow is a judge in a list.
type judgeRow struct {
	Name, Key, Stake, State       string
	Seated, Majority, Minority    uint32
	Absent, Abstained, Equivocate uint32
	Golden                        string
	Live                          uint16
	Own                           bool
	stake                         uint64
}

// The most lines of a list.
const (
	maxOpenCases = 50
	maxOverCases = 50
)

// court puts the first page together.
func (c *Console) court() courtPage {
	state := c.source.Court()
	p := courtPage{Name: line(state.State.Network), Peers: state.State.Peers}
	for _, text := range state.State.Problems {
		p.Problems = append(p.Problems, line(text))
	}
	if r := state.Roster; r != nil {
		p.Judges, p.Stake = int(r.Active), sol(r.TotalStake)
		if p.Season = "the first has not begun"; r.SeasonSlot > 0 {
			p.Season = "since " + clock(r.SeasonAt)
		}
		p.Roster = roster(r, state.Self)
	}
	rows, left := c.rows(state.Cases)
	p.More = left
	for _, row := range rows {
		if row.over {
			p.Over = append(p.Over, row)
		} else {
			p.Open = append(p.Open, row)
		}
	}
	slices.SortFunc(p.Open, newest)
	slices.SortFunc(p.Over, newest)
	p.More += max(0, len(p.Over)-maxOverCases) + max(0, len(p.Open)-maxOpenCases)
	p.Over, p.Open = p.Over[:min(len(p.Over), maxOverCases)], p.Open[:min(len(p.Open), maxOpenCases)]
	return p
}

// newest compares cases by their time, newer ones first.
func newest(a, b caseRow) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.Task, b.Task)) }

// rows sums cases up. Those that nothing will change are read once, and only a few of them each
// time, so that a node with a long archive has a first page at once. left is how many are to come.
func (c *Console) rows(tasks []voting.Key) (out []caseRow, left int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := 0
	for _, task := range tasks {
		if row, ok := c.past[task]; ok {
			out = append(out, row)
			continue
		}
		if fresh >= maxFresh {
			left++
			continue
		}
		s, err := c.source.Case(task)
		if err != nil {
			continue // it was forgotten meanwhile
		}
		row := caseOf(task, s)
		out = append(out, row)
		if s.Archived && len(c.past) < maxPast {
			c.past[task] = row
			fresh++
		}
	}
	return out, left
}

// The most cases of the archive that are read for one page, and that are remembered.
const (
	maxFresh = 32
	maxPast  = 2_000
)

// caseOf sums a case up.
func caseOf(task voting.Key, s Scene) caseRow {
	all := benches(s)
	row := caseRow{Task: casefile.Address(task).String(), Short: short(task), State: stateOf(s, all), at: s.Look.OpenedAt}
	_, row.over = over(s)
	_, row.Subject = papers(s)
	if t := terms(s); t != nil {
		row.Reward = sol(uint64(t.Reward))
	}
	if o := s.Record.Outcome; o != nil {
		row.at = o.Value.At
	}
	row.seats = map[voting.Key]seatRow{}
	for _, b := range all {
		for i, at := range b.Seats {
			row.seats[at.Judge] = b.row(i, s.Self)
		}
	}
	if n := len(all); n > 0 {
		b := all[n-1]
		row.Ring, row.HasRing = draw(b, s.Self), true
		if b.Revealed > 0 {
			row.Votes = fmt.Sprintf("%d : %d", b.Votes[voting.Accept], b.Votes[voting.Reject])
		}
	}
	return row
}

// roster lists the judges, those with the most stake first.
func roster(r *program.Roster, self voting.Key) (out []judgeRow) {
	for _, e := range r.Entries {
		if e.State == program.EntryFree {
			continue
		}
		row := judgeRow{Name: short(voting.Key(e.Authority)), Key: e.Authority.String(), Stake: sol(e.Stake), State: "active", Seated: e.Seated,
			Majority: e.Majority, Minority: e.Minority, Absent: e.Absent, Abstained: e.Abstained, Equivocate: e.Equivocated, Live: e.Live,
			Own: voting.Key(e.Authority) == self, stake: e.Stake}
		if e.State != program.EntryActive {
			row.State = "leaving"
		}
		if e.Seen > 0 {
			row.Golden = fmt.Sprintf("%d of %d", e.Right, e.Seen)
		}
		out = append(out, row)
	}
	slices.SortStableFunc(out, func(a, b judgeRow) int {
		return cmp.Or(cmp.Compare(b.stake, a.stake), bytes.Compare([]byte(a.Key), []byte(b.Key)))
	})
	return out
}
