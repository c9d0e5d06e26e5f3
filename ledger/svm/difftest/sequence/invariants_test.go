package sequence_test

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/voting"
)

// counted returns the lamports that an account says it holds besides its rent.
func counted(v program.Account) uint64 {
	switch v := v.(type) {
	case *program.Agent:
		return v.Vault
	case *program.Task:
		return v.Escrow + v.CreatorBond + v.WorkerBond + v.ClaimBond
	case *program.Roster:
		return v.TotalStake + v.TotalRewards
	case *program.Pot:
		return v.Golden
	case *program.Batch:
		return v.Deposit + v.Earned
	}
	return 0
}

// invariants checks the conditions that hold after any call, independently of the model.
func (a *arena) invariants(writes []accounts.Keyed) error {
	court := false
	for _, w := range writes {
		v, ok := a.book[key(w.Key)]
		if !ok {
			continue
		}
		if err := a.sound(w, v); err != nil {
			return fmt.Errorf("%s: %w", a.name(key(w.Key)), err)
		}
		switch v.(type) {
		case *program.Roster, *program.Case:
			court = true
		}
	}
	if court {
		return a.courtHolds()
	}
	return nil
}

// sound checks that an account of the program is at the address of its own content. It must hold
// exactly its rent, its counted lamports and the lamports from outside.
func (a *arena) sound(w accounts.Keyed, v program.Account) error {
	if want := a.address(v); want != onchain.Address(w.Key) {
		return fmt.Errorf("is at the address of %s", a.name(want))
	}
	rent := a.rent(len(w.Account.Data))
	if want := rent + counted(v) + a.extra[key(w.Key)]; w.Account.Lamports != want {
		return fmt.Errorf("holds %d lamports, not rent %d + counted %d + given %d", w.Account.Lamports, rent, counted(v), a.extra[key(w.Key)])
	}
	if k, ok := v.(*program.Case); ok {
		return tallied(k)
	}
	if t, ok := v.(*program.Task); ok {
		return consistent(t)
	}
	return nil
}

func (a *arena) address(v program.Account) key {
	switch v := v.(type) {
	case *program.Config:
		return a.at(place{kind: "config"})
	case *program.Rules:
		return a.at(place{kind: "rules", n: uint64(v.Number)})
	case *program.RegistryPage:
		return a.at(place{kind: "registry", n: uint64(v.Page)})
	case *program.Agent:
		return a.at(place{kind: "agent", a: v.Authority})
	case *program.AgentData:
		return a.at(place{kind: "data", a: v.Authority, name: v.Name})
	case *program.Proctor:
		return a.at(place{kind: "proctor", a: v.Proctor})
	case *program.Batch:
		return a.at(place{kind: "batch", n: v.Number})
	case *program.Task:
		if v.IsDispute() {
			return a.at(place{kind: "dispute", a: v.Worker, b: v.Creator, name: string(v.TaskHash[:])})
		}
		return a.at(place{kind: "task", a: v.Creator, n: v.ID})
	case *program.Roster:
		return a.at(place{kind: "roster"})
	case *program.Case:
		return a.at(place{kind: "case", a: v.Task})
	case *program.Channel:
		return a.at(place{kind: "channel", a: v.Payer, b: v.Payee})
	case *program.Pot:
		return a.at(place{kind: "pot"})
	case *program.Pledge:
		return a.at(place{kind: "pledge", a: v.Task})
	case *program.Admission:
		return a.at(place{kind: "admission", a: v.Judge})
	case *program.VerdictAccount:
		return a.at(place{kind: "verdict", a: v.Subject})
	}
	return key{}
}

// tallied checks that the tally matches the seats, whose judges are all different.
func tallied(k *program.Case) error {
	var sums [4]uint64
	var seated uint64
	var committed, revealed uint8
	judges := map[key]bool{}
	for n, seat := range append(append([]program.Seat{}, k.Seats...), k.First...) {
		judges[seat.Judge] = true
		if n >= len(k.Seats) { // of the first panel
			continue
		}
		seated += seat.Weight
		if seat.Flags&program.SeatCommitted != 0 {
			committed++
		}
		if seat.Flags&program.SeatRevealed != 0 {
			revealed++
		}
		settled := k.Status != voting.Committing && k.Status != voting.Revealing // later evidence changes no tally
		if seat.Flags&program.SeatEquivocated == 0 || settled {
			sums[seat.Choice] += seat.Weight
		}
	}
	running := k.Status == voting.Committing || k.Status == voting.Revealing
	switch {
	case len(judges) != len(k.Seats)+len(k.First):
		return fmt.Errorf("a judge has two seats")
	case seated != k.SeatedWeight && (k.AppealSeats == 0 || k.Level != 1) || committed != k.Committed || revealed != k.Revealed:
		return fmt.Errorf("seated %d, committed %d, revealed %d of %+v", seated, committed, revealed, k)
	case running && (sums[1] != k.AcceptWeight || sums[2] != k.RejectWeight || sums[3] != k.AbstainWeight):
		return fmt.Errorf("the tally is %v of %+v", sums, k)
	case k.Round < 1 || k.Round > k.Rules.MaxRounds*(1+min(1, k.AppealSeats)):
		return fmt.Errorf("round %d of %d", k.Round, k.Rules.MaxRounds)
	}
	return nil
}

