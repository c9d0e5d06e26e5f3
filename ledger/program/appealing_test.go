package program

import (
	"fmt"
	"path/filepath"
	"testing"

	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// levelIn is a level of a case before its end: the seats as the last round left them.
type levelIn struct {
	Verdict uint8    `json:"verdict"` // 0: the appeal decided nothing
	Accept  string   `json:"accept"`
	Reject  string   `json:"reject"`
	Seats   []seatIn `json:"seats"`
}

// appealVector is the end of a case whose first panel decided.
type appealVector struct {
	Name        string   `json:"name"`
	Preset      uint8    `json:"preset"`
	Fee         string   `json:"fee"`
	RiskBps     uint16   `json:"risk_bps"`
	GoldenGain  uint16   `json:"golden_gain"`
	GoldenLoss  uint16   `json:"golden_loss"`
	Absence     uint16   `json:"absence"`
	Minority    uint16   `json:"minority"`
	Reversal    uint16   `json:"reversal"`
	CreatorBond string   `json:"creator_bond"` // with that of the appeal
	WorkerBond  string   `json:"worker_bond"`
	First       levelIn  `json:"first"`
	Appeal      *levelIn `json:"appeal"` // null: nobody appealed

	After struct {
		Verdict  uint8     `json:"verdict"`
		Level    uint8     `json:"level"`
		Reversed bool      `json:"reversed"`
		Bond     string    `json:"bond"`
		Golden   string    `json:"golden"`
		First    []seatOut `json:"first"`
		Appeal   []seatOut `json:"appeal"`
	} `json:"after"`
}

// TestAppealVectors writes the ends of cases that the first panel decided, by package rules.
func TestAppealVectors(t *testing.T) {
	var all []appealVector
	seen := map[string]int{}
	for i := 0; len(all) < 90; i++ {
		in := roundEnd(i)
		law := in.Law
		law.Reversal = uint16(20 - i%3*9)
		first, ok := decidedLevel(t, law, in)
		if !ok {
			continue
		}
		end := rules.CaseEnd{Terms: in.Terms, First: first}
		end.Terms.TradeBps = 50
		if i%5 > 0 {
			appeal := roundEnd(1_000 + i)
			given, err := first.Given()
			if err != nil {
				t.Fatal(err)
			}
			closed, err := law.Close(rules.Ballot{Reward: in.Terms.Escrow, Round: law.MaxRounds, Seats: appeal.Seats, Standings: appeal.Standings, Against: given})
			if err != nil {
				t.Fatal(err)
			}
			taken(appeal.Standings, closed.Seats)
			end.Appeal = &rules.Level{Verdict: closed.Verdict, Seats: appeal.Seats, Standings: appeal.Standings}
			if end.AppealBond, err = law.AppealBond(in.Terms.Escrow); err != nil {
				t.Fatal(err)
			}
		}
		v := appealed(t, fmt.Sprintf("appeal %d", i), law, end)
		all = append(all, v)
		seen[fmt.Sprint("level ", v.After.Level, " turned ", v.First.Verdict != v.After.Verdict, " clearly ", v.After.Reversed)]++
		if end.Appeal != nil && v.Appeal.Verdict == 0 {
			seen["undecided"]++
		}
	}
	if len(seen) != 5 {
		t.Errorf("the vectors do not show every end: %v", seen)
	}
	golden(t, filepath.Join(vectorDir, "appeals.json"), all)
}

// decidedLevel is a first panel that gave a verdict, after its round was settled.
func decidedLevel(t *testing.T, law rules.Law, in rules.RoundEnd) (rules.Level, bool) {
	t.Helper()
	closed, err := law.Close(rules.Ballot{Reward: in.Terms.Escrow, Round: 1, Seats: in.Seats, Standings: in.Standings})
	if err != nil {
		t.Fatal(err)
	}
	taken(in.Standings, closed.Seats)
	return rules.Level{Verdict: closed.Verdict, Seats: in.Seats, Standings: in.Standings}, closed.Status == voting.Decided
}

// taken takes the slashes of a round.
func taken(standings []rules.Standing, ends []rules.SeatEnd) {
	for i := range standings {
		standings[i].Stake -= ends[i].Slashed
	}
}

func appealed(t *testing.T, name string, l rules.Law, end rules.CaseEnd) appealVector {
	t.Helper()
	out, err := l.Finish(end)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	v := appealVector{Name: name, Preset: uint8(l.Preset), Fee: dec(l.FeeMin), RiskBps: l.RiskBps, GoldenGain: l.GoldenGain, GoldenLoss: l.GoldenLoss,
		Absence: l.Absence, Minority: l.Minority, Reversal: l.Reversal, First: levelOf(t, l, end.Terms.Escrow, end.First)}
	creator, worker := end.Terms.CreatorBond, end.Terms.WorkerBond
	if end.First.Verdict == voting.ForWorker {
		creator += end.AppealBond
	} else {
		worker += end.AppealBond
	}
	v.CreatorBond, v.WorkerBond = dec(creator), dec(worker)
	a := &v.After
	a.Verdict, a.Level, a.Reversed, a.Golden = uint8(out.Verdict), 1, out.Reversed, dec(out.Golden)
	a.Bond = v.CreatorBond
	if out.Verdict == voting.ForCreator {
		a.Bond = v.WorkerBond
	}
	if end.Appeal != nil {
		level := levelOf(t, l, end.Terms.Escrow, *end.Appeal)
		v.Appeal = &level
		if level.Verdict == uint8(voting.Undecided) {
			level.Verdict = 0
		} else {
			a.Level = 2
		}
	}
	a.First, a.Appeal = ends(out.First), ends(out.Appeal)
	return v
}

func ends(all []rules.SeatEnd) []seatOut {
	out := []seatOut{}
	for _, s := range all {
		out = append(out, seatOut{0, dec(s.Slashed), dec(s.Earned)})
	}
	return out
}

func levelOf(t *testing.T, l rules.Law, reward uint64, level rules.Level) levelIn {
	t.Helper()
	tally, err := rules.Count(level.Seats)
	if err != nil {
		t.Fatal(err)
	}
	out := levelIn{Verdict: uint8(level.Verdict), Accept: dec(tally.Accept), Reject: dec(tally.Reject), Seats: []seatIn{}}
	for i, s := range level.Seats {
		st := level.Standings[i]
		reserved, err := l.Exposure(reward, s.Weight)
		if err != nil {
			t.Fatal(err)
		}
		out.Seats = append(out.Seats, seatIn{dec(s.Weight), uint8(s.Choice), uint8(flagsOf(s)), uint8(s.Result), st.Present, dec(st.Stake), dec(reserved)})
	}
	return out
}

// TestCanTurn: after 13 rejects of 28 a worker cannot win by eight judges that are left, and can by
// 26. A creator can by one.
func TestCanTurn(t *testing.T) {
	task := &Task{Creator: onchain.Address{1}, Worker: onchain.Address{2}}
	for left, want := range map[int]bool{8: false, 25: false, 26: true, 40: true} {
		r := &Roster{}
		for i := range 28 + left {
			r.Entries = append(r.Entries, RosterEntry{Authority: onchain.Address{byte(i + 10)}, State: EntryActive, Owned: OwnWeight, Stake: 1, Weight: 1})
		}
		c := &Case{Verdict: voting.Undecided, RejectWeight: 13, SeatedWeight: 28, MaxSeatWeight: 10}
		for i := range 28 {
			c.Seats = append(c.Seats, Seat{Index: uint16(i)})
		}
		if got := c.CanTurn(r, task, task.Worker); got != want {
			t.Errorf("%d are left: the worker %t", left, got)
		}
		if !c.CanTurn(r, task, task.Creator) {
			t.Errorf("%d are left: the creator cannot win", left)
		}
	}
}
