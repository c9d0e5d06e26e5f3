package brain_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/svm/difftest"
	"ojud/megabrain/reputation"
	"ojud/voting"
)

func roleOf(m brain.Member) reputation.Role {
	if m.Role == brain.EvaluatorRole {
		return reputation.Evaluator
	}
	return reputation.Worker
}

// worth is what these members of a class are worth in a draw.
func (s *scene) worth(c class, members []brain.Member, slot uint64, now int64) []int {
	s.t.Helper()
	of := brain.ClassAccount{Parameters: c.params, Members: members}
	return of.Reputations(slot, now, s.nearby(c))
}

// nearby are the near classes of a class, in their order.
func (s *scene) nearby(c class) (all []*brain.ClassAccount) {
	s.t.Helper()
	for _, at := range c.near {
		n, err := brain.DecodeClass(s.accounts[at].Data)
		if err != nil {
			n = nil // there is none
		}
		all = append(all, n)
	}
	return all
}

// reputed is the reputation of a member by the program's view.
func (s *scene) reputed(c class, m brain.Member) int {
	s.t.Helper()
	r := s.ok(s.prog.GetReputation(c.at, m.Agent, c.near))
	at := 0
	if m.Role == brain.EvaluatorRole {
		at = 8
	}
	return int(binary.LittleEndian.Uint64(r.ReturnData.Data[at:]))
}

// vouches lets random members offer, agree and release, on the chain and in a book: one refuses
// what the other refuses.
func (s *scene) vouches(r *rand.Rand, c class, book *reputation.Records, done map[string]int) {
	s.t.Helper()
	members := s.class(c).Members
	for range 6 {
		i, n := r.IntN(16), r.IntN(16)/8*8
		i = i%8 + n
		j := n + r.IntN(8)
		by, agent, role := members[i].Agent, members[j].Agent, members[i].Role
		name, of := roleOf(members[i]), [2]string{members[i].Agent.String(), members[j].Agent.String()}
		var list onchain.Instruction
		var want error
		kind := "offered"
		switch r.IntN(5) {
		case 0, 1:
			s.put(by, difftest.Wallet(solana.PublicKey(by), sol).Account)
			if to := s.class(c).Members[i].Offer.Place; to > 0 {
				other := members[to-1].Agent
				s.ok(s.prog.Release(by, c.at, brain.Release{Role: role, Sponsor: by, Agent: other}))
				if _, err := book.Release(of[0], other.String(), name, s.now()); err != nil {
					s.t.Fatal(err)
				}
			}
			share := r.IntN(1300)
			list = s.prog.Vouch(by, c.at, brain.Vouch{Role: role, Agent: agent, Stake: c.params.Bond, Share: uint16(share)})
			want = book.Vouch(of[0], of[1], name, s.now(), c.params.Bond, share)
		case 2, 3:
			if to := s.class(c).Members[i].Offer.Place; to > 0 {
				agent = members[to-1].Agent
			}
			kind, list = "agreed", s.prog.Agree(agent, c.at, brain.Agree{Role: role, Sponsor: by})
			want = book.Agree(of[0], agent.String(), name, s.now())
		default:
			kind, list = "released", s.prog.Release([]onchain.Address{by, agent}[r.IntN(2)], c.at, brain.Release{Role: role, Sponsor: by, Agent: agent})
			_, want = book.Release(of[0], of[1], name, s.now())
		}
		if got := s.send(list); (got.Err == nil) != (want == nil) {
			s.t.Fatalf("%s: the program says %v (%q), megabrain/reputation %v", kind, got.Err, got.Logs, want)
		} else if want == nil {
			done[kind]++
		}
		s.open.Transactions = nil
	}
}

// vouched lets the evaluator "e0" stand in for "e1" with 25 % of its reputation.
func (s *scene) vouched(c class) {
	s.t.Helper()
	s.offered(c, "e0", "e1", 2500)
	s.ok(s.prog.Agree(s.at("e1"), c.at, brain.Agree{Role: brain.EvaluatorRole, Sponsor: s.at("e0")}))
	s.pass(1)
}

