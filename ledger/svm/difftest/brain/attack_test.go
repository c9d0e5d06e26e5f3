package brain_test

import (
	"fmt"
	"slices"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// These tests make the attacks that docs/attacks.md lists for MegaBrain.

func attack(t *testing.T) *scene { return newScene(t, newSuite(t, true), t.Name()) }

// held is what tasks hold of the stakes of this role.
func (s *scene) held(c class, role brain.Role) (locked, left uint64) {
	s.t.Helper()
	for _, m := range s.class(c).Members {
		if m.Role == role {
			locked, left = locked+m.Locked, left+m.Stake
		}
	}
	return locked, left
}

// A task of one lamport asked for all free stake of a class, was drawn in the last second, and
// ended a second later: 8 of 8 SOL of strangers were slashed.
func TestAttackStakesOfStrangers(t *testing.T) {
	s := attack(t)
	c := s.begin(8, 2)
	try := func(want string, n byte, change func(*brain.CreateTask)) {
		t.Helper()
		i := s.terms(n)
		i.TotalBudget, i.WorkerStake, i.EvaluatorStake, i.WorkerCount = sol/1000, sol/20_000, sol/1000*3/100, 8
		change(&i)
		s.no(want, s.prog.CreateTask(s.at("requester"), c.at, i))
	}
	try("BadBudget", 1, func(i *brain.CreateTask) { i.TotalBudget = 1 })
	try("BadStake", 1, func(i *brain.CreateTask) { i.WorkerStake = sol })
	try("BadStake", 1, func(i *brain.CreateTask) { i.WorkerStake = sol/10_000 + 1 })
	try("BadStake", 1, func(i *brain.CreateTask) { i.EvaluatorStake = sol/1000*6/100 + 1 })
	try("BadDeadline", 1, func(i *brain.CreateTask) { i.SubmissionDeadline = s.now() + int64(c.params.Times.Draw) + 1 })
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.TotalBudget, i.WorkerStake, i.EvaluatorStake, i.WorkerCount = sol/1000, sol/10_000, sol/1000*6/100, 8
	})
	s.pass(int64(c.params.Times.Draw) - 1)
	s.ok(s.prog.Draw(c.at, at, c.near)) // the block is forgotten: another one decides
	env := *s.env
	env.Clock.Slot += 3
	s.move(&env)
	s.ok(s.prog.Draw(c.at, at, c.near))
	k := s.task(at)
	same(t, "status", k.Status, brain.Working)
	if window := k.Clock.Deadline - s.now(); window < int64(c.params.Times.Submission) {
		t.Errorf("workers have %d s", window)
	}
	s.until(k.Clock.Deadline)
	s.ok(s.prog.Advance(c.at, at))
	s.ok(s.prog.SettleTask(c.at, at))
	if _, left := s.held(c, brain.WorkerRole); left < 8*sol-sol/1000 {
		t.Errorf("a task of 0.001 SOL burned %d lamports", 8*sol-left)
	}
}

// The same task with a deadline in ninety days held all stakes of the class, and no other could be
// drawn.
func TestAttackStakesLocked(t *testing.T) {
	s := attack(t)
	c := s.begin(8, 2)
	longest := s.now() + int64(c.params.Times.Draw) + 4*int64(c.params.Times.Submission)
	i := s.terms(1)
	i.SubmissionDeadline = longest + 1
	s.no("BadDeadline", s.prog.CreateTask(s.at("requester"), c.at, i))
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.TotalBudget, i.WorkerStake, i.EvaluatorStake, i.WorkerCount = sol, sol/10, sol*6/100, 8
		i.SubmissionDeadline = longest
	})
	s.pass(2)
	s.ok(s.prog.Draw(c.at, at, c.near))
	if locked, _ := s.held(c, brain.WorkerRole); locked > 8*sol/10 {
		t.Errorf("a task of 1 SOL holds %d lamports", locked)
	}
	other := s.posted(c, 2)
	s.drawn(c, other)
	s.ok(s.prog.Leave(s.at("w0"), c.at, brain.WorkerRole))
	for _, it := range []onchain.Address{at, other} {
		s.until(s.task(it).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, it))
		s.ok(s.prog.SettleTask(c.at, it))
	}
	s.ok(s.prog.Withdraw(s.at("w0"), c.at, brain.WorkerRole))
}

