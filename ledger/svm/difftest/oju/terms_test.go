package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// These attacks are on the terms that a creator gives a dispute: the size of its first panel, and
// the fee of a seat.

// TestAttackFeePricesTheWorkerOut: a creator names a fee of 1 SOL a seat for a reward of 1 SOL, and
// objects to a good result. The worker cannot post 35 SOL, is silent, and works for nothing. Now no
// bond that the terms ask for is more than the least reward, also of an auction.
func TestAttackFeePricesTheWorkerOut(t *testing.T) {
	s := alone(t)
	s.cast(7)
	for _, c := range []struct {
		seats uint8
		most  uint64
	}{{7, sol / 35}, {14, sol / 42}, {28, sol / 56}, {0, sol / 56}} {
		of := func(fee uint64) func(*program.CreateTask) {
			return func(i *program.CreateTask) {
				i.Seats, i.FeeMin, i.RewardMax, i.Auction, i.AuctionSeconds = c.seats, fee, 2*sol, 1, 60
			}
		}
		for _, fee := range []uint64{c.most + 1, sol, 1 << 62, 1<<64 - 1} {
			s.refused(program.ErrBadTerm, s.create("alice", of(fee)))
		}
		k := s.disputed(of(c.most))
		got := s.taskOf(k)
		if got.CreatorBond > got.Reward || got.CreatorBond < got.Reward/5 {
			t.Errorf("%d seats: a bond of %d for a reward of %d", c.seats, got.CreatorBond, got.Reward)
		}
		before := s.vault("bob")
		s.ok(s.counter(k))
		if bond := before - s.vault("bob"); bond > got.Reward {
			t.Errorf("%d seats: the worker posts %d for a reward of %d", c.seats, bond, got.Reward)
		}
	}
}

// TestAttackPanelOfOddSize: six of eight accept, and six of seven would pay the worker, but six of
// eight are 75 %. A creator that may choose any number chooses the one that asks for most: with
// five seats 80 %. Now a panel has 7, 14 or all of the court's seats, and never fewer than its
// least.
func TestAttackPanelOfOddSize(t *testing.T) {
	s := alone(t)
	s.cast(10)
	for seats := range 256 {
		create := s.create("alice", func(i *program.CreateTask) { i.Seats = uint8(seats) })
		switch seats {
		case 0, 7, 14, 28:
			s.ok(create)
		default:
			s.refused(program.ErrBadTerm, create)
		}
	}
	s.enact(func(p *program.Params) { p.PanelSeats, p.MinSeats = 10, 8 })
	for seats, taken := range map[uint8]bool{0: true, 10: true, 7: false, 14: false, 28: false} {
		create := s.create("alice", func(i *program.CreateTask) { i.Seats = seats })
		if !taken {
			s.refused(program.ErrBadTerm, create)
			continue
		}
		s.ok(create)
	}
}

// TestSmallPanelCostsLess: a panel of 7 has 7 seats, whose rent and fees are a quarter.
func TestSmallPanelCostsLess(t *testing.T) {
	s := alone(t)
	s.cast(20, func(p *program.Params) { p.AppealSeconds = 0 })
	for _, seats := range []uint8{7, 14} {
		k := s.contested(func(i *program.CreateTask) { i.Seats, i.RewardMin, i.RewardMax = seats, sol/10, sol/10 })
		same(t, "bond", s.taskOf(k).WorkerBond, uint64(seats+28)*2*pay)
		same(t, "bytes", len(s.accounts[s.prog.Case(k.at)].Data), program.CaseSize(int(seats)))
		s.draw(k)
		same(t, "seats", len(s.panel(k)), int(seats))
		before, golden := s.vault("alice"), s.pot().Golden
		s.round(k, all(s.panel(k), voting.Reject))
		same(t, "the reward and the bond come back", s.vault("alice")-before, sol/10+uint64(seats+28)*2*pay)
		same(t, "the golden pot", s.pot().Golden-golden, uint64(seats+28)*2*pay-uint64(seats)*pay)
	}
}
