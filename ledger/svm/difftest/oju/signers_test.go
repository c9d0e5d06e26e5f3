package oju_test

import (
	"flag"
	"os"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/signers"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"

	elf "ojud/programs/oju/signers"
)

var otherSigners = flag.String("signers", "", "attack this file instead of the committed program of signers")

// committee is a court beside the program of signers, with a group of three of five.
type committee struct {
	*scene
	of    onchain.Address
	group signers.Keys
}

func newCommittee(t *testing.T) *committee {
	t.Helper()
	c := &committee{scene: alone(t), of: onchain.Address(difftest.Address("signers"))}
	c.castEngine()
	file := elf.ELF()
	if *otherSigners != "" {
		var err error
		if file, err = os.ReadFile(*otherSigners); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := accounts.ProgramPair(solana.PublicKey(c.of), file, nil, c.env.Rent)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range pair {
		c.put(onchain.Address(a.Key), a.Account)
	}
	c.group = c.made(3, "m0", "m1", "m2", "m3", "m4")
	return c
}

// made makes a group.
func (c *committee) made(threshold int, names ...string) signers.Keys {
	c.t.Helper()
	var members []onchain.Address
	for _, name := range names {
		members = append(members, c.at(name))
	}
	g, err := signers.NewKeys(threshold, members...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.fund("payer", 1_000*sol)
	c.ok(signers.Create(c.of, c.at("payer"), g))
	return g
}

// named lets the group decide.
func (c *committee) named(i *program.CreateTask) {
	c.byEngine(i)
	i.Engine, i.EngineGroup = c.of, c.group.Address(c.of)
}

func (c *committee) sign(g signers.Keys, subject onchain.Address, name string, v voting.Verdict) onchain.Instruction {
	return signers.Sign(c.of, c.at("payer"), c.at(name), g.Address(c.of), subject, v)
}

// TestSigners: what Go builds is what the program reads, and what the program writes is what Go and
// the court read.
func TestSigners(t *testing.T) {
	c := newCommittee(t)
	k := c.contestedWith(c.named)
	at := signers.BallotAt(c.of, c.group.Address(c.of), k.at)
	c.ok(c.sign(c.group, k.at, "m3", voting.ForWorker))
	c.ok(c.sign(c.group, k.at, "m1", voting.ForCreator))
	c.ok(c.sign(c.group, k.at, "m0", voting.ForWorker))
	c.refused(program.ErrWrongOwner, c.settleByEngine(k))
	c.ok(c.sign(c.group, k.at, "m4", voting.ForWorker))
	g, err := signers.DecodeKeys(c.accounts[c.group.Address(c.of)].Data)
	if err != nil || g.Threshold != 3 || len(g.Members) != 5 {
		t.Fatalf("%+v, %v", g, err)
	}
	b, err := signers.DecodeBallot(c.accounts[at].Data)
	if err != nil || b.Decided != voting.ForWorker || b.Subject != k.at || b.Group != g.Address(c.of) {
		t.Fatalf("%+v, %v", b, err)
	}
	signed := 0
	for _, v := range b.Signed {
		if v != 0 {
			signed++
		}
	}
	same(t, "members that signed", signed, 4)
	c.ok(c.settleByEngine(k))
	same(t, "outcome", c.taskOf(k).Outcome, voting.Paid)
	c.refused(program.ErrWrongStatus, c.sign(c.group, k.at, "m2", voting.ForWorker))
}

// TestAttackCommitteeOfAStranger: a party that lost before the named group makes a group of its own
// keys under the same program, or hands in the named group's verdict about another task. Its gain
// would be the escrow of 1 SOL. It gains nothing, because the group is in the address.
func TestAttackCommitteeOfAStranger(t *testing.T) {
	c := newCommittee(t)
	k, won := c.contestedWith(c.named), c.contestedWith(c.named)
	own := c.made(1, "bob")
	before := c.vault("bob")
	c.ok(c.sign(own, k.at, "bob", voting.ForWorker))
	i := c.settleByEngine(k)
	c.refused(program.ErrWrongAddress, swap(i, 4, program.EngineVerdict(c.of, own.Address(c.of), k.at)))
	c.refused(program.ErrWrongOwner, i)
	for _, name := range []string{"m0", "m1", "m2"} {
		c.ok(c.sign(c.group, won.at, name, voting.ForWorker))
	}
	c.refused(program.ErrWrongAddress, swap(i, 4, program.EngineVerdict(c.of, c.group.Address(c.of), won.at)))
	// It writes its own words where those of the named group belong.
	mine := c.sign(own, won.at, "bob", voting.ForWorker)
	c.refused(program.ErrNotAuthority, c.sign(c.group, k.at, "bob", voting.ForWorker))
	c.refused(program.ErrWrongAddress, swap(mine, 4, program.EngineVerdict(c.of, c.group.Address(c.of), k.at)))
	c.refused(program.ErrWrongAddress, swap(mine, 3, signers.BallotAt(c.of, c.group.Address(c.of), k.at)))
	same(t, "what it gained", int64(c.vault("bob"))-int64(before), 0)
	for _, name := range []string{"m0", "m1", "m2"} {
		c.ok(c.sign(c.group, k.at, name, voting.ForCreator))
	}
	c.ok(i)
	same(t, "outcome", c.taskOf(k).Outcome, voting.Refunded)
}

// TestAttackMemberCountsTwice: two of five bribed members would be the majority if one of them
// signed twice, if a member signed for another one, or if a word about one task counted for two.
func TestAttackMemberCountsTwice(t *testing.T) {
	c := newCommittee(t)
	k, other := c.contestedWith(c.named), c.contestedWith(c.named)
	c.ok(c.sign(c.group, k.at, "m0", voting.ForWorker))
	c.refused(program.ErrWrongAddress, swap(c.sign(c.group, other.at, "m3", voting.ForWorker), 3, signers.BallotAt(c.of, c.group.Address(c.of), k.at)))
	c.ok(c.sign(c.group, k.at, "m1", voting.ForWorker))
	c.refused(program.ErrAlreadyCommitted, c.sign(c.group, k.at, "m1", voting.ForWorker))
	c.refused(program.ErrAlreadyCommitted, c.sign(c.group, k.at, "m0", voting.ForCreator))
	forged := c.sign(c.group, k.at, "m2", voting.ForWorker)
	forged.Accounts[1].Signer = false
	c.refused(program.ErrNotSigner, forged)
	c.ok(c.sign(c.group, other.at, "m2", voting.ForWorker))
	c.refused(program.ErrWrongAddress, swap(c.sign(c.group, other.at, "m3", voting.ForWorker), 3, signers.BallotAt(c.of, c.group.Address(c.of), k.at)))
	c.refused(program.ErrBadChoice, c.sign(c.group, k.at, "m3", 0))
	c.refused(program.ErrBadChoice, c.sign(c.group, k.at, "m3", 4))
	c.refused(program.ErrWrongOwner, c.settleByEngine(k))
	c.refused(program.ErrWrongOwner, c.settleByEngine(other))
	for _, bad := range []signers.Keys{
		{Threshold: 2, Members: c.group.Members}, {Threshold: 0, Members: c.group.Members[:1]},
		{Threshold: 2, Members: []onchain.Address{c.at("m0"), c.at("m0")}}, {Threshold: 1, Members: []onchain.Address{{}}},
	} {
		c.refused(program.ErrBadConfig, signers.Create(c.of, c.at("payer"), bad))
	}
}

// TestAttackSignersKeptWaiting: a party keeps the group from deciding with lamports at the
// addresses that it will write to, or with accounts that only look like a group.
func TestAttackSignersKeptWaiting(t *testing.T) {
	c := newCommittee(t)
	k := c.contestedWith(c.named)
	group := c.group.Address(c.of)
	for _, at := range []onchain.Address{signers.BallotAt(c.of, group, k.at), program.EngineVerdict(c.of, group, k.at)} {
		c.ok(onchain.Transfer(c.at("payer"), at, 1_000_000))
	}
	fake := onchain.Address(difftest.Address("fake group"))
	lie := c.accounts[group]
	lie.Data = append([]byte{}, lie.Data...)
	lie.Data[10], lie.Data[11] = 1, 1
	bob := c.at("bob")
	copy(lie.Data[16:], bob[:])
	c.put(fake, lie)
	c.refused(program.ErrWrongAddress, swap(c.sign(c.group, k.at, "bob", voting.ForWorker), 2, fake))
	lie.Owner = difftest.Address("bob's program")
	c.put(fake, lie)
	c.refused(program.ErrWrongOwner, swap(c.sign(c.group, k.at, "bob", voting.ForWorker), 2, fake))
	for _, name := range []string{"m4", "m3", "m2"} {
		c.ok(c.sign(c.group, k.at, name, voting.ForCreator))
	}
	c.ok(c.settleByEngine(k))
	same(t, "outcome", c.taskOf(k).Outcome, voting.Refunded)
}