func (s *scene) offered(c class, by, agent string, share uint16) {
	s.t.Helper()
	s.ok(s.prog.Vouch(s.at(by), c.at, s.voucher(c, agent, share)))
}

func (s *scene) voucher(c class, agent string, share uint16) brain.Vouch {
	return brain.Vouch{Role: brain.EvaluatorRole, Agent: s.at(agent), Stake: c.params.Bond, Share: share}
}

// evaluatorAt is a member by its name.
func (s *scene) evaluatorAt(c class, name string) brain.Member {
	s.t.Helper()
	all := s.class(c).Members
	i := slices.IndexFunc(all, func(m brain.Member) bool { return m.Agent == s.at(name) && m.Role == brain.EvaluatorRole })
	if i < 0 {
		s.t.Fatalf("%s is no evaluator", name)
	}
	return all[i]
}

// stampedBy plays golden tasks that all evaluators stamp, until their alarm is at nine; one more,
// and they have stamped. It returns the last one, unopened.
func (s *scene) stampedBy(c class) (last onchain.Address) {
	s.t.Helper()
	for n := byte(1); n <= 4; n++ {
		last = s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps})
		if n < 4 {
			s.learn(c, last, right(n))
		}
	}
	return last
}

var vouching = map[string]func(*scene){
	"vouching": func(s *scene) {
		c := s.begin(3, 3, withGolden)
		e0, e1, role := s.at("e0"), s.at("e1"), brain.EvaluatorRole
		release := brain.Release{Role: role, Sponsor: e0, Agent: e1}
		s.no("NotMember", s.prog.Vouch(e0, c.at, brain.Vouch{Role: role, Agent: s.at("w0"), Stake: c.params.Bond, Share: 1}))
		s.no("NotMember", s.prog.Vouch(s.at("w0"), c.at, s.voucher(c, "e1", 1)))
		s.no("BadVoucher", s.prog.Vouch(e0, c.at, s.voucher(c, "e0", 1)))
		s.no("BadVoucher", s.prog.Vouch(e0, c.at, s.voucher(c, "e1", 0)))
		s.no("BadVoucher", s.prog.Vouch(e0, c.at, s.voucher(c, "e1", 2501)))
		small := s.voucher(c, "e1", 2500)
		small.Stake--
		s.no("StakeTooSmall", s.prog.Vouch(e0, c.at, small))
		s.no("NoOffer", s.prog.Agree(e1, c.at, brain.Agree{Role: role, Sponsor: e0}))
		s.units["vouch"] = s.ok(s.prog.Vouch(e0, c.at, s.voucher(c, "e2", 2500))).Units
		s.offered(c, "e0", "e1", 2500) // takes the place of the other
		s.no("NoOffer", s.prog.Agree(s.at("e2"), c.at, brain.Agree{Role: role, Sponsor: e0}))
		same(s.t, "what came back", s.evaluatorAt(c, "e0").Earned, c.params.Bond)
		s.no("NotAuthority", s.prog.Release(s.at("e2"), c.at, release))
		s.ok(s.prog.Release(e1, c.at, release)) // the other does not want it
		s.no("NoOffer", s.prog.Release(e1, c.at, release))
		s.offered(c, "e0", "e1", 2500)
		s.units["agree"] = s.ok(s.prog.Agree(e1, c.at, brain.Agree{Role: role, Sponsor: e0})).Units
		s.no("BadVoucher", s.prog.Vouch(e0, c.at, s.voucher(c, "e1", 1)))
		s.no("BadVoucher", s.prog.Vouch(e0, c.at, s.voucher(c, "e2", 1)))
		s.no("BadVoucher", s.prog.Vouch(e1, c.at, s.voucher(c, "e2", 1)))
		same(s.t, "the sponsor's reputation", s.reputed(c, s.evaluatorAt(c, "e0")), 750)
		same(s.t, "the other's reputation", s.reputed(c, s.evaluatorAt(c, "e1")), 1250)
		s.offered(c, "e2", "e1", 1)
		s.no("BadVoucher", s.prog.Agree(e1, c.at, brain.Agree{Role: role, Sponsor: s.at("e2")}))
		s.pass(1)
		at := s.tested(c, 1, map[int][]uint8{0: looks, 1: looks})
		s.learn(c, at, right(1))
		s.ok(s.prog.Release(e0, c.at, release))
		ends := s.evaluatorAt(c, "e1").Surety.Ends
		same(s.t, "its end", ends, s.now()+month)
		s.ok(s.prog.Withdraw(e0, c.at, role)) // what it earned, and the offers that came back
		s.ok(s.prog.Leave(e0, c.at, role))
		s.no("Leaving", s.prog.Vouch(e0, c.at, s.voucher(c, "e2", 1)))
		s.until(ends + int64(c.params.Times.Draw) - 1)
		s.no("NothingToWithdraw", s.prog.Withdraw(e0, c.at, role))
		s.no("BadVoucher", s.prog.Agree(e1, c.at, brain.Agree{Role: role, Sponsor: s.at("e2")}))
		s.pass(1)
		before := s.lamports(e0)
		s.units["withdraw"] = s.ok(s.prog.Withdraw(e0, c.at, role)).Units
		same(s.t, "its stakes", s.lamports(e0)-before, sol+c.params.Bond)
		s.ok(s.prog.Agree(e1, c.at, brain.Agree{Role: role, Sponsor: s.at("e2")}))
		s.ok(s.prog.Leave(e1, c.at, role))
		s.pass(month)
		s.ok(s.prog.Withdraw(e1, c.at, role))
		same(s.t, "what came back to the other", s.evaluatorAt(c, "e2").Earned >= c.params.Bond, true)
		s.backed(c, at)
	},
	"vouching for a stamp": func(s *scene) {
		c := s.begin(3, 2, withGolden)
		at := s.stampedBy(c)
		s.vouched(c) // on the day before it is found
		s.ok(s.prog.Release(s.at("e0"), c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: s.at("e0"), Agent: s.at("e1")}))
		before := s.lamports(s.prog.Treasury())
		s.units["open_golden"] = s.learn(c, at, right(4)).Units
		slashes := 2 * s.task(at).Money.EvaluatorStake * 3 / 4
		same(s.t, "what the treasury got", s.lamports(s.prog.Treasury())-before, slashes+c.params.Bond)
		same(s.t, "what stands", s.evaluatorAt(c, "e1").Surety, brain.Surety{})
		s.backed(c, at)
	},
}

