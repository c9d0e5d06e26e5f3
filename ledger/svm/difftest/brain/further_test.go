package brain_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/arbiter"
	"ojud/voting"
)

// apart is a task whose three results are scored, and mean different things by the posted outcome.
func (s *scene) apart(workers int) (class, onchain.Address) {
	s.t.Helper()
	c := s.begin(workers, 2)
	at := s.judged(c, 1)
	s.saidSo(c, at, found(1, 2, 3))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	same(s.t, "further workers are called", s.task(at).Status, brain.DrawWorkers)
	same(s.t, "so many", s.task(at).Counts.Workers, 6)
	return c, at
}

// twelve are scores of six results. Those of the first three differ from what was said first.
var twelve = []uint8{10, 90, 10, 90, 10, 90, 90, 90, 88, 90, 91, 90}

// again lets the clock run out, and posts an outcome and settles by it.
func (s *scene) again(c class, at onchain.Address, f brain.Conclusion) {
	s.t.Helper()
	s.saidSo(c, at, f)
	s.until(s.task(at).Clock.Deadline)
	before := s.task(at)
	s.ok(s.prog.SettleTask(c.at, at))
	s.agreesFrom(before, c, at)
}

var further = map[string]func(*scene){
	"further workers": func(s *scene) {
		c, at := s.apart(6)
		first := s.task(at)
		s.drawn(c, at)
		k := s.task(at)
		same(s.t, "status", k.Status, brain.Working)
		same(s.t, "who is called later", k.Work[3].Later-k.Work[2].Later, 1)
		same(s.t, "they have a whole window", k.Clock.Deadline, s.now()+int64(c.params.Times.Submission))
		s.no("AlreadyCommitted", s.prog.CommitResult(k.Work[0].Agent, c.at, at, result(0, "result")))
		s.worked(c, at, 3, 4, 5)
		same(s.t, "the same evaluators", s.task(at).Status, brain.Evaluating)
		s.evaluated(c, at, map[int][]uint8{0: twelve, 1: twelve})
		k = s.task(at)
		for e := range 2 {
			same(s.t, "what was said stays", [3]brain.Rating(k.Judges[e].Said[:3]), [3]brain.Rating(first.Judges[e].Said[:3]))
			same(s.t, "and more was said", k.Judges[e].Said[3], brain.Rating{Score: 90, Confidence: 90})
		}
		s.again(c, at, found(1, 2, 3, 1, 1, 1))
		same(s.t, "status", s.task(at).Status, brain.Settled)
		s.backed(c, at)
	},
	"further workers are absent, and an evaluator says nothing of them": func(s *scene) {
		c, at := s.apart(7)
		s.drawn(c, at)
		s.worked(c, at, 3, 4)
		s.evaluated(c, at, map[int][]uint8{0: twelve})
		k := s.task(at)
		same(s.t, "who spoke is not absent", k.Judges[1].State, 2)
		same(s.t, "and says nothing of them", k.Judges[1].Said[3].Score, brain.Silent)
		s.no("BadOutcome", s.prog.PostOutcome(k.Judges[0].Agent, c.at, at, s.outcome(at, found(1, 2, 3, 1, 1, 1))))
		s.again(c, at, found(1, 2, 3, 1, 2, 0)) // 2 of 5, and 4 of 7 with two more
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		same(s.t, "the absent one lost", s.task(at).Work[5].Slashed, uint64(sol/20))
		same(s.t, "who said nothing of some lost nothing", s.task(at).Judges[1].Slashed, 0)
		s.backed(c, at)
	},
	"no further worker works": func(s *scene) {
		c, at := s.apart(6)
		s.drawn(c, at)
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		same(s.t, "nobody is asked again", s.task(at).Status, brain.AwaitOutcome)
		s.again(c, at, found(1, 2, 3))
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		same(s.t, "slashed", s.task(at).Money.Slashed, uint64(3*sol/20))
		s.backed(c, at)
	},
	"no further worker is there": func(s *scene) {
		c, at := s.apart(5)
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.again(c, at, found(1, 2, 3))
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		same(s.t, "nobody lost anything", s.task(at).Money.Slashed, 0)
		s.backed(c, at)
	},
	"all workers are absent, and others come": func(s *scene) {
		c := s.begin(5, 2)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "as many as make a cluster", s.task(at).Counts.Workers, 5)
		s.drawn(c, at)
		s.worked(c, at, 3, 4)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {255, 0, 255, 0, 255, 0, 90, 90, 88, 90}, 1: {255, 0, 255, 0, 255, 0, 92, 90, 87, 90}})
		s.again(c, at, found(0, 0, 0, 4, 4))
		same(s.t, "status", s.task(at).Status, brain.Settled)
		same(s.t, "slashed", s.task(at).Money.Slashed, uint64(3*sol/20))
		s.backed(c, at)
	},
}

