package oju_test

import (
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// engine is another program that decides tasks: whatever an account of it says, it said.
var engine = onchain.Address(difftest.Address("engine"))

// byEngine lets another program decide, and pays the agent of engineer.
func (s *scene) byEngine(c *program.CreateTask) {
	c.Engine, c.EngineAgent, c.EngineFee, c.EngineSeconds = engine, s.at("engineer"), 4_000_001, 600
}

// contestedWith returns a task of alice and bob with these terms, in the judiciary.
func (s *scene) contestedWith(change func(*program.CreateTask)) task {
	s.t.Helper()
	k := s.next("alice")
	s.ok(s.create("alice", change))
	s.ok(s.claim(k, "bob", 0))
	k.worker = "bob"
	for _, i := range []onchain.Instruction{s.start(k), s.submit(k), s.object(k), s.counter(k)} {
		s.ok(i)
	}
	return k
}

// says lets the engine write its verdict about a task; change makes it another one.
func (s *scene) says(k task, v voting.Verdict, change ...func(*program.VerdictAccount, *accounts.Account)) {
	s.t.Helper()
	at, bump, err := solana.FindProgramAddress([][]byte{[]byte("verdict"), k.at[:]}, solana.PublicKey(engine))
	if err != nil {
		s.t.Fatal(err)
	}
	told := &program.VerdictAccount{Bump: bump, IsFinal: 1, Verdict: v, Subject: k.at, Engine: engine, DecidedAt: s.now()}
	a := accounts.Account{Lamports: sol, Owner: solana.PublicKey(engine)}
	for _, f := range change {
		f(told, &a)
	}
	a.Data = told.Encode()
	s.put(onchain.Address(at), a)
}

func (s *scene) settleByEngine(k task) onchain.Instruction {
	return s.prog.SettleByEngine(k.at, s.taskOf(k))
}

func (s *scene) openCase(k task, payer string) onchain.Instruction {
	return s.prog.OpenCase(s.at(payer), k.at, s.under(k))
}

func engineScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"it decides": func(s *scene) {
			s.castEngine()
			accepted, undecided := s.contestedWith(s.byEngine), s.contestedWith(s.byEngine)
			s.says(accepted, voting.ForWorker, func(v *program.VerdictAccount, _ *accounts.Account) { v.IsFinal = 0 })
			s.no(program.ErrNotFinal, s.settleByEngine(accepted))
			s.says(accepted, voting.ForWorker)
			s.ok(s.settleByEngine(accepted))
			s.says(undecided, voting.Undecided)
			s.ok(s.settleByEngine(undecided))
			s.ok(s.prog.CloseTask(accepted.at, s.at("alice"), s.under(accepted)))
		},
		"it is silent": func(s *scene) {
			s.castEngine()
			k := s.contestedWith(s.byEngine)
			term := s.contestedWith(func(c *program.CreateTask) { s.byEngine(c); c.OnSilence = program.EndByTerm })
			s.no(program.ErrTooEarly, s.openCase(k, "carol"))
			s.no(program.ErrTooEarly, s.expire(term))
			s.pass(600)
			s.no(program.ErrTooLate, s.settleByEngine(k))
			s.no(program.ErrWrongStatus, s.expire(k))
			s.no(program.ErrWrongStatus, s.openCase(term, "carol"))
			s.ok(s.openCase(k, "carol"))
			s.no(program.ErrAlreadyExists, s.openCase(k, "carol"))
			s.ok(s.expire(term))
		},
	}
}

// castEngine is cast with the agent of the engine's maker.
func (s *scene) castEngine() {
	s.t.Helper()
	s.cast(7)
	s.fund("engineer", 300*sol)
	s.agent("engineer", onchain.Address{})
}

// TestAttackEngineImpersonated: a party gains the escrow of 1 SOL by a verdict that the engine did
// not write, did not write about this task, or has not made final.
func TestAttackEngineImpersonated(t *testing.T) {
	s := alone(t)
	s.castEngine()
	k, other := s.contestedWith(s.byEngine), s.contestedWith(s.byEngine)
	i := s.settleByEngine(k)
	s.refused(program.ErrWrongOwner, i) // it has said nothing
	s.says(k, voting.ForWorker, func(_ *program.VerdictAccount, a *accounts.Account) { a.Owner = difftest.Address("mallory's program") })
	s.refused(program.ErrWrongOwner, i)
	s.says(k, voting.ForWorker, func(v *program.VerdictAccount, _ *accounts.Account) { v.Subject = other.at })
	s.refused(program.ErrWrongAddress, i)
	s.says(other, voting.ForWorker)
	s.refused(program.ErrWrongAddress, swap(i, 4, program.EngineVerdict(engine, onchain.Address{}, other.at)))
	s.says(k, voting.ForWorker, func(v *program.VerdictAccount, _ *accounts.Account) { v.IsFinal = 0 })
	s.refused(program.ErrNotFinal, i)
	s.says(k, 0)
	s.refused(program.ErrWrongAccount, i)
	s.says(k, voting.ForCreator)
	s.refused(program.ErrWrongAddress, swap(i, 5, s.prog.Agent(s.at("carol")))) // the fee for somebody else
	s.refused(program.ErrNotEnoughAccounts, cut(i, 5))
	s.ok(i)
	same(t, "outcome", s.taskOf(k).Outcome, voting.Refunded)
}

