package brain_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/pay"
	"ojud/megabrain/reputation"
)

// right is what opens the golden tasks of these tests: the result of the seats that say "right".
func right(n byte) brain.OpenGolden {
	return brain.OpenGolden{Answer: result(0, "right").ResultHash, Salt: [32]byte{77, n}}
}

// tested plays a golden task with two right results and a wrong one, up to its settlement.
func (s *scene) tested(c class, n byte, scores map[int][]uint8) onchain.Address {
	s.t.Helper()
	return s.sealed(c, n, right(n), scores, found(1, 1, 0))
}

// sealed plays a task with two equal results and another, up to its settlement.
func (s *scene) sealed(c class, n byte, open brain.OpenGolden, scores map[int][]uint8, f brain.Conclusion) onchain.Address {
	s.t.Helper()
	at := s.handed(c, n, open, len(scores))
	s.evaluated(c, at, scores)
	s.saidSo(c, at, f)
	s.no("WrongStatus", s.prog.OpenGolden(s.at("maker"), c.at, at, open))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	return at
}

// handed plays it up to the draw of so many evaluators.
func (s *scene) handed(c class, n byte, open brain.OpenGolden, evaluators int) onchain.Address {
	s.t.Helper()
	at := s.posted(c, n, func(i *brain.CreateTask) {
		i.EvaluatorCount = uint8(evaluators)
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), open)
	})
	s.drawn(c, at)
	k := s.task(at)
	said := [3]string{"right", "right", "a lie of another"}
	for i := range 3 {
		s.ok(s.prog.CommitResult(k.Work[i].Agent, c.at, at, result(i, said[i])))
	}
	for i := range 3 {
		s.ok(s.prog.SubmitResult(k.Work[i].Agent, c.at, at, result(i, said[i])))
	}
	s.drawn(c, at)
	return at
}

// learn opens a golden task, and ends it when nobody appeals any more.
func (s *scene) learn(c class, at onchain.Address, open brain.OpenGolden) *svm.Result {
	s.t.Helper()
	s.fund("maker", 1<<50)
	r := s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, open))
	s.until(s.task(at).Clock.Deadline)
	s.units["end_golden"] = s.ok(s.prog.EndGolden(c.at, at, s.at("maker"))).Units
	return r
}

// third plays the part of a further evaluator, which looks.
func (s *scene) third(c class, at onchain.Address) {
	s.t.Helper()
	same(s.t, "a further evaluator is called", s.task(at).Status, brain.DrawEvaluators)
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{2: looks})
	s.saidSo(c, at, found(1, 1, 0))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
}

// golden is the alarm and the golden record of the evaluator of a seat.
func (s *scene) golden(c class, at onchain.Address, seat int) (uint8, brain.Successes) {
	s.t.Helper()
	m := s.class(c).Members[s.task(at).Judges[seat].Index]
	return m.Alarm, m.Past.Golden
}

func withGolden(p *brain.Parameters) { p.Golden = 10 }

// Scores of an evaluator that looked at the results, and of one that did not.
var (
	looks  = []uint8{90, 90, 88, 90, 20, 90}
	stamps = []uint8{85, 90, 85, 90, 85, 90}
)

var goldens = map[string]func(*scene){
	"a golden task": func(s *scene) {
		c := s.begin(3, 2, withGolden)
		at := s.tested(c, 1, map[int][]uint8{0: looks, 1: looks})
		k := s.task(at)
		other := right(1)
		other.Answer[0]++
		s.no("WrongOpening", s.prog.OpenGolden(s.at("maker"), c.at, at, other))
		s.no("NotAuthority", s.prog.OpenGolden(s.at("requester"), c.at, at, right(1)))
		s.units["open_golden"] = s.learn(c, at, right(1)).Units
		s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
		s.no("WrongStatus", s.prog.EndGolden(c.at, at, s.at("maker")))
		members := s.class(c).Members
		for i, good := range []uint32{1000, 1000, 0} {
			same(s.t, "a worker's record", members[k.Work[i].Index].Past.Golden, brain.Successes{Good: good, All: 1000})
		}
		for _, e := range k.Judges[:2] {
			// 1,000 of 4,000 thousandths in golden tasks and in outcomes, of 4,500 each
			same(s.t, "an evaluator's reputation", members[e.Index].Reputation, 1000+2*4500/4)
		}
		s.backed(c, at)
	},
	"a class without golden tasks": func(s *scene) {
		c := s.begin(3, 2)
		at := s.tested(c, 1, map[int][]uint8{0: looks, 1: looks})
		s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
		other := s.judged(c, 2)
		s.until(s.task(other).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, other))
		s.ok(s.prog.SettleTask(c.at, other))
		s.no("WrongStatus", s.prog.OpenGolden(s.at("maker"), c.at, other, right(2)))
	},
}