// A poster said that no result means the same as another, so that further workers were called:
// they delay the task, and share what its workers earned. The lie costs the bond, as any other one
// does, and nobody is called before the dispute. The control is the same outcome without a dispute.
func TestAttackNobodyDominant(t *testing.T) {
	for _, disputed := range []bool{false, true} {
		s := attack(t)
		c := s.begin(6, 2)
		s.foundCourt()
		s.fund("rex", 10*sol)
		at := s.judged(c, 1)
		s.saidSo(c, at, found(1, 2, 3))
		s.no("TooEarly", s.prog.SettleTask(c.at, at))
		if !disputed {
			s.until(s.task(at).Clock.Deadline)
			s.ok(s.prog.SettleTask(c.at, at))
			same(t, "control", s.task(at).Status, brain.DrawWorkers)
			continue
		}
		right := found(1, 1, 3)
		right.Evidence[0] = 6
		s.ok(s.bring(c, at, "rex", right))
		s.decide(at, voting.ForWorker)
		before := s.lamports(s.at("rex"))
		s.ok(s.resolve(at))
		same(t, "the disputant won", s.lamports(s.at("rex"))-before, 2*c.params.OutcomeBond(sol))
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(t, "status", s.task(at).Status, brain.Settled)
		same(t, "the liar lost its bond", s.class(c).Members[s.task(at).Judges[0].Index].Earned, s.task(at).Judges[0].Paid)
		s.backed(c, at)
	}
}

// A worker that missed its deadline could hand in the results of others, or reveal what it had
// committed to if that turned out to be right, while further workers worked. An evaluator could
// change what it said to what others had said.
func TestAttackSecondRound(t *testing.T) {
	s := attack(t)
	c := s.begin(8, 2)
	at := s.posted(c, 1)
	s.drawn(c, at)
	k := s.task(at)
	s.ok(s.prog.CommitResult(k.Work[0].Agent, c.at, at, result(0, "result")))
	s.ok(s.prog.CommitResult(k.Work[1].Agent, c.at, at, result(1, "result")))
	s.until(k.Clock.Deadline)
	s.ok(s.prog.Advance(c.at, at))
	s.ok(s.prog.SubmitResult(k.Work[0].Agent, c.at, at, result(0, "result")))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.Advance(c.at, at))
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{0: {90, 90, 255, 0, 255, 0}})
	s.saidSo(c, at, found(1, 0, 0))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	same(t, "one more is called", s.task(at).Counts.Workers, 4)
	s.drawn(c, at)
	s.no("AlreadyCommitted", s.prog.CommitResult(k.Work[1].Agent, c.at, at, result(1, "result")))
	s.no("AlreadyCommitted", s.prog.CommitResult(k.Work[2].Agent, c.at, at, result(2, "result")))
	s.ok(s.prog.CommitResult(s.task(at).Work[3].Agent, c.at, at, result(3, "result")))
	s.no("NotCommitted", s.prog.SubmitResult(k.Work[1].Agent, c.at, at, result(1, "result")))
	s.ok(s.prog.SubmitResult(s.task(at).Work[3].Agent, c.at, at, result(3, "result")))
	said := []uint8{10, 90, 255, 0, 255, 0, 90, 90}
	s.evaluated(c, at, map[int][]uint8{0: said, 1: said})
	k = s.task(at)
	same(t, "what it said first", k.Judges[0].Said[0], brain.Rating{Score: 90, Confidence: 90})
	same(t, "what the other one says, because it was silent then", k.Judges[1].Said[0].Confidence, 0)
	same(t, "what both say", k.Judges[1].Said[3], brain.Rating{Score: 90, Confidence: 90})
	same(t, "it has spoken", k.Judges[1].State, 2)
	s.again(c, at, found(1, 0, 0, 1))
	s.backed(c, at)
}

// scattered is an outcome in which results mean the same by chance.
func scattered(r *rand.Rand, k *brain.TaskAccount) brain.Conclusion {
	f := found()
	for i, w := range k.Work[:k.Counts.Drawn] {
		if w.State != 2 {
			continue
		}
		f.Facts[i] = brain.Fact{Complete: 10_000, Cluster: uint8(i + 1)}
		if j := r.IntN(i + 1); f.Facts[j].Cluster == uint8(j+1) {
			f.Facts[i].Cluster = uint8(j + 1)
		}
	}
	return f
}