// The poster's friend disputed its lie with the same lie and one number changed: nobody else could
// dispute it, the court rejected the friend's claim, and the lie was paid.
func TestAttackOwnDispute(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 3)
	s.foundCourt()
	s.fund("friend", 100*sol)
	s.fund("honest", 100*sol)
	at := s.judged(c, 1, func(i *brain.CreateTask) { i.TotalBudget, i.WorkerStake, i.EvaluatorStake = 5*sol, sol/4, sol*15/100 })
	bond := c.params.OutcomeBond(5 * sol)
	lie := found(0, 0, 0)
	for i := range 3 {
		lie.Facts[i].LowEffort = 1
	}
	s.saidSo(c, at, lie)
	for i := range 3 {
		other := lie
		other.Facts[2].Complete, other.Evidence[0] = uint16(9_999-i), 6
		list := []onchain.Instruction{s.bring(c, at, "friend", other)}
		if i > 0 { // in the transaction that ends the dispute before
			s.decide(at, voting.ForCreator)
			list = []onchain.Instruction{s.resolve(at), s.bring(c, at, "friend", other, func(d *brain.DisputeResult) { d.ArbitrationStake = bond << i })}
		}
		s.ok(list...)
		same(t, "the friend's stake", s.task(at).Money.CounterBond, bond<<i)
	}
	s.decide(at, voting.ForCreator)
	s.ok(s.resolve(at))
	k := s.task(at)
	same(t, "status", k.Status, brain.Posted)
	same(t, "the window", k.Clock.Deadline-s.now(), int64(c.params.Times.Dispute))
	right := found(1, 1, 1)
	right.Evidence[0] = 7
	s.ok(s.bring(c, at, "honest", right))
	s.decide(at, voting.ForWorker)
	before := s.lamports(s.at("honest"))
	s.ok(s.resolve(at))
	same(t, "the honest got both bonds", s.lamports(s.at("honest"))-before, bond<<3+bond)
	s.ok(s.prog.SettleTask(c.at, at))
	s.agrees(c, at)
	for i, w := range s.task(at).Work[:3] {
		if w.Paid == 0 || w.Slashed > 0 {
			t.Errorf("worker %d got %d and lost %d", i, w.Paid, w.Slashed)
		}
	}
	s.backed(c, at)
}

// A budget above the court's cover, or below its least reward, could not be disputed.
func TestAttackNoDispute(t *testing.T) {
	for budget, amount := range map[uint64]uint64{sol / 1000: 1_000_000, 8 * sol: 7 * sol} {
		s := attack(t)
		c := s.begin(3, 3)
		s.foundCourt() // seven judges of 1 SOL, which it covers
		s.fund("honest", 100*sol)
		at := s.judged(c, 1, func(i *brain.CreateTask) {
			i.TotalBudget, i.WorkerStake, i.EvaluatorStake = budget, budget/20, budget*3/100
		})
		s.saidSo(c, at, found(0, 0, 0))
		s.ok(s.bring(c, at, "honest", found(1, 1, 1)))
		d, err := program.DecodeTask(s.accounts[s.task(at).Dispute].Data)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the amount", d.Reward, amount)
	}
}