// Two evaluators of three said 85 of everything and agreed with each other, so that their
// reputation rose above that of the one who looked. Now golden tasks tell: they are slashed and
// frozen in the fourth, and the one who looked has gained by each. Control: so it is not in a class
// without golden tasks.
func TestAttackStampsAgree(t *testing.T) {
	for _, golden := range []uint16{0, 10} {
		s := attack(t)
		c := s.begin(3, 3, func(p *brain.Parameters) { p.Golden = golden })
		var last *brain.TaskAccount
		for n := byte(1); n <= 4; n++ {
			at := s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps, 2: stamps})
			if golden > 0 {
				s.learn(c, at, right(n))
			}
			s.backed(c, at)
			last = s.task(at)
		}
		for _, e := range last.Judges[:3] {
			m := s.class(c).Members[e.Index]
			lost, frozen := sol-m.Stake, m.FrozenUntil > s.now()
			if golden > 0 && (lost != last.Money.EvaluatorStake*3/4 || !frozen || m.Reputation != 1000) {
				t.Errorf("it lost %d, is frozen: %v, and has %d", lost, frozen, m.Reputation)
			}
			if golden == 0 && (lost != 0 || frozen || m.Reputation <= 2500) {
				t.Errorf("control: it lost %d, is frozen: %v, and has %d", lost, frozen, m.Reputation)
			}
		}
	}
}

// month is for how long who stamped is frozen.
const month = 30 * 24 * 3600

// An evaluator that failed three golden tasks left, came back ten minutes later without alarm, and
// so on for ever. Now its stake stays for as long as it would be frozen, also if it left before its
// task was settled, and a task that is opened meanwhile finds it.
func TestAttackAlarmLeft(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	var at onchain.Address
	for n := byte(1); n <= 4; n++ {
		at = s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps})
		if n < 4 {
			s.learn(c, at, right(n))
		}
	}
	e := s.task(at).Judges[0]
	s.ok(s.prog.Leave(e.Agent, c.at, brain.EvaluatorRole))
	s.pass(700)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole)) // what it earned
	s.no("Leaving", s.prog.Register(e.Agent, c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	alarm, _ := s.golden(c, at, 0)
	same(t, "the alarm of who left", alarm, 9)
	s.learn(c, at, right(4))
	m := s.class(c).Members[e.Index]
	same(t, "its stake", m.Stake, sol-s.task(at).Money.EvaluatorStake*3/4)
	s.until(m.FrozenUntil - 1)
	s.no("NothingToWithdraw", s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
	s.pass(1)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
	s.backed(c, at)
}

// The same by an evaluator that begins to leave while it sits in its first task.
func TestAttackLeftBeforeSettlement(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	at := s.judged(c, 1)
	e := s.task(at).Judges[0]
	s.ok(s.prog.Leave(e.Agent, c.at, brain.EvaluatorRole))
	s.saidSo(c, at, found(1, 1, 0))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.pass(700)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole)) // what it earned
	s.no("NothingToWithdraw", s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
	s.pass(month)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
}

// A worker showed its result when the evaluators had spoken, so that all of them failed the golden
// task. Now it is no part of the test of who could not see it. Control: who says nothing of a
// result that the others saw does fail, and so does one of two that scores one result alone.
func TestAttackLateResult(t *testing.T) {
	late := []uint8{90, 90, 88, 90, brain.Silent, 0}
	for _, k := range []struct {
		name   string
		scores map[int][]uint8
		passed []int // by seat: -1 is not tested, 0 fails, 1 passes
	}{
		{"shown to nobody", map[int][]uint8{0: late, 1: late}, []int{-1, -1}},
		{"shown to one of two", map[int][]uint8{0: looks, 1: late}, []int{1, -1}},
		{"shown to one of three", map[int][]uint8{0: late, 1: late, 2: looks}, []int{-1, -1, 1}},
		{"one alone", map[int][]uint8{0: looks, 1: {85, 90, brain.Silent, 0, brain.Silent, 0}}, []int{1, 0}},
		{"control", map[int][]uint8{0: looks, 1: late, 2: looks}, []int{1, 0, 1}},
	} {
		s := attack(t)
		c := s.begin(3, 3, withGolden)
		at := s.tested(c, 1, k.scores)
		if k.name == "one alone" {
			s.third(c, at)
		}
		s.learn(c, at, right(1))
		for seat, passed := range k.passed {
			want := brain.Successes{Good: uint32(max(0, passed)) * 1000, All: uint32(min(1, 1+passed)) * 1000}
			alarm, got := s.golden(c, at, seat)
			if got != want || alarm != uint8(map[int]int{0: 3}[passed]) {
				t.Errorf("%s: seat %d has %+v and alarm %d, want %+v", k.name, seat, got, alarm, want)
			}
		}
	}
}

// The creator's own worker handed in junk whose hash was the answer, so that all honest evaluators
// failed and their records were lost, for next to nothing. Now the answer has to be in a cluster
// that was paid.
func TestAttackJunkAnswer(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	junk := brain.OpenGolden{Answer: result(0, "a lie of another").ResultHash}
	at := s.sealed(c, 1, junk, map[int][]uint8{0: looks, 1: looks}, found(1, 1, 0))
	s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, junk))
	at = s.sealed(c, 2, right(2), map[int][]uint8{0: looks, 1: looks}, found(0, 0, 0))
	same(t, "the end", s.task(at).Status, brain.Inconclusive)
	s.no("WrongStatus", s.prog.OpenGolden(s.at("maker"), c.at, at, right(2)))
}