// consistent checks that a task's holdings match its status.
func consistent(t *program.Task) error {
	over := t.Status.Over()
	switch {
	case over && t.Escrow+t.CreatorBond+t.WorkerBond+t.ClaimBond != 0:
		return fmt.Errorf("a task that is over holds money: %+v", t)
	case over == (t.Outcome == voting.NoOutcome) || over == (t.FinishedAt == 0):
		return fmt.Errorf("%s with outcome %d", t.Status, t.Outcome)
	case !over && !t.IsDispute() && (t.Status >= program.Verification && t.Escrow != t.Reward || t.Escrow < t.Reward || t.Escrow > t.RewardMax):
		return fmt.Errorf("escrow %d of a reward of %d", t.Escrow, t.Reward)
	case t.CreatorBond != 0 && t.Status != program.Disputed && t.Status != program.Judiciary,
		t.WorkerBond != 0 && t.Status != program.Judiciary:
		return fmt.Errorf("%s with bonds %d and %d", t.Status, t.CreatorBond, t.WorkerBond)
	case t.Status == program.Created && t.ClaimBond+t.Reward != 0:
		return fmt.Errorf("unclaimed with a bond of %d and a price of %d", t.ClaimBond, t.Reward)
	case (t.Status == program.Created) != t.Worker.IsZero() && !over:
		return fmt.Errorf("%s with worker %s", t.Status, t.Worker)
	}
	return nil
}

// courtHolds checks that the totals of the Roster match its entries and the open cases, and that
// the seats of live rounds are counted.
func (a *arena) courtHolds() error {
	r := a.roster()
	var stake, rewards, weight, before uint64
	active := uint32(0)
	live, locked := map[key]uint16{}, map[key]uint64{}
	for _, v := range a.book {
		k, ok := v.(*program.Case)
		if !ok {
			continue
		}
		if k.Status == voting.Committing || k.Status == voting.Revealing {
			for _, seat := range k.Seats {
				live[seat.Judge]++
				locked[seat.Judge] += exposed(k, seat)
			}
		}
		for _, seat := range append(append([]program.Seat{}, k.Seats...), k.First...) {
			if seat.Flags&program.SeatHeld != 0 {
				live[seat.Judge]++
				locked[seat.Judge] += later(k, seat)
			}
		}
	}
	for _, e := range r.Entries {
		stake, rewards = stake+e.Stake, rewards+e.Rewards
		weight, before = weight+e.Weight, before+e.WeightBefore
		switch {
		case e.State == program.EntryActive:
			active++
		case e.State == program.EntryFree && e != (program.RosterEntry{Weight: e.Weight, WeightBefore: e.WeightBefore, Owned: e.Owned}):
			return fmt.Errorf("a free entry has %+v", e)
		}
		if e.State != program.EntryFree && (e.Live != live[e.Authority] || e.Locked != locked[e.Authority]) {
			return fmt.Errorf("%s: live %d, locked %d, by the cases %d, %d", a.name(e.Authority), e.Live, e.Locked, live[e.Authority], locked[e.Authority])
		}
		delete(live, e.Authority)
	}
	switch {
	case weight < r.Weight || weight != r.Pages[0] || before != r.PagesBefore[0]: // no court here has two pages
		return fmt.Errorf("weights %d and %d of %+v", weight, before, r)
	case len(live) != 0:
		return fmt.Errorf("%d judges of live rounds are not on the roster", len(live))
	case stake != r.TotalStake || rewards != r.TotalRewards || active != r.Active:
		return fmt.Errorf("stake %d, rewards %d, active %d of %+v", stake, rewards, active, r)
	}
	return nil
}
