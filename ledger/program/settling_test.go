package program

import (
	"fmt"
	"path/filepath"
	"testing"

	"ojud/voting"
	"ojud/voting/rules"
)

type seatIn struct {
	Weight       string `json:"weight"`
	Choice       uint8  `json:"choice"`
	Flags        uint8  `json:"flags"`
	ResultBefore uint8  `json:"result_before"` // expire_case: of the round before
	Present      bool   `json:"present"`       // the roster entry is still its judge's
	Stake        string `json:"stake"`
	Reserved     string `json:"reserved"` // of the stake, for this seat
}

type seatOut struct {
	Result  uint8  `json:"result"`
	Slashed string `json:"slashed"`
	Earned  string `json:"earned"`
}

type paymentOut struct {
	To     string `json:"to"`
	Kind   uint8  `json:"kind"`
	Amount string `json:"amount"`
}

type settleVector struct {
	Name        string   `json:"name"`
	Instruction string   `json:"instruction"`
	Round       uint8    `json:"round"`
	MaxRounds   uint8    `json:"max_rounds"`
	Preset      uint8    `json:"preset"`
	Fee         string   `json:"fee"`
	RiskBps     uint16   `json:"risk_bps"`
	GoldenGain  uint16   `json:"golden_gain"`
	GoldenLoss  uint16   `json:"golden_loss"`
	Absence     uint16   `json:"absence"`
	Minority    uint16   `json:"minority"`
	Reversal    uint16   `json:"reversal"`
	Escrow      string   `json:"escrow"`
	CreatorBond string   `json:"creator_bond"`
	WorkerBond  string   `json:"worker_bond"`
	OnUndecided uint8    `json:"on_undecided"`
	TradeBps    uint16   `json:"trade_bps"`
	ClaimBond   string   `json:"claim_bond"`
	Seats       []seatIn `json:"seats"`

	After struct {
		Status   uint8        `json:"status"`
		Round    uint8        `json:"round"`
		Verdict  uint8        `json:"verdict"`
		Outcome  uint8        `json:"outcome"`
		Accept   string       `json:"accept"`
		Reject   string       `json:"reject"`
		Abstain  string       `json:"abstain"`
		Seated   string       `json:"seated"`
		Bond     string       `json:"bond"`
		Golden   string       `json:"golden"`
		Seats    []seatOut    `json:"seats"`
		Payments []paymentOut `json:"payments"`
	} `json:"after"`
}

func TestSettleVectors(t *testing.T) {
	var all []settleVector
	for i := range 60 {
		in := roundEnd(i)
		name := fmt.Sprintf("settle %d", i)
		out, err := rules.Settle(in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, settled(name, "settle", in, out))
		balanced(t, name, in, out)
		if out.Status != voting.AwaitingDraw {
			continue
		}
		next := in
		next.Round = out.Round
		next.Seats, next.Standings = append([]voting.Seat{}, in.Seats...), append([]rules.Standing{}, in.Standings...)
		for n := range next.Seats {
			next.Seats[n].Result = out.Seats[n].Result
			next.Standings[n].Stake -= min(next.Standings[n].Stake, out.Seats[n].Slashed)
		}
		expired, err := rules.Expire(next)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, settled(fmt.Sprintf("expire after %d", i), "expire_case", next, expired))
		balanced(t, "expire", next, expired)
	}
	first := rules.RoundEnd{Law: rules.LawOf(sampleParams().Rules(3)), Round: 1, Terms: judiciaryTask().Terms()}
	expired, err := rules.Expire(first)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, settled("expire in round 1", "expire_case", first, expired))
	seen := map[string]bool{}
	for _, v := range all {
		seen[fmt.Sprint("verdict ", v.After.Verdict)] = true
		for _, s := range v.After.Seats {
			seen[fmt.Sprint("result ", s.Result)] = true
		}
	}
	if len(seen) != 4+6 {
		t.Errorf("the vectors do not show every verdict and result: %v", seen)
	}
	golden(t, filepath.Join(vectorDir, "settlements.json"), all)
}