// The judges of a large budget cost more than the bond of a false outcome, so that who disputed it
// lost by being right.
func TestAttackCheapLie(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 3)
	s.foundCourt()
	s.fund("honest", 100*sol)
	at := s.judged(c, 1, func(i *brain.CreateTask) {
		i.TotalBudget, i.WorkerStake, i.EvaluatorStake = 6*sol, sol*3/10, sol*18/100
	})
	s.saidSo(c, at, found(0, 0, 0))
	s.ok(s.bring(c, at, "honest", found(1, 1, 1)))
	d, err := program.DecodeTask(s.accounts[s.task(at).Dispute].Data)
	if err != nil {
		t.Fatal(err)
	}
	s.decide(at, voting.ForWorker)
	before, stake := s.lamports(s.at("honest")), s.task(at).Money.CounterBond
	s.ok(s.resolve(at))
	if got := s.lamports(s.at("honest")) - before - stake; got < d.WorkerBond || d.WorkerBond == 0 {
		t.Errorf("the judges cost %d, and the poster's bond is %d", d.WorkerBond, got)
	}
}

// Ten of forty evaluators put one lamport more into some of their stakes when the block was known:
// both seats were theirs in 12 of 12 tasks. Now whatever members do then, the draw is the same.
func TestAttackDrawGround(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 30, func(p *brain.Parameters) { p.Times.Draw = 60 })
	const mine = 10
	name := func(i int) string { return fmt.Sprintf("m%d", i) }
	for i := range mine {
		s.fund(name(i), 100*sol)
		s.ok(s.prog.Register(s.at(name(i)), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	}
	for n := byte(1); n <= 3; n++ {
		s.pass(600)
		for i := range mine {
			s.ok(s.prog.Register(s.at(name(i)), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: 100_000 << i}))
		}
		if n > 1 {
			s.pass(300) // so that they may put in more when the block is known
		}
		at := s.posted(c, n, func(i *brain.CreateTask) { i.SubmissionDeadline = s.now() + 86_460 })
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.pass(2)
		before := s.naive(c, at)
		for i := range mine {
			more := s.prog.Register(s.at(name(i)), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: 1 + uint64(i)*sol/2})
			if n == 1 {
				s.no("TooEarly", more)
				continue
			}
			s.ok(more)
			if i%2 == 1 && n == 3 {
				s.ok(s.prog.Leave(s.at(name(i)), c.at, brain.EvaluatorRole))
			}
		}
		env := *s.env // the time of a leaver is over, and the draw still has its block
		env.Clock.Slot, env.Clock.UnixTimestamp = env.Clock.Slot+10, s.now()+57
		s.move(&env)
		for i := range mine {
			s.no("NothingToWithdraw", s.prog.Withdraw(s.at(name(i)), c.at, brain.EvaluatorRole))
		}
		same(t, "who is drawn", fmt.Sprint(s.naive(c, at)), fmt.Sprint(before))
		s.ok(s.prog.Draw(c.at, at, c.near))
		k := s.task(at)
		same(t, "who was drawn", fmt.Sprint([]uint16{k.Judges[0].Index, k.Judges[1].Index}), fmt.Sprint(before))
	}
}

// The disputant chose seven seats, of which five decide: they could be bribed by any budget.
func TestAttackSmallPanel(t *testing.T) {
	s := attack(t)
	_, at := s.disputed()
	d, err := program.DecodeTask(s.accounts[s.task(at).Dispute].Data)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the panel", d.Seats, program.DefaultParams().PanelSeats)
}

// A class was filled by 126 members of one lamport each, for 0.126 SOL. Now its last places are so
// dear that who has five SOL still comes in after forty SOL of another.
func TestAttackClassFilled(t *testing.T) {
	s := attack(t)
	c := s.begin(1, 1)
	s.fund("x", sol)
	s.no("StakeTooSmall", s.prog.Register(s.at("x"), c.at, brain.Register{Role: brain.WorkerRole, Stake: 1}))
	spent, members := uint64(0), 2
	for ; spent < 40*sol; members++ {
		stake := c.params.Bond
		for dear := 64; dear <= members; dear += 8 {
			stake *= 2
		}
		name := fmt.Sprintf("x%d", members)
		s.fund(name, 100*sol)
		if members >= 60 {
			s.no("StakeTooSmall", s.prog.Register(s.at(name), c.at, brain.Register{Role: brain.WorkerRole, Stake: stake - 1}))
		}
		s.ok(s.prog.Register(s.at(name), c.at, brain.Register{Role: brain.WorkerRole, Stake: stake}))
		spent += stake
	}
	s.fund("new", 10*sol)
	s.ok(s.prog.Register(s.at("new"), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: 5 * sol}))
	t.Logf("%d members have %d lamports at stake", members, spent)
}

