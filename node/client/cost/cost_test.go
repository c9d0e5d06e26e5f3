package cost

import (
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// TestCosts: the costs of a task of 1 SOL are those of docs/rules.md, and an engine of somebody
// else opens no case.
func TestCosts(t *testing.T) {
	t.Parallel()
	task := &program.Task{RewardMin: 1e9, RewardMax: 1e9, Escrow: 1e9, ClaimBps: 200, TradeBps: 50, Seats: 28}
	s, err := Of(task, program.DefaultParams(), 0)
	if want := (Steps{Price: 1e9, Share: 5e6, Claim: 2e7, Object: 2e8, Answer: 1e8, Rent: 22_104_960}); err != nil || s != want {
		t.Errorf("%+v, want %+v, %v", s, want, err)
	}
	task.Engine = onchain.Address{1}
	if s, err = Of(task, program.DefaultParams(), 0); err != nil || s.Rent != 0 {
		t.Errorf("%+v %v", s, err)
	}
}