// A class without golden tasks has no records that could be lost: nobody vouches there.
func TestVouchingNeedsGolden(t *testing.T) {
	s := attack(t)
	c := s.begin(1, 2)
	s.no("NotGolden", s.prog.Vouch(s.at("e0"), c.at, s.voucher(c, "e1", 1)))
}

// Members agreed to offers when the block of a draw was known, and sponsors and others left or took
// back what was over: with four offers they chose among sixteen draws. Now none of that counts for
// a draw that waits.
func TestAttackVouchedForDraw(t *testing.T) {
	s := attack(t)
	const pairs = 4
	c := s.begin(3, 2*pairs, withGolden)
	name := func(i int) string { return fmt.Sprintf("e%d", i) }
	agree := func(i int) onchain.Instruction {
		return s.prog.Agree(s.at(name(i+pairs)), c.at, brain.Agree{Role: brain.EvaluatorRole, Sponsor: s.at(name(i))})
	}
	for i := range pairs {
		s.offered(c, name(i), name(i+pairs), 2500)
	}
	s.ok(agree(3))
	s.ok(s.prog.Release(s.at(name(3)), c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: s.at(name(3)), Agent: s.at(name(7))}))
	s.until(s.evaluatorAt(c, name(7)).Surety.Ends - 30) // it ends while a draw waits
	at := s.posted(c, 1)
	s.drawn(c, at)
	k := s.task(at)
	for i := range 3 {
		s.ok(s.prog.CommitResult(k.Work[i].Agent, c.at, at, result(i, "result")))
	}
	for i := range 3 {
		s.ok(s.prog.SubmitResult(k.Work[i].Agent, c.at, at, result(i, "result")))
	}
	env := *s.env // the surety is over then, and the draw still has its block
	env.Clock.Slot, env.Clock.UnixTimestamp = env.Clock.Slot+5, s.now()+40
	s.move(&env)
	before, plain := s.naive(c, at), s.worth(c, s.class(c).Members, s.env.Clock.Slot, s.now())
	for i := range pairs - 1 {
		s.ok(agree(i))
	}
	if now := s.worth(c, s.class(c).Members, s.env.Clock.Slot+1, s.now()); slices.Equal(now, plain) {
		t.Fatal("control: to agree changes nothing for later draws")
	}
	s.no("NothingToWithdraw", s.prog.Withdraw(s.at(name(3)), c.at, brain.EvaluatorRole))
	s.ok(s.prog.Leave(s.at(name(7)), c.at, brain.EvaluatorRole))
	same(t, "who is drawn", fmt.Sprint(s.naive(c, at)), fmt.Sprint(before))
	s.ok(s.prog.Draw(c.at, at, c.near))
	k = s.task(at)
	same(t, "who was drawn", fmt.Sprint([]uint16{k.Judges[0].Index, k.Judges[1].Index}), fmt.Sprint(before))
}

