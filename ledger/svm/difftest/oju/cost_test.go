package oju_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// packet bounds a transaction in bytes (Solana's PACKET_DATA_SIZE), and unitLimit bounds its
// compute units.
const (
	packet    = 1_232
	unitLimit = 1_400_000
)

// cost is the cost of an instruction: the least and most compute units of its transaction, and the
// longest transaction in bytes, including a fee payer.
type cost struct {
	least, most uint64
	bytes       int
}

// costs records the cost of successful instructions.
func costs(s *scene, seen map[string]cost) {
	s.after = func(list []onchain.Instruction, r *svm.Result) {
		decoded, err := program.DecodeInstruction(list[len(list)-1].Data)
		if err != nil {
			return // a transfer
		}
		made, err := difftest.Build(s.env, solana.PublicKey(s.at("payer")), program.Native(list...))
		if err != nil {
			s.t.Fatal(err)
		}
		c, ok := seen[decoded.InstructionName()]
		if !ok {
			c.least = r.Units
		}
		seen[decoded.InstructionName()] = cost{min(c.least, r.Units), max(c.most, r.Units), max(c.bytes, len(made.Raw))}
	}
}

// limited requests the largest unit limit.
func limited(list ...onchain.Instruction) []onchain.Instruction {
	return append([]onchain.Instruction{{Program: onchain.Address(solana.ComputeBudget), Data: []byte{2, 0xc0, 0x5c, 0x15, 0}}}, list...)
}

// crowd fills the Roster with so many judges, and the page of the registry except for one entry.
func (s *scene) crowd(judges int) {
	s.t.Helper()
	roster := s.roster()
	for i := range judges {
		stake := 2*sol + uint64(i*i*7_919%8)*sol
		roster.Entries = append(roster.Entries, program.RosterEntry{
			Authority: s.at(judgeName(i)), Peer: peer(judgeName(i)), Withdraw: s.at(judgeName(i)), Stake: stake, JoinedAt: s.now(), State: program.EntryActive,
		})
		roster.TotalStake += stake
	}
	roster.Active = uint32(judges)
	s.set(s.prog.Roster(), roster)
	a := s.accounts[s.prog.Roster()]
	a.Lamports += roster.TotalStake
	s.put(s.prog.Roster(), a)
	s.ok(limited(s.season())...)
	page, config := read(s, s.prog.RegistryPage(0), program.DecodeRegistryPage), s.config()
	for len(page.Entries) < program.PageEntries-1 {
		page.Entries = append(page.Entries, page.Entries[0])
	}
	config.AgentCount = uint64(len(page.Entries))
	s.set(s.prog.RegistryPage(0), page)
	s.set(s.prog.Config(), config)
}

// worst sets up the largest court, with all other sizes at their limits.
func worst(s *scene) {
	s.listed = 1
	s.begin(withGolden, apart)
	s.crowd(program.MaxJudges - 1)
	for _, name := range []string{"dave", "erin"} { // the last of a page, the first of the next
		s.agent(name, onchain.Address{})
	}
	last := judgeName(program.MaxJudges - 1)
	s.fund(last, 20*sol)
	s.admitted(last)
	s.ok(limited(s.join(last, 2*sol)...)...)
	s.ok(limited(s.prog.TopUp(s.at(last), program.TopUp{Amount: 1}))...)
	k := s.contested()
	s.reach(k)
	s.ok(limited(s.prog.Draw(k.at))...)
	panel := s.panel(k)
	v := all(panel, voting.Accept)
	for _, name := range panel[20:] {
		v[name] = voting.Reject
	}
	s.ok(limited(s.relay(k, s.asked(k, 1, panel[27], v[panel[27]]))...)...)
	for _, name := range panel[:27] {
		s.ok(limited(s.commit(k, 1, name, v[name]))...)
	}
	s.reveals(k, v)
	s.ok(limited(s.settle(k))...)
	s.fork(func() { s.ok(limited(s.finish(k, "alice"))...) })
	s.ok(limited(s.appeal(k, "alice"))...)
	s.ok(limited(s.slash(k, 1, panel[0])...)...)
	s.reach(k)
	s.ok(limited(s.prog.Draw(k.at))...)
	second := s.panel(k)
	s.vote(k, all(second, voting.Reject))
	s.ok(limited(s.settle(k))...) // 56 seats, of which 19 lose by the reversal
	panel = second
	s.fund(panel[1], sol) // one pay is less than the rent of a new wallet
	s.ok(limited(s.reward(panel[1]))...)
	s.applied()
	s.expired()
	s.ok(limited(s.exit(last))...)
	s.pass(172_800)
	s.released(last)
	s.ok(limited(s.leave(last))...)
	s.data()
	r := s.roster()
	for i := range r.Entries {
		r.Entries[i].Right, r.Entries[i].Wrong, r.Entries[i].Seen = uint8(10+10*(i%2)), 0, 20 // every second one is a novice
	}
	s.set(s.prog.Roster(), r)
	s.weighed()
}

