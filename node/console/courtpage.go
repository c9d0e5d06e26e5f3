package console

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// courtPage is what the first page shows.
type courtPage struct {
	Name     string
	Setting  string // who runs the judges
	Judges   int
	Stake    string
	Season   string
	Peers    int
	Problems []string
	Open     []picture.Row
	Over     []picture.Row
	More     int // cases that are over and have no room
	Roster   []judgeRow
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
	p := courtPage{Name: picture.Line(state.State.Network), Setting: picture.Line(state.Setting), Peers: state.State.Peers}
	for _, text := range state.State.Problems {
		p.Problems = append(p.Problems, picture.Line(text))
	}
	if r := state.Roster; r != nil {
		p.Judges, p.Stake = int(r.Active), onchain.SOL(r.TotalStake)
		if p.Season = "the first has not begun"; r.SeasonSlot > 0 {
			p.Season = "since " + picture.Clock(r.SeasonAt)
		}
		p.Roster = roster(r, state.Self)
	}
	rows, left := c.rows(state.Cases, voting.Key{}, maxOpenCases)
	p.More = left
	for _, row := range rows {
		if row.Over {
			p.Over = append(p.Over, row)
		} else {
			p.Open = append(p.Open, row)
		}
	}
	slices.SortFunc(p.Open, newest)
	slices.SortFunc(p.Over, newest)
	p.More += max(0, len(p.Over)-maxOverCases) + max(0, len(p.Open)-maxOpenCases)
	p.Over, p.Open = p.Over[:min(len(p.Over), maxOverCases)], p.Open[:min(len(p.Open), maxOpenCases)]
	for _, list := range [][]picture.Row{p.Over, p.Open} {
		for i := range list {
			if list[i].Picture != nil {
				list[i].Ring = list[i].Picture()
			}
		}
	}
	return p
}

// newest compares cases by their time, newer ones first.
func newest(a, b picture.Row) int {
	return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Task, b.Task))
}

// subject returns what a task orders, in a line. It reads each task once. The caller holds mu.
func (c *Console) subject(s picture.Scene) string {
	t := picture.TermsOf(s)
	if t == nil {
		return ""
	}
	if known, ok := c.subjects[t.TaskHash]; ok {
		return known
	}
	subject, ok := picture.Subject(s)
	if !ok {
		return ""
	}
	if len(c.subjects) < maxPast {
		c.subjects[t.TaskHash] = subject
	}
	return subject
}

// rows sums cases up. Those that nothing will change are read once, and only a few of them each
// time, so that a node with a long archive has a first page at once. left is how many are to come.
// Of cases that are followed, only the seats of one judge are summed up; zero: of none. Of cases
// that are open, only the newest are summed up; open is how many. The others count as left, too.
func (c *Console) rows(tasks []voting.Key, judge voting.Key, open int) (out []picture.Row, left int) {
	c.once.Do(c.open)
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := 0
	var waiting []glanced
	sum := func(g glanced, followed bool) picture.Row {
		return picture.Sum(g.task, g.Scene, c.subject(g.Scene), func(of voting.Key) bool { return !followed || of == judge })
	}
	for _, task := range tasks {
		if row, ok := c.past[task]; ok {
			out = append(out, row)
			continue
		}
		if fresh >= maxFresh {
			left++
			continue
		}
		s, followed := c.source.Glance(task)
		if !followed {
			var err error
			if s, err = c.source.Case(task); err != nil {
				continue // it was forgotten meanwhile
			}
		}
		if followed && !picture.Over(s) {
			waiting = append(waiting, glanced{task, s})
			continue
		}
		row := sum(glanced{task, s}, followed)
		if s.Archived {
			c.draw(&row)
			if len(c.past) < maxPast {
				c.past[task] = row
				fresh++
			}
		}
		out = append(out, row)
	}
	slices.SortFunc(waiting, func(a, b glanced) int {
		return cmp.Or(cmp.Compare(b.Look.OpenedAt, a.Look.OpenedAt), bytes.Compare(a.task[:], b.task[:]))
	})
	for _, g := range waiting[:min(len(waiting), open)] {
		out = append(out, sum(g, true))
	}
	return out, left + max(0, len(waiting)-open)
}

// glanced is a case that is followed, as the chain has it.
type glanced struct {
	task voting.Key
	picture.Scene
}

// draw draws the ring of a case that nothing will change, as it stands on the page. What it is
// drawn from is not kept.
func (c *Console) draw(row *picture.Row) {
	if row.Picture == nil || c.broken != nil {
		return
	}
	var out bytes.Buffer
	if err := c.templates.ExecuteTemplate(&out, "dots", row.Picture()); err != nil {
		c.log.Warn("console: a ring is not drawn", "err", err)
		return
	}
	row.Drawn, row.Picture = template.HTML(out.String()), nil //nolint:gosec // the template escaped it
}

// The most cases of the archive that are read for one page, and that are remembered.
const (
	maxFresh = 32
	maxPast  = 2_000
)

// roster lists the judges, those with the most stake first.
func roster(r *program.Roster, self voting.Key) (out []judgeRow) {
	for _, e := range r.Entries {
		if e.State == program.EntryFree {
			continue
		}
		row := judgeRow{Name: picture.Short(voting.Key(e.Authority)), Key: e.Authority.String(), Stake: onchain.SOL(e.Stake), State: "active", Seated: e.Seated,
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