// An evaluator that says nothing of any result posts the outcome, and had a tenth of the pool for
// that: 2 % of the budget, where silence costs 0.75 %. The control is the evaluator that evaluated,
// and posts.
func TestAttackPostsAlone(t *testing.T) {
	silent, looked := []uint8{255, 0, 255, 0, 255, 0}, []uint8{90, 100, 90, 100, 20, 100}
	for poster, want := range []int64{-sol * 3 / 400, sol * 2 / 25} {
		s := attack(t)
		c := s.begin(3, 3)
		at := s.posted(c, 1, func(i *brain.CreateTask) { i.EvaluatorCount = 3 })
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: silent, 1: looked, 2: looked})
		s.ok(s.prog.PostOutcome(s.task(at).Judges[poster].Agent, c.at, at, s.outcome(at, found(1, 1, 0))))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		e := s.task(at).Judges[poster]
		same(t, "the poster gains", int64(e.Paid)-int64(e.Slashed), want)
	}
}

// While an outcome without a dominant cluster could be disputed, new members with much stake came
// and got the seats of all further workers. They could read the results, and who evaluates.
func TestAttackLateStake(t *testing.T) {
	s := attack(t)
	c := s.begin(7, 2)
	at := s.judged(c, 1)
	s.saidSo(c, at, found(1, 2, 3))
	rich := map[onchain.Address]bool{}
	for _, name := range []string{"x", "y", "z"} {
		rich[s.fund(name, 2_000*sol)] = true
		s.ok(s.prog.Register(s.at(name), c.at, brain.Register{Role: brain.WorkerRole, Stake: 1_000 * sol}))
	}
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.drawn(c, at)
	for _, w := range s.task(at).Work[:6] {
		if rich[w.Agent] {
			t.Errorf("%s sits", w.Agent)
		}
	}
}

// An evaluator that could not speak of some results, because it was absent when it was asked about
// them, failed the golden task by its silence. It is tested by the others. The control is one that
// spoke of all, and tells nothing.
func TestAttackForcedSilence(t *testing.T) {
	k := doubted(4, 4, 0)
	k.Status, k.Counts.Drawn = brain.Settled, 6
	for i := range 6 {
		k.Work[i].State, k.Work[i].Inside, k.Work[i].ResultHash = 2, 1, [32]byte{1}
		if k.Finding.Facts[i] = (brain.Fact{Complete: 10_000, Cluster: 1}); i == 1 || i == 2 {
			k.Work[i].ResultHash, k.Finding.Facts[i].Cluster = [32]byte{2}, 2
		}
	}
	said := func(e int, scores ...uint8) {
		k.Judges[e].Asked = 3
		for i := range k.Judges[e].Said {
			if k.Judges[e].Said[i] = (brain.Rating{Score: brain.Silent}); i < len(scores) && scores[i] != brain.Silent {
				k.Judges[e].Said[i] = brain.Rating{Score: scores[i], Confidence: 90}
			}
		}
	}
	said(0, 90, 20, 20, 90, 90, 90)
	said(1, 90, 20, 20)                // away in the second round
	said(2, 255, 255, 255, 90, 90, 90) // away in the first one
	said(3, 85, 85, 85, 85, 85, 85)
	g, ok := arbiter.Tested(&k, brain.Defaults(), [32]byte{1})
	want := [4]arbiter.Grade{arbiter.Passed, arbiter.Passed, arbiter.Nothing, arbiter.Missed}
	if !ok || [4]arbiter.Grade(g.Evaluators) != want {
		t.Errorf("%q, not %q", g.Evaluators, want)
	}
}

// A liar posted again what the court had found false, after nobody was found to evaluate further.
// The same disputant could not bring the same outcome to the court, which keeps each dispute.
func TestAttackSameLie(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.posted(c, 1)
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {30, 90, 20, 80, 30, 90}})
	right := found(1, 1, 0)
	right.Evidence[0] = 6
	for range 2 {
		s.saidSo(c, at, found(1, 2, 0))
		s.ok(s.bring(c, at, "rex", right))
		s.decide(at, voting.ForWorker)
		s.ok(s.resolve(at))
		before := s.task(at)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agreesFrom(before, c, at)
		if s.task(at).Status == brain.DrawEvaluators {
			s.until(s.task(at).Clock.Deadline)
			s.ok(s.prog.Advance(c.at, at))
		}
	}
	same(t, "status", s.task(at).Status, brain.Inconclusive)
	liar, other := s.class(c).Members[s.task(at).Judges[0].Index], s.class(c).Members[s.task(at).Judges[1].Index]
	same(t, "the liar's lost dispute is in its record", liar.Past.Outcomes.All-other.Past.Outcomes.All, 3_000)
}