// applied sets up a golden case with 28 seats and 28 of an appeal, of which 36 are wrong, in the
// largest batch.
func (s *scene) applied() {
	s.fund("pat", 1_000*sol)
	s.ok(s.prog.AdmitProctor(s.config().Authority, program.AdmitProctor{Proctor: s.at("pat")}))
	s.allow(256, sol)
	b := s.drawn(slices.Repeat([]voting.Choice{voting.Accept, voting.Reject}, 128)...)
	s.ok(s.commitBatch(b))
	k := s.contested(b.sealed(0))
	s.reach(k)
	s.ok(limited(s.prog.Draw(k.at))...)
	v := all(s.panel(k), voting.Accept)
	for _, name := range s.panel(k)[20:] {
		v[name] = voting.Reject
	}
	s.round(k, v)
	s.ok(limited(s.appeal(k, "alice"))...)
	s.reach(k)
	s.ok(limited(s.prog.Draw(k.at))...)
	s.vote(k, all(s.panel(k), voting.Reject))
	s.ok(limited(s.settle(k))...)
	s.openAll(b) // the others are void
	same(s.t, "void", s.batchOf(b).Void, 255)
	unfair := s.batchOf(b)
	unfair.Void, unfair.Accepts, unfair.Applied = 0, 128, 0
	s.set(s.prog.Batch(b.number), unfair)
	s.pass(14_400)
	s.ok(limited(s.apply(b, 0))...)
}

// expired sets up a case that could not be drawn again, with 28 seats that share the lost stake.
func (s *scene) expired() {
	k := s.contested()
	s.reach(k)
	s.ok(limited(s.prog.Draw(k.at))...)
	v := all(s.panel(k)[:17], voting.Accept) // 17 of 28 are no quorum
	s.vote(k, v)
	s.until(s.caseOf(k).RevealEnds)
	s.ok(limited(s.settle(k))...)
	s.pass(1_800)
	s.ok(limited(s.expireCase(k))...)
}

// data sets up the largest data account, with the largest number of grants.
func (s *scene) data() {
	name, piece := strings.Repeat("n", program.MaxDataName), bytes.Repeat([]byte{1}, program.WritePiece)
	at, err := s.prog.Data(s.at("alice"), name)
	if err != nil {
		s.t.Fatal(err)
	}
	for range 2 {
		i, err := s.prog.WriteData(s.at("alice"), s.at("alice"), onchain.Address{}, program.WriteData{DataName: name, Len: program.MaxData, Bytes: piece})
		if err != nil {
			s.t.Fatal(err)
		}
		s.ok(i)
	}
	for n := range program.MaxGrants {
		s.ok(s.prog.Grant(s.at("alice"), at, program.Grant{Task: onchain.Address(difftest.Address(fmt.Sprint("task ", n))), Flags: 3}))
	}
	s.ok(s.prog.Revoke(s.at("alice"), at, s.at("alice"), program.Revoke{Task: onchain.Address(difftest.Address("task 7"))}))
	s.ok(s.prog.CloseData(s.at("alice"), at))
}

// TestCost compares the least and most cost of each instruction with a golden file, so that a
// review shows an increase. All must fit in a transaction.
func TestCost(t *testing.T) {
	seen := map[string]cost{}
	for _, story := range []func(*scene){func(s *scene) { costs(s, seen); substitute(s, nil) }, func(s *scene) { costs(s, seen); worst(s) }} {
		story(alone(t))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-19s %8s %8s %6s\n", "instruction", "least", "most", "bytes")
	for _, name := range instructionNames() {
		c, ok := seen[name]
		if !ok {
			t.Errorf("%s was not measured: bring it into substitute or worst", name)
		}
		if c.bytes > packet || c.most > unitLimit {
			t.Errorf("%s takes %d units and %d bytes, and a transaction has %d and %d", name, c.most, c.bytes, unitLimit, packet)
		}
		fmt.Fprintf(&b, "%-19s %8d %8d %6d\n", name, c.least, c.most, c.bytes)
	}
	golden(t, "testdata/costs.txt", b.String())
}