// A sponsor left, or took its surety back, when the alarm of the other was at nine. Now it stands
// for 30 days more, and the sponsor stays as long.
func TestAttackSponsorFlees(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 12, withGolden)
	s.vouched(c)
	name, sponsor := s.at("e1"), s.at("e0")
	var last onchain.Address
	for n, failed := byte(1), 0; failed < 4; n++ {
		last = s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps})
		for _, e := range s.task(last).Judges[:2] {
			if e.Agent == name {
				failed++
			}
		}
		if failed < 4 {
			s.learn(c, last, right(n))
			continue
		}
		s.ok(s.prog.Release(sponsor, c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: sponsor, Agent: name}))
		s.ok(s.prog.Leave(sponsor, c.at, brain.EvaluatorRole))
		s.pass(month - 1000)
		if r := s.send(s.prog.Withdraw(sponsor, c.at, brain.EvaluatorRole)); r.Err == nil {
			same(t, "the sponsor is still there", s.evaluatorAt(c, "e0").State, 2)
		}
		before := s.evaluatorAt(c, "e0")
		s.learn(c, last, right(n))
		after := s.evaluatorAt(c, "e0")
		same(t, "what stands", s.evaluatorAt(c, "e1").Surety, brain.Surety{})
		if before.Past.Outcomes.Good > 0 && after.Past.Outcomes.Good >= before.Past.Outcomes.Good {
			t.Errorf("its record was %+v and is %+v", before.Past, after.Past)
		}
	}
	s.backed(c, last)
}

// A sponsor and the one it vouches for are likely of one owner, and agree with each other. They
// took both seats of a task 2.6 times as often as two strangers of the same reputations. Now no
// draw seats both, nor whoever vouches for the requester.
func TestAttackPairOfEvaluators(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 4, withGolden)
	s.vouched(c)
	pair := map[onchain.Address]bool{s.at("e0"): true, s.at("e1"): true}
	for n := byte(1); n <= 12; n++ {
		k := s.task(s.judged(c, n))
		if pair[k.Judges[0].Agent] && pair[k.Judges[1].Agent] {
			t.Fatalf("task %d: both evaluate it", n)
		}
	}
	s.ok(s.prog.Release(s.at("e0"), c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: s.at("e0"), Agent: s.at("e1")}))
	s.pass(month + 1)
	for n := byte(13); n < 60; n++ { // control: two that have nothing to do with each other
		k := s.task(s.judged(c, n))
		if pair[k.Judges[0].Agent] && pair[k.Judges[1].Agent] {
			return
		}
	}
	t.Error("control: they are never drawn together, though neither vouches for the other")
}

