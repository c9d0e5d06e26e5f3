package brain_test

import (
	"fmt"
	"slices"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
)

// beside makes a class to which another one is near, with members of the same names.
func (s *scene) beside(near class, workers, evaluators int) class {
	s.t.Helper()
	c := class{at: s.prog.Class(s.at("maker"), [32]byte{8}), params: near.params, near: []onchain.Address{near.at}}
	s.ok(s.prog.CreateClass(s.at("maker"), brain.CreateClass{ID: [32]byte{8}, Parameters: c.params, Near: brain.Keys(c.near)}))
	for i := range workers {
		s.ok(s.prog.Register(s.at(fmt.Sprintf("w%d", i)), c.at, brain.Register{Role: brain.WorkerRole, Stake: sol}))
	}
	for i := range evaluators {
		s.ok(s.prog.Register(s.at(fmt.Sprintf("e%d", i)), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	}
	s.pass(1)
	return c
}

func (s *scene) link(c class, name string) onchain.Instruction {
	return s.prog.Link(c.at, c.near[0], brain.LinkArgs{Role: brain.EvaluatorRole, Agent: s.at(name)})
}

// proven plays a golden task of a class with two evaluators, "e0" and "e1", who look.
func (s *scene) proven() (near, c class) {
	s.t.Helper()
	near = s.begin(3, 2, withGolden)
	at := s.tested(near, 1, map[int][]uint8{0: looks, 1: looks})
	s.learn(near, at, right(1))
	return near, s.beside(near, 3, 2)
}

// better is the reputation of a newcomer with a quarter of one golden task and of one good outcome:
// twice 250 of 3,250 thousandths, of 4,500.
const better = 1000 + 2*(250*4500/3250)

var nearness = map[string]func(*scene){
	"a near class": func(s *scene) {
		near, c := s.proven()
		for _, bad := range [][]byte{make([]byte, 32), make([]byte, 31), brain.Keys([]onchain.Address{near.at, near.at}), brain.Keys([]onchain.Address{s.prog.Class(s.at("maker"), [32]byte{9})}), brain.Keys([]onchain.Address{{1}, {2}, {3}, {4}, {5}})} {
			s.no("BadParameter", s.prog.CreateClass(s.at("maker"), brain.CreateClass{ID: [32]byte{9}, Parameters: c.params, Near: bad}))
		}
		plain := c.params
		plain.Golden = 0
		s.no("BadParameter", s.prog.CreateClass(s.at("maker"), brain.CreateClass{ID: [32]byte{9}, Parameters: plain, Near: brain.Keys(c.near)}))
		role := brain.EvaluatorRole
		s.no("WrongAddress", s.prog.Link(near.at, c.at, brain.LinkArgs{Role: role, Agent: s.at("e0")}))
		s.no("NotMember", s.prog.Link(c.at, near.at, brain.LinkArgs{Role: role, Agent: s.at("w0")}))
		same(s.t, "before", s.reputed(c, s.evaluatorAt(c, "e0")), 1000)
		s.units["link"] = s.ok(s.link(c, "e0")).Units
		s.no("AlreadyExists", s.link(c, "e0"))
		same(s.t, "after", s.reputed(c, s.evaluatorAt(c, "e0")), better)
		s.no("NotEnoughAccounts", s.prog.GetReputation(c.at, s.at("e0"), nil))
		s.no("WrongAddress", s.prog.GetReputation(c.at, s.at("e0"), []onchain.Address{c.at}))
		s.pass(1)
		at := s.posted(c, 2)
		s.pass(2)
		s.no("NotEnoughAccounts", s.prog.Draw(c.at, at, nil))
		s.no("WrongAddress", s.prog.Draw(c.at, at, []onchain.Address{c.at}))
		want := fmt.Sprint(s.naive(c, at))
		s.units["draw with a near class"] = s.ok(s.prog.Draw(c.at, at, c.near)).Units
		k := s.task(at)
		same(s.t, "who was drawn", fmt.Sprint([]uint16{k.Work[0].Index, k.Work[1].Index, k.Work[2].Index}), want)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		for _, e := range s.task(at).Judges[:2] {
			if e.Agent == s.at("e0") {
				same(s.t, "its weight in the task", e.Reputation, better)
			}
		}
		s.ok(s.prog.Vouch(s.at("e0"), c.at, s.voucher(c, "e1", 1000)))
		s.ok(s.prog.Agree(s.at("e1"), c.at, brain.Agree{Role: role, Sponsor: s.at("e0")}))
		same(s.t, "who vouches with it", s.reputed(c, s.evaluatorAt(c, "e0")), better-better/10)
		same(s.t, "who is vouched for", s.reputed(c, s.evaluatorAt(c, "e1")), 1000+better/10)
	},
	"a near class that is none": func(s *scene) {
		near := s.begin(3, 2, withGolden)
		task := s.prog.Task(s.at("requester"), [32]byte{1})
		near.at = task // it will be the task that is drawn
		c := s.beside(near, 3, 2)
		at := s.posted(c, 1)
		same(s.t, "the task", at, task)
		s.drawn(c, at)
	},
}

// A member counted its record twice: it left the near class after it was shown, came back with a
// new one, and showed that, too. Now nothing is copied, and who left has no record.
func TestAttackRecordTwice(t *testing.T) {
	s := attack(t)
	near, c := s.proven()
	s.ok(s.link(c, "e0"))
	same(t, "with its record", s.reputed(c, s.evaluatorAt(c, "e0")), better)
	s.ok(s.prog.Leave(s.at("e0"), near.at, brain.EvaluatorRole))
	same(t, "after it left", s.reputed(c, s.evaluatorAt(c, "e0")), 1000)
	s.pass(month)
	s.ok(s.prog.Withdraw(s.at("e0"), near.at, brain.EvaluatorRole))
	s.ok(s.prog.Register(s.at("e0"), near.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	if r := s.send(s.link(c, "e0")); r.Err == nil {
		t.Error("it is shown again at the same place")
	}
	same(t, "after it came back", s.reputed(c, s.evaluatorAt(c, "e0")), 1000)
}

// An evaluator showed its record, and stamped in the near class then: the copy knew nothing of
// that. Now it is frozen in both, also if it leaves, and its record is gone.
func TestAttackAlarmLeftBehind(t *testing.T) {
	s := attack(t)
	near, c := s.proven()
	s.ok(s.link(c, "e0"), s.link(c, "e1"))
	var at onchain.Address
	for n := byte(2); n <= 6; n++ {
		at = s.tested(near, n, map[int][]uint8{0: stamps, 1: stamps})
		s.learn(near, at, right(n))
		if s.evaluatorAt(near, "e0").FrozenUntil > s.now() {
			break
		}
	}
	frozen := s.evaluatorAt(near, "e0").FrozenUntil
	same(t, "frozen there", frozen > s.now(), true)
	same(t, "its reputation here", s.reputed(c, s.evaluatorAt(c, "e0")), 0)
	s.ok(s.prog.Leave(s.at("e0"), near.at, brain.EvaluatorRole))
	s.pass(1000)
	if m := s.evaluatorAt(near, "e0"); m.Earned > 0 {
		s.ok(s.prog.Withdraw(s.at("e0"), near.at, brain.EvaluatorRole))
	}
	s.no("NothingToWithdraw", s.prog.Withdraw(s.at("e0"), near.at, brain.EvaluatorRole))
	same(t, "after it left", s.reputed(c, s.evaluatorAt(c, "e0")), 0)
	task := s.posted(c, 9)
	s.drawn(c, task)
	s.worked(c, task, 0, 1, 2)
	s.pass(2)
	s.no("TooFewMembers", s.prog.Draw(c.at, task, c.near))
	s.until(frozen)
	same(t, "when it is over", s.reputed(c, s.evaluatorAt(c, "e0")), 1000)
}

// An evaluator with a bad record in the near class did not show it. Now anybody does.
func TestAttackBadRecordHidden(t *testing.T) {
	s := attack(t)
	near := s.begin(3, 2, withGolden)
	at := s.tested(near, 1, map[int][]uint8{0: looks, 1: stamps})
	s.learn(near, at, right(1))
	c := s.beside(near, 3, 2)
	own := s.sealed(c, 2, right(2), map[int][]uint8{0: looks, 1: looks}, found(1, 1, 0))
	s.learn(c, own, right(2))
	stamp := s.class(near).Members[s.task(at).Judges[1].Index].Agent
	i := slices.IndexFunc(s.class(c).Members, func(m brain.Member) bool { return m.Agent == stamp && m.Role == brain.EvaluatorRole })
	before := s.reputed(c, s.class(c).Members[i])
	s.ok(s.prog.Link(c.at, near.at, brain.LinkArgs{Role: brain.EvaluatorRole, Agent: stamp})) // the payer sends it
	if after := s.reputed(c, s.class(c).Members[i]); after >= before {
		t.Errorf("%d, and %d with its bad record", before, after)
	}
}

// Members showed records, or left the near class, when the block of a draw was known. Now that
// counts for later draws alone.
func TestAttackLinkedForDraw(t *testing.T) {
	s := attack(t)
	near, c := s.proven()
	s.ok(s.link(c, "e0"))
	s.pass(1)
	at := s.posted(c, 2)
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.pass(2)
	want, worth := fmt.Sprint(s.naive(c, at)), s.worth(c, s.class(c).Members, s.env.Clock.Slot, s.now())
	s.ok(s.link(c, "e1"))
	s.ok(s.prog.Leave(s.at("e0"), near.at, brain.EvaluatorRole))
	if now := s.worth(c, s.class(c).Members, s.env.Clock.Slot+1, s.now()); slices.Equal(now, worth) {
		t.Fatal("control: nothing changes for later draws")
	}
	same(t, "who is drawn", fmt.Sprint(s.naive(c, at)), want)
	s.ok(s.prog.Draw(c.at, at, c.near))
	for _, e := range s.task(at).Judges[:2] {
		if wanted := map[bool]uint16{true: better, false: 1000}[e.Agent == s.at("e0")]; e.Reputation != wanted {
			t.Errorf("it weighs %d, not %d", e.Reputation, wanted)
		}
	}
}
