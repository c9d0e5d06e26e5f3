package oju_test

import (
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestAttackFeeDodgedByTheWayOfPayment: whichever way a worker is paid, the golden pot gets half a
// percent of it. Otherwise two parties would choose the way that costs nothing, and golden cases
// would have no money. A refund costs nothing.
func TestAttackFeeDodgedByTheWayOfPayment(t *testing.T) {
	s := alone(t)
	s.cast(7)
	decided := func(choice voting.Choice) func() {
		return func() {
			k := s.seated()
			s.round(k, all(s.panel(k), choice))
		}
	}
	undrawn := func(term voting.OnUndecided) func() {
		return func() {
			k := s.contested(func(c *program.CreateTask) { c.OnUndecided = term })
			s.pass(1_800)
			s.ok(s.expireCase(k))
		}
	}
	for name, way := range map[string]struct {
		paid  uint64 // to worker and Pot together
		bonds uint64 // lost by the parties, less the pay of judges: also the Pot's
		mine  uint64 // of it the worker's
		end   func()
	}{
		"accepted":       {sol, 0, 0, func() { s.ok(s.accept(s.verified())) }},
		"creator silent": {sol, 0, 0, func() { k := s.verified(); s.pass(28_800); s.ok(s.expire(k)) }},
		"verdict":        {sol, creatorBond - 7*pay, 0, decided(voting.Accept)},
		"undecided, pay": {sol, workerBond, workerBond, undrawn(voting.PayWorker)},
		"split":          {sol / 2, (creatorBond + workerBond) / 2, workerBond / 2, undrawn(voting.SplitEscrow)},
		"refunded":       {0, workerBond - 7*pay, 0, decided(voting.Reject)},
		"worker silent":  {0, 0, 0, func() { k := s.disputed(); s.pass(28_800); s.ok(s.expire(k)) }},
		"not drawn":      {0, creatorBond, 0, undrawn(voting.RefundCreator)},
		"cancelled":      {0, 0, 0, func() { s.ok(s.prog.CancelTask(s.at("alice"), s.created().at)) }},
	} {
		golden, worker := s.pot().Golden, s.vault("bob")
		way.end()
		same(t, name+": the golden pot", s.pot().Golden-golden-way.bonds, way.paid/200)
		if way.paid > 0 {
			same(t, name+": the worker", s.vault("bob")-worker+way.mine, way.paid-way.paid/200)
		}
	}
	rent := s.env.Rent.MinimumBalance(program.PotSize)
	same(t, "the Pot's lamports", s.accounts[s.prog.Pot()].Lamports, rent+s.pot().Golden)
}

// TestAttackFeeRaisedUnderWay: an authority raises the trade fee when workers have done the work.
// It gains nothing: a task keeps the rules of its creation. With the fee in force the worker would
// have lost 0.1 SOL of each, now it is 0.005 SOL.
func TestAttackFeeRaisedUnderWay(t *testing.T) {
	s := alone(t)
	s.cast(7)
	before, k := s.vault("bob"), s.verified()
	s.enact(func(p *program.Params) { p.TradeBps = 1_000 })
	s.ok(s.accept(k))
	same(t, "under way", s.vault("bob")-before, earned)
	before = s.vault("bob")
	s.ok(s.accept(s.verified()))
	same(t, "created later", s.vault("bob")-before, sol-sol/10)
}
