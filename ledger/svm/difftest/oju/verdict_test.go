package oju_test

import (
	"bytes"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// told returns the verdict account of a task.
func (s *scene) told(k task) *program.VerdictAccount {
	s.t.Helper()
	return read(s, s.prog.Verdict(k.at), program.DecodeVerdictAccount)
}

// TestAttackVerdictForged: an escrow of somebody else holds 10 SOL for the winner. The loser gains
// them by an account that says otherwise. Nobody can write one before the end, about another task,
// at another address, or in somebody else's name.
func TestAttackVerdictForged(t *testing.T) {
	s := alone(t)
	s.cast(7)
	running, won := s.seated(), s.seated()
	s.refused(program.ErrWrongStatus, s.publish(running, "carol"))
	s.round(won, all(s.panel(won), voting.Accept))
	good := s.publish(won, "carol")
	s.refused(program.ErrWrongAddress, swap(good, 1, running.at))                 // the won case for the running task
	s.refused(program.ErrWrongAddress, swap(good, 2, s.prog.Case(running.at)))    // the other way round
	s.refused(program.ErrWrongAddress, swap(good, 3, s.prog.Verdict(running.at))) // won, at the address of the running one
	s.refused(program.ErrWrongAddress, swap(good, 3, s.at("mallory")))            // somewhere else
	s.refused(program.ErrNotSigner, replace(good, 0, onchain.AccountMeta{Address: s.at("dave"), Writable: true}))
	s.ok(good)
	s.refused(program.ErrAlreadyExists, s.publish(won, "carol"))
	v := s.told(won)
	same(t, "verdict", v.Verdict, voting.ForWorker)
	same(t, "subject", v.Subject, won.at)
	same(t, "engine", v.Engine, onchain.Address{})
	same(t, "facts", v.Facts, s.prog.Facts(s.taskOf(won), s.caseOf(won)))
	same(t, "parties", [2]onchain.Address{v.Creator, v.Worker}, [2]onchain.Address{s.at("alice"), s.at("bob")})
	same(t, "result", v.ResultHash, s.taskOf(won).ResultHash)
	same(t, "reward", v.Reward, s.taskOf(won).Reward)
}

// TestAttackVerdictAddressPrefunded: whoever sends lamports to the address of a verdict before it
// is there would keep an escrow from paying, for one lamport. The account is made all the same, and
// the gift lowers the rent that the sender pays.
func TestAttackVerdictAddressPrefunded(t *testing.T) {
	rent := uint64((program.VerdictAccountSize + 128) * 6_960)
	for _, gift := range []uint64{1, 890_880, rent, 5 * sol} {
		s := alone(t)
		s.cast(7)
		k := s.seated()
		s.round(k, all(s.panel(k), voting.Reject))
		at := s.prog.Verdict(k.at)
		s.ok(onchain.Transfer(s.at("payer"), at, max(gift, 890_880)))
		before := s.accounts[s.at("carol")].Lamports
		s.ok(s.publish(k, "carol"))
		same(t, "verdict", s.told(k).Verdict, voting.ForCreator)
		paid := before - s.accounts[s.at("carol")].Lamports
		same(t, "carol pays", paid, rent-min(rent, max(gift, 890_880)))
	}
}

// TestAttackVerdictTurnedAfterTheEnd: judges who lost would turn a verdict that an escrow has not
// paid by yet. Later evidence against a seat, and the closing of everything, change no byte of it,
// and it says the same whenever it is published.
func TestAttackVerdictTurnedAfterTheEnd(t *testing.T) {
	var told [2][]byte
	for i := range told {
		s := alone(t)
		s.cast(7)
		k := s.seated()
		s.round(k, all(s.panel(k), voting.Accept))
		if i == 0 {
			s.ok(s.publish(k, "carol"))
		}
		for _, name := range s.panel(k)[:3] {
			s.ok(s.slash(k, 1, name)...)
		}
		if i == 1 {
			s.ok(s.publish(k, "carol"))
		}
		s.pass(86_400)
		s.ok(s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
		s.ok(s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
		s.refused(program.ErrWrongOwner, s.publish(k, "carol"))
		told[i] = s.accounts[s.prog.Verdict(k.at)].Data
	}
	if len(told[0]) != program.VerdictAccountSize || !bytes.Equal(told[0], told[1]) {
		t.Errorf("published before and after the evidence:\n%x\n%x", told[0], told[1])
	}
}

// TestAttackVerdictClosedAway: the loser closes the case before the winner publishes, so that an
// escrow never pays. It has to wait for the time for evidence; until then anybody can publish. Then
// the verdict is lost, as nobody wanted it for a day.
func TestAttackVerdictClosedAway(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Reject))
	s.pass(86_399)
	s.refused(program.ErrTooEarly, s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}))
	s.refused(program.ErrTooEarly, s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	s.pass(1)
	// In one transaction: the winner publishes, and only then the rents go back.
	s.ok(s.publish(k, "carol"), s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}), s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
	same(t, "verdict", s.told(k).Verdict, voting.ForCreator)
	late := s.seated()
	s.round(late, all(s.panel(late), voting.Accept))
	s.pass(86_400)
	s.ok(s.prog.CloseCase(late.at, s.at("bob"), onchain.Address{}))
	s.refused(program.ErrWrongOwner, s.publish(late, "carol"))
}

// TestAttackVerdictOfACaseWithOneself: alice owes bob an escrow of 10 SOL by the verdict about her
// task. Carol, who is alice, claims the task before bob and loses: for a lost bond alice had her
// 10 SOL back, because the verdict did not say whose case it was. Now it does, and for how much.
// The escrow of programs/oju/escrow refuses it (programs/oju/tests/escrow.test.mjs).
func TestAttackVerdictOfACaseWithOneself(t *testing.T) {
	s := alone(t)
	s.cast(7)
	k := s.next("alice")
	s.ok(s.create("alice", func(c *program.CreateTask) { c.RewardMin, c.RewardMax = 1_000_000, 1_000_000 }))
	s.refused(program.ErrOwnTask, s.claim(k, "alice", 0)) // not with the same key
	k.worker = "carol"
	for _, i := range []onchain.Instruction{s.claim(k, "carol", 0), s.start(k), s.submit(k), s.object(k), s.counter(k)} {
		s.ok(i)
	}
	s.draw(k)
	s.round(k, all(s.panel(k), voting.Reject))
	s.ok(s.publish(k, "alice"))
	v := s.told(k)
	same(t, "parties", [2]onchain.Address{v.Creator, v.Worker}, [2]onchain.Address{s.at("alice"), s.at("carol")})
	same(t, "reward", v.Reward, 1_000_000)
}