// TestAttackEngineTurnsItsWord: an engine that is bribed after the settlement takes nothing back,
// and one that is silent in its time decides nothing later.
func TestAttackEngineTurnsItsWord(t *testing.T) {
	s := alone(t)
	s.castEngine()
	k, late := s.contestedWith(s.byEngine), s.contestedWith(s.byEngine)
	s.says(k, voting.ForWorker)
	s.ok(s.settleByEngine(k))
	s.says(k, voting.ForCreator)
	s.refused(program.ErrWrongStatus, s.settleByEngine(k))
	s.refused(program.ErrTooEarly, s.openCase(late, "carol"))
	s.pass(600)
	s.says(late, voting.ForCreator)
	s.refused(program.ErrTooLate, s.settleByEngine(late))
	s.refused(program.ErrWrongStatus, s.expire(late)) // its terms say that the court decides
	s.ok(s.openCase(late, "carol"))
	s.refused(program.ErrWrongStatus, s.settleByEngine(late))
	s.draw(late)
	s.round(late, all(s.panel(late), voting.Accept))
	same(t, "outcome", s.taskOf(late).Outcome, voting.Paid)
}

// TestAttackOwnEngine: a creator names its own program, which always refunds. Without engines the
// loser's bond was lost; the worker keeps it, but for the fee that it accepted. The fee
// cannot go to a party, or to nobody, which would keep the task from being settled.
func TestAttackOwnEngine(t *testing.T) {
	s := alone(t)
	s.castEngine()
	own := func(payee string) onchain.Instruction {
		return s.create("alice", s.byEngine, func(c *program.CreateTask) { c.EngineAgent = s.at(payee) })
	}
	s.refused(program.ErrWrongEngine, own("alice"))
	s.refused(program.ErrWrongOwner, own("mallory"))
	before := s.vault("bob")
	k := s.contestedWith(s.byEngine)
	s.says(k, voting.ForCreator)
	s.ok(s.settleByEngine(k))
	same(t, "the worker loses", before-s.vault("bob"), 4_000_001)
	open := s.next("alice")
	s.ok(s.create("alice", s.byEngine))
	s.refused(program.ErrWrongEngine, s.claim(open, "engineer", 0))
}

// TestAttackDeadEngine: the creator names an engine that answers never, and terms by which silence
// refunds it. It had the result of 1 SOL and all of its money back. Now the side that profits by
// the silence loses its bond, as if the court had decided nothing, and the Pot gets it. So the work
// costs the creator 0.2 SOL, and a creator that gets nothing by the silence pays half of that.
func TestAttackDeadEngine(t *testing.T) {
	creator, worker, claim := uint64(sol/5), uint64(sol/10), uint64(sol/50)
	for term, want := range map[voting.OnUndecided][3]uint64{ // what vaults of both sides and the Pot get
		voting.RefundCreator: {sol, worker + claim, creator},
		voting.PayWorker:     {creator, sol - sol/200 + claim, sol/200 + worker},
		voting.SplitEscrow:   {sol/2 + creator/2, sol/2 - sol/400 + worker/2 + claim, sol/400 + creator/2 + worker/2},
	} {
		s := alone(t)
		s.castEngine()
		k := s.contestedWith(func(c *program.CreateTask) { s.byEngine(c); c.OnSilence, c.OnUndecided = program.EndByTerm, term })
		same(t, "bonds", [2]uint64{s.taskOf(k).CreatorBond, s.taskOf(k).WorkerBond}, [2]uint64{creator, worker})
		before := [3]uint64{s.vault("alice"), s.vault("bob"), s.pot().Golden}
		s.refused(program.ErrTooEarly, s.expire(k))
		s.pass(600)
		s.ok(s.expire(k))
		for i, now := range [3]uint64{s.vault("alice"), s.vault("bob"), s.pot().Golden} {
			same(t, [3]string{"alice", "bob", "the Pot"}[i], now-before[i], want[i])
		}
	}
}