// A rubber-stamper that is frozen left, and came back ten minutes later under its own key, with the
// reputation of a newcomer, which was more than it had, and no freeze.
func TestAttackFrozenComesBack(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 3)
	at := s.posted(c, 1, func(i *brain.CreateTask) { i.EvaluatorCount = 3 })
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 88, 70}, 1: {94, 90, 90, 80, 90, 90}, 2: {85, 90, 85, 80, 85, 90}})
	f := found(1, 1, 1)
	f.Rubber[2] = 1
	s.saidSo(c, at, f)
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	i := s.task(at).Judges[2].Index
	m := s.class(c).Members[i]
	s.ok(s.prog.Leave(m.Agent, c.at, brain.EvaluatorRole))
	s.pass(600)
	if m.Earned > 0 {
		s.ok(s.prog.Withdraw(m.Agent, c.at, brain.EvaluatorRole))
	}
	s.no("NothingToWithdraw", s.prog.Withdraw(m.Agent, c.at, brain.EvaluatorRole))
	s.no("Leaving", s.prog.Register(m.Agent, c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	s.until(m.FrozenUntil)
	s.ok(s.prog.Withdraw(m.Agent, c.at, brain.EvaluatorRole))
	s.ok(s.prog.Register(m.Agent, c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	same(t, "its reputation", s.class(c).Members[i].Reputation, 1_000)
}

// An evaluator that said 0 of everything with confidence 0 was no outlier, and its reputation rose
// from 5,000 to 6,815 in seven tasks.
func TestAttackNoConfidence(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 3)
	at := s.posted(c, 1, func(i *brain.CreateTask) { i.EvaluatorCount = 3 })
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.drawn(c, at)
	good := []uint8{90, 80, 92, 90, 88, 70}
	s.evaluated(c, at, map[int][]uint8{0: good, 1: slices.Repeat([]uint8{0}, 6), 2: good})
	s.saidSo(c, at, found(1, 1, 1))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.agrees(c, at)
	j := s.task(at).Judges[1]
	if r := s.class(c).Members[j.Index].Reputation; j.Paid > 0 || j.Slashed == 0 || r >= 1_000 {
		t.Errorf("it got %d, lost %d, and has %d", j.Paid, j.Slashed, r)
	}
}

// A worker withheld its result, and no evaluator posted an outcome without it: they earned the
// same, and the bond was at risk. The workers got a tenth. Now the evaluators get a tenth, too, and
// who posts gets more than who waits.
func TestAttackNobodyPosts(t *testing.T) {
	var earned [2][2]uint64 // by whether an outcome is posted, and by the seat
	for posts := range 2 {
		s := attack(t)
		c := s.begin(3, 2)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		seen := []uint8{255, 0, 92, 90, 90, 90}
		s.evaluated(c, at, map[int][]uint8{0: seen, 1: seen})
		if posts == 1 {
			without := found(0, 2, 2)
			without.Facts[0].LowEffort = 1
			s.saidSo(c, at, without)
		}
		s.until(s.task(at).Clock.Deadline)
		if posts == 0 {
			s.ok(s.prog.Advance(c.at, at))
		}
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		for i := range 2 {
			earned[posts][i] = s.task(at).Judges[i].Paid
		}
	}
	for i := range 2 {
		if earned[0][i] == 0 || earned[0][i] > earned[1][i]/9 {
			t.Errorf("evaluator %d gets %d without an outcome, and %d with one", i, earned[0][i], earned[1][i])
		}
	}
	if poster, other := earned[1][0], earned[1][1]; poster <= other || other > sol/10 {
		t.Errorf("the poster gets %d, and the other %d", poster, other)
	}
}