// A poster that lost a dispute about an outcome, after which further workers were called and
// another one posted, kept its record.
func TestAttackLostAndForgotten(t *testing.T) {
	s := attack(t)
	c := s.begin(6, 2, withGolden)
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.judged(c, 1)
	s.saidSo(c, at, found(1, 1, 1))
	right := found(1, 2, 3)
	right.Evidence[0] = 6
	s.ok(s.bring(c, at, "rex", right))
	s.decide(at, voting.ForWorker)
	s.ok(s.resolve(at))
	s.ok(s.prog.SettleTask(c.at, at))
	s.drawn(c, at)
	s.worked(c, at, 3, 4, 5)
	s.evaluated(c, at, map[int][]uint8{0: twelve, 1: twelve})
	s.ok(s.prog.PostOutcome(s.task(at).Judges[1].Agent, c.at, at, s.outcome(at, found(1, 2, 3, 1, 1, 1))))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.agrees(c, at)
	same(t, "status", s.task(at).Status, brain.Settled)
	liar, other := s.class(c).Members[s.task(at).Judges[0].Index], s.class(c).Members[s.task(at).Judges[1].Index]
	same(t, "its lost dispute is in its record", liar.Past.Outcomes.All-other.Past.Outcomes.All, 3_000)
}

// A worker withheld its result until further workers had been called, and then showed it. Nobody
// who sat could score it, so that a cluster with it was never valid: the task was inconclusive, or
// waited for evaluators.
func TestAttackShownLater(t *testing.T) {
	s := attack(t)
	c := s.begin(6, 2, func(p *brain.Parameters) { p.Shares.MaxEvaluators = 2 })
	at := s.posted(c, 1)
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.drawn(c, at)
	unseen := []uint8{90, 90, 88, 90, 255, 0}
	s.evaluated(c, at, map[int][]uint8{0: unseen, 1: unseen})
	f := found(1, 2, 0)
	f.Facts[2] = brain.Fact{LowEffort: 1}
	s.saidSo(c, at, f)
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	same(t, "one more is called", s.task(at).Counts.Workers, 4)
	s.drawn(c, at)
	s.worked(c, at, 3)
	all := []uint8{10, 90, 10, 90, 91, 90, 90, 90}
	s.evaluated(c, at, map[int][]uint8{0: all, 1: all})
	k := s.task(at)
	same(t, "what was said stays", k.Judges[0].Said[0].Score, 90)
	same(t, "what nobody had said counts", k.Judges[0].Said[2].Score, 91)
	s.again(c, at, found(1, 2, 1, 1))
	same(t, "status", s.task(at).Status, brain.Settled)
}

// An evaluator stayed away in the first round, and copied in the second one what the other had said
// of the first results: of two, that was what fewer than two had said. It was paid its whole place,
// and passed a golden task. Now half of those who spoke are enough for a result to be told.
func TestAttackAbsentCopies(t *testing.T) {
	s := attack(t)
	c := s.begin(6, 2, withGolden)
	open := right(1)
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), open)
	})
	said := []string{"right", "a lie of one", "another lie that is long", "right", "right", "right"}
	hand := func(from, to int) {
		s.drawn(c, at)
		k := s.task(at)
		for i := from; i < to; i++ {
			s.ok(s.prog.CommitResult(k.Work[i].Agent, c.at, at, result(i, said[i])))
		}
		for i := from; i < to; i++ {
			s.ok(s.prog.SubmitResult(k.Work[i].Agent, c.at, at, result(i, said[i])))
		}
	}
	hand(0, 3)
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{0: {90, 90, 20, 90, 25, 90}}) // the other one is absent
	s.saidSo(c, at, found(1, 2, 3))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	hand(3, 6)
	all := []uint8{90, 90, 20, 90, 25, 90, 90, 90, 90, 90, 90, 90}
	s.evaluated(c, at, map[int][]uint8{0: all, 1: all})
	s.again(c, at, found(1, 2, 3, 1, 1, 1))
	k := s.task(at)
	same(t, "what it says of the first results", k.Judges[1].Said[0].Confidence, 0)
	same(t, "somebody else is asked about them", k.Status, brain.DrawEvaluators)
}

// Members that put a lamport in when the block of a draw of further workers was known left the urn,
// and so chose among many draws.
func TestAttackFurtherGround(t *testing.T) {
	first := ""
	for mask := range 4 {
		s := attack(t)
		c := s.begin(9, 2)
		at := s.judged(c, 1)
		s.pass(300)
		s.saidSo(c, at, found(1, 2, 3))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.pass(2)
		for i, name := range []string{"w0", "w1"} {
			if mask>>i&1 == 1 {
				s.ok(s.prog.Register(s.at(name), c.at, brain.Register{Role: brain.WorkerRole, Stake: 1}))
			}
		}
		s.ok(s.prog.Draw(c.at, at, nil))
		k := s.task(at)
		drawn := fmt.Sprint(k.Work[3].Index, k.Work[4].Index, k.Work[5].Index)
		if first == "" {
			first = drawn
		}
		same(t, "who is drawn", drawn, first)
	}
}
