package oju_test

import (
	"flag"
	"os"
	"testing"

	"ojud/ledger/escrow"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"

	elf "ojud/programs/oju/escrow"
)

var otherEscrow = flag.String("escrow", "", "attack this file instead of the committed escrow")

// newEscrow returns a court beside the example of an escrow, and what alice holds back for bob's
// work on a task whose panel sits.
func newEscrow(t *testing.T) (*scene, task, escrow.Escrow) {
	t.Helper()
	s := alone(t)
	s.cast(7)
	file := elf.ELF()
	if *otherEscrow != "" {
		var err error
		if file, err = os.ReadFile(*otherEscrow); err != nil {
			t.Fatal(err)
		}
	}
	of := difftest.Address("escrow")
	pair, err := accounts.ProgramPair(of, file, nil, s.env.Rent)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range pair {
		s.put(onchain.Address(a.Key), a.Account)
	}
	k := s.seated()
	return s, k, escrow.Escrow{
		Program: onchain.Address(of), Court: s.prog.ID(), Subject: k.at, Buyer: s.at("alice"), Seller: s.at("bob"),
		Lamports: sol, BackAt: s.now() + 2*86_400,
	}
}

// wallet returns the lamports of somebody's wallet.
func (s *scene) wallet(name string) uint64 { return s.accounts[s.at(name)].Lamports }

// TestAttackEscrowSquatted: the address of an escrow followed from the task alone. So mallory
// opened one about a task of alice and bob for one lamport, and the two could hold nothing back for
// the court's word about it: a cost of 0.002 SOL in rent for a deal of any size. Buyer and seller
// are in the address now, and the buyer signs.
func TestAttackEscrowSquatted(t *testing.T) {
	s, k, e := newEscrow(t)
	s.fund("mallory", 10*sol)
	theirs := e
	theirs.Buyer, theirs.Lamports = s.at("mallory"), 1
	s.refused(program.ErrWrongAddress, swap(theirs.Open(), 1, e.Address()))
	s.refused(program.ErrNotSigner, replace(e.Open(), 0, onchain.AccountMeta{Address: e.Buyer, Writable: true}))
	s.ok(theirs.Open())
	s.ok(e.Open())
	s.refused(program.ErrAlreadyExists, e.Open())
	s.round(k, all(s.panel(k), voting.Accept))
	s.ok(s.publish(k, "carol"))
	before := s.wallet("bob")
	s.ok(e.Pay(s.prog.Verdict(k.at), e.Seller))
	same(t, "bob gains", s.wallet("bob")-before, sol)
	s.refused(program.ErrNotCreator, theirs.Pay(s.prog.Verdict(k.at), e.Seller))
}

// TestAttackEscrowWithoutAWayOut: nobody publishes the verdict in time; or carol shall be paid, and
// the task is claimed by bob, so that a case of others is decided. The escrow of 1 SOL was locked
// for ever then. Alice has it back at the time that both agreed on, and not before, and not from a
// winner who published in time.
func TestAttackEscrowWithoutAWayOut(t *testing.T) {
	s, k, e := newEscrow(t)
	at := s.prog.Verdict(k.at)
	others := e
	others.Seller = s.at("carol")
	s.ok(e.Open())
	s.ok(others.Open())
	s.refused(program.ErrTooEarly, e.TakeBack(at))
	s.round(k, all(s.panel(k), voting.Accept))
	s.fork(func() { // nobody publishes in time
		s.pass(86_400)
		s.ok(s.prog.CloseCase(k.at, s.at("bob"), onchain.Address{}), s.prog.CloseTask(k.at, s.at("alice"), s.under(k)))
		s.refused(program.ErrWrongOwner, e.Pay(at, e.Seller))
		s.refused(program.ErrTooEarly, e.TakeBack(at))
		s.until(e.BackAt)
		stolen := replace(e.TakeBack(at), 2, onchain.AccountMeta{Address: s.at("bob"), Signer: true, Writable: true})
		s.refused(program.ErrNotCreator, stolen)
		s.refused(program.ErrNotSigner, replace(e.TakeBack(at), 2, onchain.AccountMeta{Address: e.Buyer, Writable: true}))
		before := s.wallet("alice")
		s.ok(e.TakeBack(at))
		same(t, "alice has back", s.wallet("alice")-before, sol)
		s.refused(program.ErrZeroAmount, e.TakeBack(at))
	})
	s.ok(s.publish(k, "carol"))
	s.until(e.BackAt)
	s.refused(program.ErrWrongStatus, e.TakeBack(at))
	s.refused(program.ErrWrongAddress, e.TakeBack(s.prog.Verdict(s.at("bob"))))
	s.refused(program.ErrNotWorker, others.Pay(at, e.Seller))
	before := s.wallet("alice")
	s.ok(others.TakeBack(at)) // it was no case between alice and carol
	same(t, "alice has back from the case of others", s.wallet("alice")-before, sol)
	before = s.wallet("bob")
	s.ok(e.Pay(at, e.Seller))
	same(t, "bob gains", s.wallet("bob")-before, sol)
}