// The sponsor of a worker that makes no effort lost nothing, so that junk had the weight of
// another.
func TestAttackLazyWithSponsor(t *testing.T) {
	s := attack(t)
	c := s.begin(4, 2, withGolden)
	role := brain.WorkerRole
	s.ok(s.prog.Vouch(s.at("w0"), c.at, brain.Vouch{Role: role, Agent: s.at("w1"), Stake: c.params.Bond, Share: 2500}))
	s.ok(s.prog.Agree(s.at("w1"), c.at, brain.Agree{Role: role, Sponsor: s.at("w0")}))
	s.pass(1)
	for n := byte(1); n < 30; n++ {
		at := s.judged(c, n)
		lazy := found(1, 1, 1)
		k := s.task(at)
		seat := slices.IndexFunc(k.Work[:3], func(w brain.WorkSeat) bool { return w.Agent == s.at("w1") })
		if seat < 0 {
			continue
		}
		lazy.Facts[seat].LowEffort, lazy.Facts[seat].Cluster = 1, 0
		s.saidSo(c, at, lazy)
		s.until(s.task(at).Clock.Deadline)
		before := s.lamports(s.prog.Treasury())
		s.ok(s.prog.SettleTask(c.at, at))
		slash := s.task(at).Work[seat].Slashed
		same(t, "what the treasury got", s.lamports(s.prog.Treasury())-before, slash+c.params.Bond)
		return
	}
	t.Error("the worker was never drawn")
}

// An offer was to an agent that left, and another agent came into its place and agreed.
func TestAttackOfferPlace(t *testing.T) {
	s := attack(t)
	c := s.begin(1, 2, withGolden)
	place := slices.IndexFunc(s.class(c).Members, func(m brain.Member) bool { return m.Agent == s.at("e1") })
	s.offered(c, "e0", "e1", 2500)
	s.ok(s.prog.Leave(s.at("e1"), c.at, brain.EvaluatorRole))
	s.no("Leaving", s.prog.Agree(s.at("e1"), c.at, brain.Agree{Role: brain.EvaluatorRole, Sponsor: s.at("e0")}))
	s.pass(700)
	s.ok(s.prog.Withdraw(s.at("e1"), c.at, brain.EvaluatorRole))
	s.fund("new", 10*sol)
	s.ok(s.prog.Register(s.at("new"), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	same(t, "who has the place", s.class(c).Members[place].Agent, s.at("new"))
	s.no("NoOffer", s.prog.Agree(s.at("new"), c.at, brain.Agree{Role: brain.EvaluatorRole, Sponsor: s.at("e0")}))
	same(t, "what came back", s.evaluatorAt(c, "e0").Earned, c.params.Bond)
}

// A poster whose outcome the court did not find kept its sponsor's stake, and its record. Now it
// has lost a dispute.
func TestAttackLostDispute(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.judged(c, 1)
	poster, sponsor, role := s.task(at).Judges[0].Agent, s.task(at).Judges[1].Agent, brain.EvaluatorRole
	s.ok(s.prog.Vouch(sponsor, c.at, brain.Vouch{Role: role, Agent: poster, Stake: c.params.Bond, Share: 1}))
	s.ok(s.prog.Agree(poster, c.at, brain.Agree{Role: role, Sponsor: sponsor}))
	s.saidSo(c, at, found(1, 1, 0))
	s.ok(s.bring(c, at, "rex", counter()))
	s.decide(at, voting.ForWorker)
	s.ok(s.resolve(at))
	before := s.lamports(s.prog.Treasury())
	s.ok(s.prog.SettleTask(c.at, at))
	k := s.task(at)
	same(t, "what the treasury got", s.lamports(s.prog.Treasury())-before, k.Money.Slashed+c.params.Bond)
	members := s.class(c).Members
	m := members[k.Judges[0].Index]
	same(t, "what stands", m.Surety, brain.Surety{})
	same(t, "its record", m.Past.Outcomes.All-members[k.Judges[1].Index].Past.Outcomes.All, 3000)
	s.backed(c, at)
}
