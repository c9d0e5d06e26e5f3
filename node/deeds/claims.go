package deeds

import (
	"context"
	"slices"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Claims returns ledger.SubmitOptions.Along of the end of a case: claim_reward for each judge that
// earned something, to the account of its withdraw key, which the program demands anyway. A judge
// whose account does not exist yet is left to itself: its reward may be less than the rent, and
// then nothing of the transaction would happen.
func Claims(c reader, task onchain.Address) func(context.Context, []program.Event) ([]onchain.Instruction, error) {
	return func(ctx context.Context, events []program.Event) ([]onchain.Instruction, error) {
		if !pays(task, events) {
			return nil, nil
		}
		dispute, _, err := ledger.Read(ctx, c, c.Program().Case(task), program.DecodeCase)
		if err != nil {
			return nil, err
		}
		roster, _, err := ledger.Read(ctx, c, c.Program().Roster(), program.DecodeRoster)
		if err != nil {
			return nil, err
		}
		var all []onchain.Instruction
		var wallets []onchain.Address
		for _, judge := range earners(task, dispute, events) {
			if i := roster.Find(voting.Key(judge)); i >= 0 {
				wallet := roster.Entries[i].Withdraw
				wallets = append(wallets, wallet)
				all = append(all, c.Program().ClaimReward(wallet, wallet, program.ClaimReward{Judge: judge}))
			}
		}
		if len(all) == 0 {
			return nil, nil
		}
		found, _, err := c.Accounts(ctx, wallets...)
		if err != nil {
			return nil, err
		}
		kept := all[:0]
		for i, a := range found {
			if a != nil {
				kept = append(kept, all[i])
			}
		}
		return kept, nil
	}
}

// pays reports whether one of the events is of a case and may have paid its seats.
func pays(task onchain.Address, events []program.Event) bool {
	for _, e := range events {
		if len(ends(task, e)) > 0 {
			return true
		}
	}
	return false
}

// ends returns what an event says that each seat earned: those of the first panel, then of the
// appeal, or those of the present panel alone.
func ends(task onchain.Address, e program.Event) (earned []uint64) {
	switch e := e.(type) {
	case *program.RoundSettled:
		for i := range e.Seats {
			if e.Task == task {
				earned = append(earned, e.Seats[i].Earned)
			}
		}
	case *program.CaseFinished:
		for i := range e.Seats {
			if e.Task == task {
				earned = append(earned, e.Seats[i].Earned)
			}
		}
	}
	return earned
}

// earners returns the judges of a case whose seats earned something.
func earners(task onchain.Address, dispute *program.Case, events []program.Event) (all []onchain.Address) {
	for _, e := range events {
		seats, earned := slices.Concat(dispute.First, dispute.Seats), ends(task, e)
		if len(earned) < len(seats) {
			seats = dispute.Seats
		}
		for i := range min(len(seats), len(earned)) {
			if earned[i] > 0 && !slices.Contains(all, seats[i].Judge) {
				all = append(all, seats[i].Judge)
			}
		}
	}
	return all
}
