package brain_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
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
	at := s.posted(c, n, func(i *brain.CreateTask) {
		i.EvaluatorCount = uint8(len(scores))
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), right(n))
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
	s.evaluated(c, at, scores)
	s.saidSo(c, at, found(1, 1, 0))
	s.no("WrongStatus", s.prog.OpenGolden(s.at("maker"), c.at, at, right(n)))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	return at
}

func withGolden(p *brain.Parameters) { p.Golden = 10 }

// The scores of who looks, and of who does not.
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
		s.units["open_golden"] = s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(1))).Units
		s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
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
				s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(n)))
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

// An evaluator left after a golden task, and another agent came into its place before it was
// opened: the other was blamed. Now nobody is.
func TestAttackGoldenPlace(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	at := s.tested(c, 1, map[int][]uint8{0: stamps, 1: stamps})
	e := s.task(at).Judges[0]
	s.ok(s.prog.Leave(e.Agent, c.at, brain.EvaluatorRole))
	s.pass(700)
	s.ok(s.prog.Withdraw(e.Agent, c.at, brain.EvaluatorRole))
	s.fund("new", 10*sol)
	s.ok(s.prog.Register(s.at("new"), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	same(t, "who has the place", s.class(c).Members[e.Index].Agent, s.at("new"))
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
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

var records = flag.Int("records", 200, "random tasks that TestRecords plays")

// TestRecords: after random tasks, golden ones among them, each member has the reputation that
// megabrain/reputation says.
func TestRecords(t *testing.T) {
	s := newScene(t, newSuite(t, true), "records")
	book := reputation.New(reputation.Defaults(), nil)
	r := rand.New(rand.NewPCG(183, 184))
	var members []brain.Member
	stamped, opened, seen := 0, 0, map[uint16]bool{}
	for n := range *records {
		s.pass(r.Int64N(8 * 24 * 3600))
		c := class{params: brain.Defaults()}
		k := random(r, &c.params)
		c.params.Golden, k.Finding.Rubber = 10, [brain.MaxSeats]uint8{}
		for i := range k.Work {
			k.Work[i].ResultHash = [32]byte{byte(i + 1)}
		}
		open := brain.OpenGolden{Answer: [32]byte{byte(1 + r.IntN(int(k.Counts.Drawn)))}, Salt: [32]byte{byte(n)}}
		k.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), [32]byte{byte(n%200) + 1}), open)
		at := s.stored(&c, &k, byte(n%200))
		s.keep(c, members)
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
					book.Outcome(agent.String(), reputation.Role(p.Role), "c", s.now(), e)
				}
			}
			if settled.Found() {
				did, stamps := s.opens(c, at, settled, open, book)
				if stamped += stamps; did {
					opened++
				}
			}
		}
		members = s.class(c).Members
		touched := map[uint16]bool{}
		for _, w := range settled.Work[:settled.Counts.Drawn] {
			touched[w.Index] = settled.Status != brain.DrawEvaluators
		}
		for _, e := range settled.Judges[:settled.Counts.Seated] {
			touched[e.Index] = settled.Status != brain.DrawEvaluators
		}
		for i, m := range members {
			if !touched[uint16(i)] {
				continue
			}
			seen[m.Reputation] = true
			role, got := reputation.Worker, int(m.Reputation)
			if m.Role == brain.EvaluatorRole {
				role = reputation.Evaluator
			}
			if m.FrozenUntil > s.now() {
				got = 0
			}
			if want := book.Value(m.Agent.String(), role, "c", s.now()); got != want && m.LastActive == s.now() {
				t.Fatalf("after %d tasks, member %d has %d, and megabrain/reputation says %d: %+v", n+1, i, got, want, m)
			}
		}
		s.backed(c, at)
		s.open = nil
	}
	t.Logf("%d tasks: %d golden, %d stamped, %d reputations", *records, opened, stamped, len(seen))
	if opened < *records/10 || stamped == 0 || len(seen) < 100 {
		t.Errorf("%d golden tasks, %d stamped, %d reputations", opened, stamped, len(seen))
	}
}

// opens opens a golden task, if a result has the answer, and enters it in a book. It returns how
// many evaluators stamped.
func (s *scene) opens(c class, at onchain.Address, k *brain.TaskAccount, open brain.OpenGolden, book *reputation.Records) (opened bool, stamped int) {
	s.t.Helper()
	told, ok := arbiter.Tested(k, c.params, open.Answer)
	if !ok {
		s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, open))
		return false, 0
	}
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, open))
	for i, v := range told.Workers {
		if v != arbiter.Nothing {
			book.Golden(k.Work[i].Agent.String(), reputation.Worker, "c", s.now(), v == arbiter.Passed)
		}
	}
	for i, v := range told.Evaluators {
		if v != arbiter.Nothing && book.Golden(k.Judges[i].Agent.String(), reputation.Evaluator, "c", s.now(), v == arbiter.Passed) {
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
		if old != nil {
			o := old[i]
			m.Reputation, m.Restore, m.Alarm, m.Past, m.FrozenUntil = o.Reputation, o.Restore, o.Alarm, o.Past, o.FrozenUntil
		} else {
			m.Reputation = 1000
		}
		data = append(data, encode(s, m)...)
	}
	s.accounts[c.at] = accounts.Account{Lamports: a.Lamports, Data: data, Owner: solana.PublicKey(s.prog.ID())}
}