// roundEnd makes a round of 7 to 28 seats from dice: choices, absences, equivocations, entries that
// are gone.
func roundEnd(i int) rules.RoundEnd {
	d := &dice{name: fmt.Sprint("settle ", i)}
	r := sampleParams().Rules(d.below(1 << 26))
	r.MaxRounds = 3
	if i%2 == 1 {
		r.Preset, r.Minority = uint8(rules.PayMajority), 7
	}
	if i%7 == 3 {
		r.Fee = 1 << 40 // the weight bounds the pay, and the purse is too small
	}
	in := rules.RoundEnd{Law: rules.LawOf(r), Round: uint8(1 + i%3),
		Terms: rules.Terms{Escrow: d.below(1 << 36), CreatorBond: d.below(1 << 30), WorkerBond: d.below(1 << 30), OnUndecided: voting.OnUndecided(1 + i/2%3), TradeBps: 50, ClaimBond: d.below(1 << 20)}}
	lean := d.below(10) // how likely accept is
	silent := d.below(4)
	for range 7 + d.below(22) {
		s := voting.Seat{Weight: 1_000_000_000 + d.below(9_000_000_000)}
		if d.below(10) >= silent {
			s.Committed, s.Revealed = true, d.below(20) != 0
		}
		if s.Revealed {
			s.Choice = voting.Reject
			if d.below(10) < lean {
				s.Choice = voting.Accept
			}
			if d.below(8) < silent {
				s.Choice = voting.Abstain
			}
		}
		s.Equivocated = d.below(25) == 0
		in.Seats = append(in.Seats, s)
		st := rules.Standing{Present: d.below(30) != 0, Stake: s.Weight}
		if d.below(10) == 0 {
			st.Stake = d.below(1 << 20) // slashed elsewhere: less than the amount due
		}
		in.Standings = append(in.Standings, st)
	}
	return in
}

// balanced checks that every lamport is somewhere.
func balanced(t *testing.T, name string, in rules.RoundEnd, out rules.Settlement) {
	t.Helper()
	before, after := uint64(0), out.Golden
	if out.Status != voting.AwaitingDraw {
		before += in.Terms.Escrow + in.Terms.CreatorBond + in.Terms.WorkerBond + in.Terms.ClaimBond
	}
	for _, s := range out.Seats {
		before += s.Slashed
		after += s.Earned
	}
	for _, p := range out.Payments {
		after += p.Amount
	}
	if before != after {
		t.Errorf("%s: %d lamports before, %d after", name, before, after)
	}
}

func settled(name, instruction string, in rules.RoundEnd, out rules.Settlement) settleVector {
	l := in.Law
	v := settleVector{Name: name, Instruction: instruction, Round: in.Round, MaxRounds: l.MaxRounds,
		Preset: uint8(l.Preset), Fee: dec(l.FeeMin), RiskBps: l.RiskBps, GoldenGain: l.GoldenGain, GoldenLoss: l.GoldenLoss, Absence: l.Absence, Minority: l.Minority, Reversal: l.Reversal,
		Escrow: dec(in.Terms.Escrow), CreatorBond: dec(in.Terms.CreatorBond), WorkerBond: dec(in.Terms.WorkerBond),
		OnUndecided: uint8(in.Terms.OnUndecided), TradeBps: in.Terms.TradeBps, ClaimBond: dec(in.Terms.ClaimBond), Seats: []seatIn{}}
	for i, s := range in.Seats {
		st := in.Standings[i]
		reserved, err := l.Exposure(in.Terms.Escrow, s.Weight)
		if err != nil {
			panic(err) // of a weight that a seat can have
		}
		v.Seats = append(v.Seats, seatIn{dec(s.Weight), uint8(s.Choice), uint8(flagsOf(s)), uint8(s.Result), st.Present, dec(st.Stake), dec(reserved)})
	}
	a := &v.After
	a.Status, a.Round, a.Verdict, a.Outcome = uint8(out.Status), out.Round, uint8(out.Verdict), uint8(out.Outcome)
	a.Accept, a.Reject, a.Abstain, a.Seated = dec(out.Tally.Accept), dec(out.Tally.Reject), dec(out.Tally.Abstain), dec(out.Tally.Seated)
	a.Bond, a.Golden = dec(out.Bond), dec(out.Golden)
	a.Seats, a.Payments = []seatOut{}, []paymentOut{}
	for _, s := range out.Seats {
		a.Seats = append(a.Seats, seatOut{uint8(s.Result), dec(s.Slashed), dec(s.Earned)})
	}
	for _, p := range out.Payments {
		a.Payments = append(a.Payments, paymentOut{[]string{"", "creator", "worker", "pot"}[p.To], uint8(p.Kind), dec(p.Amount)})
	}
	return v
}

func flagsOf(s voting.Seat) (f SeatFlags) {
	if s.Committed {
		f |= SeatCommitted
	}
	if s.Revealed {
		f |= SeatRevealed
	}
	if s.Equivocated {
		f |= SeatEquivocated
	}
	return f
}