// A further evaluator read the scores of the others, and passed the golden task with theirs. Now it
// is not tested.
func TestAttackLateScores(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 3, withGolden)
	at := s.tested(c, 1, map[int][]uint8{0: looks, 1: {10, 90, 10, 90, 10, 90}})
	s.third(c, at)
	s.learn(c, at, right(1))
	for seat, want := range []brain.Successes{{Good: 1000, All: 1000}, {All: 1000}, {}} {
		_, got := s.golden(c, at, seat)
		same(t, "a record", got, want)
	}
}

// An evaluator left after a golden task, and another agent came into its place before it was
// opened: the other was blamed. Now nobody is.
func TestAttackGoldenPlace(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	at := s.tested(c, 1, map[int][]uint8{0: stamps, 1: stamps})
	e := s.task(at).Judges[0]
	s.ok(s.prog.Leave(e.Agent, c.at, brain.EvaluatorRole))
	s.pass(month)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
	s.fund("new", 10*sol)
	s.ok(s.prog.Register(s.at("new"), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	same(t, "who has the place", s.class(c).Members[e.Index].Agent, s.at("new"))
	s.learn(c, at, right(1))
	members := s.class(c).Members
	same(t, "the new one's record", members[e.Index].Past.Golden, brain.Successes{})
	same(t, "the other's record", members[s.task(at).Judges[1].Index].Past.Golden, brain.Successes{All: 1000})
}

// ends is how a task ends for a seat, as megabrain/reputation counts it; empty: it does not.
func ends(p pay.Part, paid bool) reputation.End {
	why, _, _ := strings.Cut(p.Why, ",")
	switch {
	case p.Why == "made no effort":
		return reputation.LowEffort
	case strings.HasPrefix(why, "submitted") || strings.HasPrefix(why, "copied") || why == "evaluated nothing in time":
		return reputation.Lost
	case why == "in the dominant cluster", why == "evaluated all results" && paid:
		return reputation.Good
	case why == "outside the dominant cluster", why == "far from what the others agree on":
		return reputation.Failed
	}
	return ""
}

var records = flag.Int("records", 400, "random tasks that TestRecords plays")

// TestRecords: after random tasks, golden ones among them, each member has the reputation that
// megabrain/reputation says, whoever vouches for whom.
func TestRecords(t *testing.T) { recorded(t, 10, "a") }

// TestNearRecords: the same in a class that another one is near to. Nobody stamps, because the
// program forgets the record of one class then, and megabrain/reputation that of all.
func TestNearRecords(t *testing.T) { recorded(t, 100, "a", "b") }

// recorded plays tasks of classes in turn. The first one is near to the second.
func recorded(t *testing.T, alarm uint16, classes ...string) {
	s := newScene(t, newSuite(t, true), "records")
	terms := reputation.Defaults()
	terms.Alarm = int(alarm)
	book := reputation.New(terms, map[string][]string{"b": {"a"}})
	r, v := rand.New(rand.NewPCG(183, 184)), rand.New(rand.NewPCG(18, 190))
	members := map[string][]brain.Member{}
	var last class
	stamped, opened, seen, done := 0, 0, map[int]bool{}, map[string]int{}
	for n := range *records {
		s.pass(r.Int64N(8 * 24 * 3600))
		c, of := class{params: brain.Defaults()}, classes[n%len(classes)]
		k := random(r, &c.params)
		if of == "b" {
			c.near = []onchain.Address{last.at}
		}
		c.params.Golden, c.params.MaxWorkers, k.Finding.Rubber = alarm, 0, [brain.MaxSeats]uint8{}
		for i := range k.Work {
			k.Work[i].ResultHash = [32]byte{byte(i + 1)}
		}
		for i := range k.Work {
			k.Work[i].Later, k.Work[i].Unheard = uint8(r.IntN(4)/3), uint8(r.IntN(4)/3)
		}
		asked := uint8(r.IntN(4) * r.IntN(2))
		for i := range k.Judges {
			e := &k.Judges[i]
			e.Past = uint8(r.IntN(16) / 13 * r.IntN(4)) // neither, either or both
			for j := range e.Said {                     // absent before or after further workers came
				if e.Asked = asked; asked > 0 && i%4 == 1+j/int(asked) {
					e.Said[j] = brain.Rating{Score: brain.Silent}
				}
			}
			k.Judges[i].Later = uint8(r.IntN(4) / 3)
		}
		open := brain.OpenGolden{Answer: [32]byte{byte(1 + r.IntN(int(k.Counts.Drawn)))}, Salt: [32]byte{byte(n)}}
		k.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), [32]byte{byte(n%200) + 1}), open)
		at := s.stored(&c, &k, byte(n%200))
		s.keep(c, members[of])
		s.ok(s.prog.SettleTask(c.at, at))
		settled := s.task(at)
		if settled.Status != brain.DrawEvaluators {
			want := pay.Settle(arbiter.Assignment(&k, c.params))
			for i, p := range want.Parts {
				var agent onchain.Address
				if i < int(k.Counts.Drawn) {
					agent = settled.Work[i].Agent
				} else {
					agent = settled.Judges[i-int(k.Counts.Drawn)].Agent
				}
				if e := ends(p, want.Status == pay.Paid); e != "" {
					book.Outcome(agent.String(), reputation.Role(p.Role), of, s.now(), e)
				}
				if n := i - int(k.Counts.Drawn); n >= 0 && k.Judges[n].Past&brain.PastLost != 0 {
					book.Outcome(agent.String(), reputation.Evaluator, of, s.now(), reputation.Lost)
				}
			}
			if settled.Status == brain.Settled && settled.Found() {
				did, stamps := s.opens(c, at, settled, open, book, of)
				if stamped += stamps; did {
					opened++
				}
			}
		}
		worths := s.class(c).Reputations(s.env.Clock.Slot+1, s.now(), s.nearby(c))
		for i, m := range s.class(c).Members {
			seen[worths[i]] = true
			if got, want := s.reputed(c, m), book.Value(m.Agent.String(), roleOf(m), of, s.now()); got != want || worths[i] != want {
				t.Fatalf("after %d tasks, member %d has %d, and %d in Go; megabrain/reputation says %d: %+v", n+1, i, got, worths[i], want, m)
			}
		}
		if len(classes) == 1 {
			s.vouches(v, c, book, done)
		}
		members[of], last = s.class(c).Members, c
		s.backed(c, at)
		s.open = nil
	}
	t.Logf("%d tasks: %d golden, %d stamped, %d reputations, %v", *records, opened, stamped, len(seen), done)
	vouched := done["agreed"] >= *records/10 && len(book.Forfeits()) >= *records/40 && stamped > 0
	if opened < *records/10 || len(seen) < 100 || vouched != (len(classes) == 1) {
		t.Errorf("%d golden tasks, %d stamped, %d reputations", opened, stamped, len(seen))
	}
}

