package oju_test

import (
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// claimBond is the bond of a claim of a task of at most two SOL.
const claimBond = 2 * sol / 50

// rising is an auction from one to two SOL in 1,000 s, whose work takes 1,000 s.
func rising(c *program.CreateTask) {
	c.Auction, c.AuctionSeconds, c.RewardMin, c.RewardMax, c.WorkSeconds = voting.ReverseDutch, 1_000, sol, 2*sol, 1_000
}

// price returns what a claim gets now.
func (s *scene) price(k task) uint64 {
	s.t.Helper()
	price, err := s.taskOf(k).Offer().Price(s.config().Market(s.now()))
	if err != nil {
		s.t.Fatal(err)
	}
	return price
}

// TestAttackTaskHeldByTwoAgents: two agents claim a task in turns, so that nobody else gets it.
// Before, six claims cost fees alone, and the auction stood at its lowest price for ever. Now each
// costs 2 % of the highest reward, which the creator gets, and the price rises between the claims.
func TestAttackTaskHeldByTwoAgents(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k, creator := s.created(rising), s.vault("alice")
	same(t, "the price at first", s.price(k), sol)
	for n := range uint64(6) {
		k.worker = []string{"bob", "carol"}[n%2]
		before := s.vault(k.worker)
		s.ok(s.claim(k, k.worker, 0))
		s.pass(1_000)
		s.ok(s.expire(k))
		same(t, "the loss of the attacker", before-s.vault(k.worker), claimBond)
		s.refused(program.ErrWorkerBarred, s.claim(k, k.worker, 0))
		same(t, "the auction stood still", s.price(k), sol+n*sol/10)
		s.pass(100)
		same(t, "and goes on", s.price(k), sol+(n+1)*sol/10)
	}
	same(t, "the creator's gain", s.vault("alice")-creator, 6*claimBond)
	same(t, "the escrow is whole", s.taskOf(k).Escrow, 2*sol)
	s.ok(s.prog.CancelTask(s.at("alice"), k.at))
	same(t, "and returns", s.vault("alice")-creator, 2*sol+6*claimBond)
}

// TestAttackHigherPriceByMissing: a worker waits for a higher price behind a claim of its second
// agent, which keeps others away. The price does not rise meanwhile, and the claim costs its bond.
func TestAttackHigherPriceByMissing(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.created(rising)
	s.pass(100)
	k.worker = "bob"
	s.ok(s.claim(k, "bob", 0))
	s.pass(1_000)
	s.ok(s.expire(k))
	s.refused(program.ErrPriceTooLow, s.claim(k, "carol", sol+sol/10+1))
	s.ok(s.claim(k, "carol", sol+sol/10))

	// A missed rework neither raises the price nor takes more from the creator than it paid in.
	k.worker = "carol"
	s.ok(s.start(k))
	s.ok(s.submit(k))
	same(t, "the rest is the creator's again", s.taskOf(k).Escrow, sol+sol/10)
	s.ok(s.object(k))
	s.ok(s.rework(k))
	before := s.vault("carol")
	s.pass(1_000)
	s.ok(s.expire(k))
	same(t, "no bond comes back", s.vault("carol"), before)
	s.pass(100_000)
	same(t, "the price after a missed rework", s.price(k), sol+sol/10)
	s.refused(program.ErrPriceTooLow, s.claim(k, "bob", sol+sol/10+1))
	s.ok(s.claim(k, "bob", 0))
}

// TestAttackHeldForNothingByRelease: agents give a claim back just in time, again and again, to
// hold a task for nothing. Together they can do so for a tenth of its time, once.
func TestAttackHeldForNothingByRelease(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.created(rising)
	held := int64(0)
	for n := 0; ; n++ {
		k.worker = []string{"bob", "carol"}[n%2]
		s.ok(s.claim(k, k.worker, 0))
		s.pass(33)
		if held += 33; held >= 100 {
			break
		}
		before := s.vault(k.worker)
		s.ok(s.release(k))
		same(t, "the bond comes back", s.vault(k.worker)-before, claimBond)
		s.refused(program.ErrWorkerBarred, s.claim(k, k.worker, 0))
		same(t, "the auction stood still", s.price(k), sol)
	}
	same(t, "seconds held for nothing", held-33, 99)
	s.refused(program.ErrTooLate, s.release(k))
	s.pass(1_000 - 33)
	s.ok(s.expire(k))
	same(t, "the creator has no bond", s.vault("alice"), 100*sol-2*sol)
	same(t, "the golden pot has it", s.pot().Golden, claimBond)
}

// TestAttackPriceRaisedByAPause: the authority pauses the court, and its own agent claims in the
// transaction that ends the pause. Before, the auction ran on while nobody could claim, so that
// 900 s of a pause brought the agent 0.9 SOL more. Now the market's clock stands still.
func TestAttackPriceRaisedByAPause(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.created(rising)
	s.pass(100)
	s.ok(s.pause(1))
	s.pass(450)
	s.ok(s.pause(1)) // once more begins no other pause
	s.pass(450)
	same(t, "the price in the pause", s.price(k), sol+sol/10)
	s.refused(program.ErrPaused, s.claim(k, "bob", 0))
	s.refused(program.ErrPriceTooLow, s.pause(0), s.claim(k, "bob", sol+sol/10+1))
	s.ok(s.pause(0), s.claim(k, "bob", sol+sol/10))
	same(t, "the reward", s.taskOf(k).Reward, sol+sol/10)
	same(t, "the time of all pauses", s.config().PausedSeconds, 900)
}

// TestAttackAuctionMovedByPauses: pauses fall before, into and after a claim, and the claim is
// given back or missed in one. The auction runs only while the task can be claimed.
func TestAttackAuctionMovedByPauses(t *testing.T) {
	s := alone(t)
	s.cast(7)
	s.ok(s.pause(1))
	s.pass(5_000)
	s.ok(s.pause(0))
	for _, missed := range []bool{false, true} {
		k := s.created(rising)
		s.pass(100)
		k.worker = "bob"
		s.ok(s.claim(k, "bob", 0))
		s.pass(20)
		s.ok(s.pause(1))
		if missed {
			s.pass(1_000)
			s.ok(s.expire(k))
		} else {
			s.pass(30)
			s.ok(s.release(k))
		}
		s.pass(700)
		same(t, "the price where it was at the claim", s.price(k), sol+sol/10)
		s.ok(s.pause(0))
		s.pass(200)
		same(t, "it goes on after the pause", s.price(k), sol+3*sol/10)
		s.refused(program.ErrPriceTooLow, s.claim(k, "carol", sol+3*sol/10+1))
		s.ok(s.claim(k, "carol", sol+3*sol/10))
	}
}

// TestAttackWorkDumpedByRelease: a worker that handed in a bad result cannot leave by a release,
// and so keeps what it risks.
func TestAttackWorkDumpedByRelease(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.verified(rising)
	s.refused(program.ErrWrongStatus, s.release(k))
	s.ok(s.object(k))
	s.refused(program.ErrWrongStatus, s.release(k))
	s.ok(s.rework(k))
	s.refused(program.ErrWrongStatus, s.release(k))
}

// TestAttackClaimBondKept: a claim's bond returns at every end that is no missed deadline. So no
// creator earns one by its own silence, by an objection, or by a case.
func TestAttackClaimBondKept(t *testing.T) {
	s := alone(t)
	s.cast(7)
	for name, end := range map[string]func() task{
		"accepted":       func() task { k := s.verified(); s.ok(s.accept(k)); return k },
		"creator silent": func() task { k := s.verified(); s.pass(28_800); s.ok(s.expire(k)); return k },
		"worker silent":  func() task { k := s.disputed(); s.pass(28_800); s.ok(s.expire(k)); return k },
		"won":            func() task { k := s.seated(); s.round(k, all(s.panel(k), voting.Accept)); return k },
		"lost":           func() task { k := s.seated(); s.round(k, all(s.panel(k), voting.Reject)); return k },
		"undecided":      func() task { k := s.contested(); s.pass(1_800); s.ok(s.expireCase(k)); return k },
	} {
		before := s.vault("bob") + s.vault("alice") + s.pot().Golden + s.roster().TotalRewards
		k := end()
		same(t, name+": held", s.taskOf(k).ClaimBond, 0)
		after := s.vault("bob") + s.vault("alice") + s.pot().Golden + s.roster().TotalRewards
		same(t, name+": all of it is back", after, before)
	}
	same(t, "the worker's bonds", s.agentOf("bob").TasksMissed, 0)
	s.ok(s.prog.Withdraw(s.at("carol"), program.Withdraw{Amount: s.vault("carol")}))
	s.refused(program.ErrNotEnoughInVault, s.claim(s.created(), "carol", 0))
}

// TestAttackFutureGrantRevoked: somebody removes a grant for a task that is not there yet. Before,
// an empty address counted as a task that is over.
func TestAttackFutureGrantRevoked(t *testing.T) {
	s := alone(t)
	s.begin()
	nobody := onchain.Address{}
	s.ok(s.notes("hello"))
	next := s.next("alice")
	s.ok(s.grant(next, nobody, program.GrantWrite))
	s.refused(program.ErrNotAuthority, s.revoke("carol", next, nobody))
	other := s.created() // takes the number, so that the address is another task's
	same(t, "the next task has the address", other.at, next.at)
	s.refused(program.ErrNotAuthority, s.revoke("carol", next, nobody)) // it is not over
	s.ok(s.prog.CancelTask(s.at("alice"), next.at))
	s.ok(s.prog.CloseTask(next.at, s.at("alice"), s.under(next)))
	wrong := func(change func(*program.Revoke)) onchain.Instruction {
		i := program.Revoke{Task: next.at, Grantee: nobody}
		change(&i)
		return s.prog.Revoke(s.at("carol"), s.notesAt(), s.at("alice"), i)
	}
	s.refused(program.ErrNotAuthority, wrong(func(i *program.Revoke) { i.ID = 1 }))
	s.refused(program.ErrNotAuthority, swap(s.revoke("carol", next, nobody), 3, s.prog.Agent(s.at("bob"))))
	s.refused(program.ErrWrongOwner, swap(s.revoke("carol", next, nobody), 3, s.at("alice")))
	s.ok(s.revoke("carol", next, nobody))

	arbitrary := task{at: s.at("dave"), creator: "alice"} // an address that is no task's
	s.ok(s.grant(arbitrary, nobody, program.GrantRead))
	s.refused(program.ErrNotAuthority, s.revoke("carol", arbitrary, nobody))
	s.ok(s.revoke("alice", arbitrary, nobody))
}