// opens opens a golden task, if a result has the answer, and enters it in a book. It returns how
// many evaluators stamped.
func (s *scene) opens(c class, at onchain.Address, k *brain.TaskAccount, open brain.OpenGolden, book *reputation.Records, of string) (opened bool, stamped int) {
	s.t.Helper()
	told, ok := arbiter.Tested(k, c.params, open.Answer)
	if !ok {
		s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, open))
		return false, 0
	}
	s.learn(c, at, open)
	for i, v := range told.Workers {
		if v != arbiter.Nothing {
			book.Golden(k.Work[i].Agent.String(), reputation.Worker, of, s.now(), v == arbiter.Passed)
		}
	}
	for i, v := range told.Evaluators {
		if v != arbiter.Nothing && book.Golden(k.Judges[i].Agent.String(), reputation.Evaluator, of, s.now(), v == arbiter.Passed) {
			stamped++
		}
	}
	return true, stamped
}

// keep puts the records of members into a class that was stored anew.
func (s *scene) keep(c class, old []brain.Member) {
	a := s.accounts[c.at]
	now := s.class(c).Members
	data := append([]byte(nil), a.Data[:len(a.Data)-len(now)*len(encode(s, brain.Member{}))]...)
	for i, m := range now {
		if len(c.near) > 0 {
			m.Links[0] = brain.Link{Since: 1, Place: uint16(i + 1)}
		}
		if old != nil {
			o := old[i]
			m.Reputation, m.Restore, m.Alarm, m.Past, m.FrozenUntil = o.Reputation, o.Restore, o.Alarm, o.Past, o.FrozenUntil
			m.Surety, m.Offer = o.Surety, o.Offer
			a.Lamports += m.Surety.Stake + m.Offer.Stake
		} else {
			m.Reputation = 1000
		}
		data = append(data, encode(s, m)...)
	}
	s.accounts[c.at] = accounts.Account{Lamports: a.Lamports, Data: data, Owner: solana.PublicKey(s.prog.ID())}
}
