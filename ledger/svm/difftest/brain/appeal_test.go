package brain_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/voting"
)

// appeal builds the appeal of a member against an opened golden task.
func (s *scene) appeal(c class, at, who onchain.Address, change ...func(*brain.AppealGolden)) onchain.Instruction {
	s.t.Helper()
	k := s.task(at)
	i := brain.AppealGolden{Worker: 1, Claim: [32]byte{5}, Stake: c.params.DisputeStake(k.Appeal.Refused, k.Money.Budget)}
	for _, f := range change {
		f(&i)
	}
	terms, err := brain.AppealTerms(at, k, i.Worker)
	if err != nil {
		s.t.Fatal(err)
	}
	dispute := program.DisputeAddress(s.court, who, s.at("maker"), sha256.Sum256(terms))
	return s.prog.AppealGolden(who, c.at, at, brain.CourtAccounts{
		Program: s.court.ID(), Config: s.court.Config(), Rules: s.court.Rules(program.FirstRules), Roster: s.court.Roster(),
		Dispute: dispute, Verdict: s.court.Verdict(dispute),
	}, i)
}

// opened is a golden task that two rubber stamps failed, and whose seal is open.
func (s *scene) opened(c class, n byte) onchain.Address {
	s.t.Helper()
	at := s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps})
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(n)))
	return at
}

// member is the evaluator of a seat.
func (s *scene) member(c class, at onchain.Address, seat int) brain.Member {
	return s.class(c).Members[s.task(at).Judges[seat].Index]
}

// appealed is one that the evaluator of the first seat brought to the court.
func (s *scene) appealed() (class, onchain.Address) {
	s.t.Helper()
	c := s.begin(3, 2, withGolden)
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.tested(c, 1, map[int][]uint8{0: stamps, 1: stamps})
	first := s.task(at).Judges[0].Agent
	s.no("WrongStatus", s.appeal(c, at, first))
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
	same(s.t, "the bond of the creator", s.task(at).Money.Bond, c.params.OutcomeBond(sol))
	same(s.t, "what is pending", s.member(c, at, 0).Past.Pending, 1)
	s.no("NotFailed", s.appeal(c, at, s.at("rex")))
	s.no("NotFailed", s.appeal(c, at, s.task(at).Work[0].Agent)) // its result is right
	s.no("BadStake", s.appeal(c, at, first, func(i *brain.AppealGolden) { i.Stake-- }))
	s.no("MissingHash", s.appeal(c, at, first, func(i *brain.AppealGolden) { i.Claim = [32]byte{} }))
	s.no("TooEarly", s.prog.EndGolden(c.at, at, s.at("maker")))
	s.no("WrongStatus", s.prog.CloseTask(s.at("requester"), at))
	s.units["appeal_golden"] = s.ok(s.appeal(c, at, first)).Units
	s.no("WrongStatus", s.appeal(c, at, s.task(at).Judges[1].Agent))
	s.no("WrongStatus", s.prog.EndGolden(c.at, at, s.at("maker")))
	s.no("WrongStatus", s.prog.CloseTask(s.at("requester"), at))
	s.no("NotFinal", s.answered(at))
	d, err := program.DecodeTask(s.accounts[s.task(at).Appeal.Dispute].Data)
	if err != nil {
		s.t.Fatal(err)
	}
	same(s.t, "the claimant", d.Worker, first)
	same(s.t, "the respondent", d.Creator, s.at("maker"))
	same(s.t, "the panel", d.Seats, program.DefaultParams().PanelSeats)
	s.backed(c, at)
	return c, at
}

// stamped is what a rubber stamp says of six results.
var stamped = slices.Repeat([]uint8{90, 90}, 6)

// otherwise is an opened golden task of six workers, of whom the first four are right and paid, and
// of five evaluators.
func (s *scene) otherwise(scores map[int][]uint8) (class, onchain.Address) {
	s.t.Helper()
	said := [6]string{"right", "right", "right", "right", "another form", "one more form"}
	c := s.begin(6, 5, withGolden)
	s.foundCourt()
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.WorkerCount, i.EvaluatorCount = 6, 5
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), right(1))
	})
	s.drawn(c, at)
	for _, do := range []func(worker, class, task onchain.Address, r brain.SubmitResult) onchain.Instruction{s.prog.CommitResult, s.prog.SubmitResult} {
		for i, w := range s.task(at).Work[:6] {
			s.ok(do(w.Agent, c.at, at, result(i, said[i])))
		}
	}
	s.drawn(c, at)
	s.evaluated(c, at, scores)
	f := found(1, 1, 1)
	f.Facts[3] = f.Facts[0]
	f.Facts[4], f.Facts[5] = brain.Fact{Complete: 10_000}, brain.Fact{Complete: 10_000}
	s.saidSo(c, at, f)
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
	return c, at
}

// answered builds the end of an appeal by the court's verdict.
func (s *scene) answered(at onchain.Address) onchain.Instruction {
	k := s.task(at)
	return s.prog.ResolveDispute(k.Parties.Class, at, s.court.Verdict(k.Appeal.Dispute), k.Appeal.Appellant)
}

// heard ends an appeal by this verdict, and returns what the appellant got.
func (s *scene) heard(c class, at onchain.Address, v voting.Verdict) uint64 {
	s.t.Helper()
	k := s.task(at)
	s.verdict(k.Appeal.Dispute, v)
	before := s.lamports(k.Appeal.Appellant)
	s.ok(s.answered(at))
	s.backed(c, at)
	return s.lamports(k.Appeal.Appellant) - before
}

// unmarked checks that a golden task harmed nobody, when it is ended.
func (s *scene) unmarked(c class, at onchain.Address) {
	s.t.Helper()
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
	same(s.t, "how it ended", s.task(at).Marks.Opened, brain.Void)
	for _, m := range s.class(c).Members {
		same(s.t, "a record", m.Past.Golden, brain.Successes{})
		same(s.t, "an alarm", m.Alarm+m.Past.Pending, 0)
	}
	s.no("WrongStatus", s.prog.EndGolden(c.at, at, s.at("maker")))
	s.no("NotGolden", s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
	s.backed(c, at)
	s.ok(s.prog.CloseTask(s.at("requester"), at))
}

// failed checks that both evaluators failed a golden task.
func (s *scene) failed(c class, at onchain.Address) {
	s.t.Helper()
	for seat := range 2 {
		m := s.member(c, at, seat)
		same(s.t, "the record", m.Past.Golden, brain.Successes{All: 1000})
		same(s.t, "the alarm", m.Alarm, 3)
		same(s.t, "what is pending", m.Past.Pending, 0)
	}
}

// stands ends a golden task whose answer the court did not overturn.
func (s *scene) stands(c class, at onchain.Address) {
	s.t.Helper()
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
	s.failed(c, at)
	s.backed(c, at)
}

var appeals = map[string]func(*scene){
	"an appeal upheld": func(s *scene) {
		c, at := s.appealed()
		same(s.t, "what the appellant got", s.heard(c, at, voting.ForWorker), 2*c.params.Bond)
		s.unmarked(c, at)
	},
	"an appeal rejected": func(s *scene) {
		c, at := s.appealed()
		treasury, first := s.lamports(s.prog.Treasury()), s.task(at).Judges[0].Agent
		same(s.t, "what the appellant got", s.heard(c, at, voting.ForCreator), 0)
		same(s.t, "what the treasury got", s.lamports(s.prog.Treasury())-treasury, c.params.Bond)
		s.no("AlreadyExists", s.appeal(c, at, first)) // each appeals once
		second := s.task(at).Judges[1].Agent
		s.no("BadStake", s.appeal(c, at, second, func(i *brain.AppealGolden) { i.Stake-- }))
		same(s.t, "the stake", c.params.DisputeStake(s.task(at).Appeal.Refused, sol), 2*c.params.Bond)
		s.ok(s.appeal(c, at, second))
		same(s.t, "what the appellant got", s.heard(c, at, voting.ForCreator), 0)
		maker := s.lamports(s.at("maker"))
		s.until(s.task(at).Clock.Deadline)
		s.no("TooLate", s.appeal(c, at, s.task(at).Work[2].Agent))
		s.no("WrongAddress", s.prog.EndGolden(c.at, at, s.at("rex")))
		s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
		same(s.t, "what the creator got", s.lamports(s.at("maker"))-maker, c.params.Bond)
		s.failed(c, at)
		s.backed(c, at)
		s.ok(s.prog.CloseTask(s.at("requester"), at))
	},
	"an appeal of a worker, undecided": func(s *scene) {
		c := s.begin(3, 2, withGolden)
		s.foundCourt()
		at := s.opened(c, 1)
		third := s.task(at).Work[2].Agent // its result is wrong
		s.no("NotSeated", s.appeal(c, at, third, func(i *brain.AppealGolden) { i.Worker = 0 }))
		s.no("NotSeated", s.appeal(c, at, third, func(i *brain.AppealGolden) { i.Worker = 4 }))
		s.ok(s.appeal(c, at, third))
		maker := s.lamports(s.at("maker"))
		same(s.t, "what the appellant got", s.heard(c, at, voting.Undecided), c.params.Bond)
		s.no("AlreadyExists", s.appeal(c, at, s.task(at).Work[2].Agent))
		s.stands(c, at)
		same(s.t, "what the creator got", s.lamports(s.at("maker"))-maker, c.params.Bond)
	},
	"a wrong result that is right": func(s *scene) {
		c := s.begin(3, 2, withGolden)
		s.foundCourt()
		at := s.opened(c, 1)
		s.ok(s.appeal(c, at, s.task(at).Work[2].Agent, func(i *brain.AppealGolden) { i.Worker = 3 }))
		same(s.t, "what the appellant got", s.heard(c, at, voting.ForWorker), c.params.Bond)
		same(s.t, "what the creator has in it", s.task(at).Money.Bond, c.params.Bond)
		s.no("NotFailed", s.appeal(c, at, s.task(at).Judges[0].Agent)) // nothing wrong is left
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
		for i, w := range s.task(at).Work[:3] {
			same(s.t, "a worker's record", s.class(c).Members[w.Index].Past.Golden.All, uint32(1000*(1-i/2)))
		}
		for seat := range 2 {
			m := s.member(c, at, seat)
			same(s.t, "an evaluator's record", m.Past.Golden, brain.Successes{})
			same(s.t, "what is pending", m.Past.Pending, 0)
		}
		s.backed(c, at)
	},
	"two results in another form": func(s *scene) {
		c, at := s.otherwise(map[int][]uint8{0: stamped, 1: stamped, 2: stamped, 3: stamped, 4: stamped})
		first := s.task(at).Judges[0].Agent
		for _, worker := range []uint8{5, 6} { // one of them alone still fails all
			about := func(i *brain.AppealGolden) { i.Worker = worker }
			s.ok(s.appeal(c, at, first, about))
			same(s.t, "what the appellant got", s.heard(c, at, voting.ForWorker), c.params.Bond)
			s.no(map[uint8]string{5: "NotSeated", 6: "NotFailed"}[worker], s.appeal(c, at, first, about))
		}
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
		for seat := range 5 {
			m := s.member(c, at, seat)
			same(s.t, "an evaluator's record", m.Past.Golden, brain.Successes{})
			same(s.t, "what is pending", m.Past.Pending, 0)
		}
		s.backed(c, at)
	},
	"what is cleared fails nobody": func(s *scene) {
		half := func(fifth uint8) []uint8 {
			return []uint8{90, 90, 90, 90, brain.Silent, 0, brain.Silent, 0, fifth, 90, brain.Silent, 0}
		}
		c, at := s.otherwise(map[int][]uint8{0: stamped, 1: stamped, 2: half(90), 3: half(90), 4: half(20)})
		last := s.task(at).Judges[4].Agent // speaks of three of six results
		s.no("NotFailed", s.appeal(c, at, last))
		s.ok(s.appeal(c, at, s.task(at).Judges[0].Agent, func(i *brain.AppealGolden) { i.Worker = 5 }))
		same(s.t, "what the appellant got", s.heard(c, at, voting.ForWorker), c.params.Bond)
		now, _ := arbiter.Tested(s.task(at), c.params, s.task(at).Seal)
		same(s.t, "what the others' results say of it now", now.Evaluators[4], arbiter.Missed) // it speaks of two of five
		s.no("NotFailed", s.appeal(c, at, last))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
		s.failed(c, at)
		same(s.t, "the record of who passed", s.member(c, at, 4).Past.Golden, brain.Successes{})
		same(s.t, "its alarm", s.member(c, at, 4).Alarm, 0)
		s.backed(c, at)
	},
	"a court that does not hear an appeal": func(s *scene) {
		c, at := s.appealed()
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.answered(at))
		s.stands(c, at)
	},
}

// The creator of a class had two workers and two evaluators of its own. They had a lie paid that it
// then opened as the right result, so that the evaluator who looked failed. The fourth such task
// took 22,500,000 lamports of its stake, its record and its place for a month, and cost the creator
// nothing. Now it appeals: it keeps all that, and gets the creator's bond of 50,000,000 each time.
func TestAttackFalseAnswer(t *testing.T) {
	lies, sees := []uint8{90, 90, 90, 90, 20, 90}, []uint8{20, 90, 20, 90, 90, 90}
	for _, appeals := range []bool{false, true} {
		s := attack(t)
		c := s.begin(3, 3, withGolden)
		s.foundCourt()
		maker, won := s.lamports(s.at("maker")), uint64(0)
		var at onchain.Address
		for n := byte(1); n <= 4; n++ {
			at = s.handed(c, n, right(n), 3)
			scores := map[int][]uint8{}
			for i, e := range s.task(at).Judges[:3] {
				if scores[i] = lies; e.Agent == s.at("e0") {
					scores[i] = sees
				}
			}
			s.evaluated(c, at, scores)
			s.saidSo(c, at, found(1, 1, 0))
			s.until(s.task(at).Clock.Deadline)
			s.ok(s.prog.SettleTask(c.at, at))
			s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(n)))
			if appeals {
				s.ok(s.appeal(c, at, s.at("e0")))
				won += s.heard(c, at, voting.ForWorker) - c.params.Bond
			}
			s.until(s.task(at).Clock.Deadline)
			s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
			s.backed(c, at)
		}
		m := s.evaluatorAt(c, "e0")
		frozen, lost := m.FrozenUntil > s.now(), maker-s.lamports(s.at("maker"))
		stamp := s.task(at).Money.EvaluatorStake * 3 / 4
		if appeals && (frozen || m.Alarm > 0 || won != 4*c.params.Bond || lost != won) {
			t.Errorf("it is frozen: %v, alarm %d, won %d; the creator lost %d", frozen, m.Alarm, won, lost)
		}
		if deviation := 4 * s.task(at).Money.EvaluatorStake / 4; !appeals && (!frozen || sol-m.Stake != stamp+deviation || lost != 0) {
			t.Errorf("control: it is frozen: %v, and lost %d; the creator lost %d", frozen, sol-m.Stake, lost)
		}
	}
}

// A rubber stamp appeals only to be drawn for longer. It is slashed all the same, and has paid more
// than twice of that for the appeal, besides the judges. Nobody appeals twice.
func TestAttackVainAppeal(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 2, withGolden)
	s.foundCourt()
	var at onchain.Address
	for n := byte(1); n <= 4; n++ {
		if at = s.opened(c, n); n < 4 {
			s.until(s.task(at).Clock.Deadline)
			s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
		}
	}
	who := s.task(at).Judges[0].Agent
	before := s.lamports(who)
	s.ok(s.appeal(c, at, who))
	same(t, "what it got", s.heard(c, at, voting.ForCreator), 0)
	s.no("AlreadyExists", s.appeal(c, at, who))
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
	slash := s.task(at).Money.EvaluatorStake * 3 / 4
	if cost := before - s.lamports(who); cost < 2*slash {
		t.Errorf("the appeal cost %d, and the slash is %d", cost, slash)
	}
	same(t, "its stake", s.member(c, at, 0).Stake, sol-slash)
}

// A rubber stamp with an alarm of 9 left, and the creator opened the fourth task on the last day of
// its stake. It took the stake out while appeals were open. So did its sponsor, which had ended its
// surety. Now both wait for the end.
func TestAttackLeftInTheWindow(t *testing.T) {
	s := attack(t)
	c := s.begin(3, 12, withGolden)
	s.vouched(c)
	sponsor, agent := s.at("e0"), s.at("e1")
	var at onchain.Address
	n := byte(1)
	for failed := 0; ; n++ {
		at = s.tested(c, n, map[int][]uint8{0: stamps, 1: stamps})
		if slices.ContainsFunc(s.task(at).Judges[:2], func(e brain.Evaluator) bool { return e.Agent == agent }) {
			failed++
		}
		if failed == 4 {
			break
		}
		s.learn(c, at, right(n))
	}
	same(t, "its alarm", s.evaluatorAt(c, "e1").Alarm, 9)
	s.ok(s.prog.Leave(agent, c.at, brain.EvaluatorRole))
	s.ok(s.prog.Leave(sponsor, c.at, brain.EvaluatorRole))
	s.ok(s.prog.Release(sponsor, c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: sponsor, Agent: agent}))
	s.pass(month - 3600)
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(n)))
	s.pass(2 * 3600)
	for _, who := range []onchain.Address{agent, sponsor} {
		s.send(s.prog.Withdraw(who, c.at, brain.EvaluatorRole)) // what it earned
		s.no("NothingToWithdraw", s.prog.Withdraw(who, c.at, brain.EvaluatorRole))
	}
	s.until(s.task(at).Clock.Deadline)
	treasury := s.lamports(s.prog.Treasury())
	s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
	slash := s.task(at).Money.EvaluatorStake * 3 / 4
	m := s.evaluatorAt(c, "e1")
	same(t, "its stake", m.Stake, sol-slash)
	same(t, "what stands for it", m.Surety, brain.Surety{})
	if got := s.lamports(s.prog.Treasury()) - treasury; got < slash+c.params.Bond {
		t.Errorf("the treasury got %d", got)
	}
	s.backed(c, at)
}

// A worker said the right thing in another form, which the golden task opened as wrong, and
// appealed. The court was with it: no stamp of that task was caught, and the worker had the
// creator's bond of 50,000,000. Now its result tests nobody, it has its stake alone, and who passed
// a lie, too, is caught.
func TestAttackOtherForm(t *testing.T) {
	s := attack(t)
	c := s.begin(6, 2, withGolden)
	s.foundCourt()
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.WorkerCount = 6
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), right(1))
	})
	s.drawn(c, at)
	said := [6]string{"right", "right", "right", "right", "in another form", "another lie"}
	for _, do := range []func(worker, class, task onchain.Address, r brain.SubmitResult) onchain.Instruction{s.prog.CommitResult, s.prog.SubmitResult} {
		for i, w := range s.task(at).Work[:6] {
			s.ok(do(w.Agent, c.at, at, result(i, said[i])))
		}
	}
	s.drawn(c, at)
	all := slices.Repeat([]uint8{85, 90}, 6)
	s.evaluated(c, at, map[int][]uint8{0: all, 1: all})
	f := found(1, 1, 1)
	f.Facts[3] = f.Facts[0]
	f.Facts[4], f.Facts[5] = brain.Fact{Complete: 10_000}, brain.Fact{Complete: 10_000}
	s.saidSo(c, at, f)
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.SettleTask(c.at, at))
	s.ok(s.prog.OpenGolden(s.at("maker"), c.at, at, right(1)))
	s.ok(s.appeal(c, at, s.task(at).Work[4].Agent, func(i *brain.AppealGolden) { i.Worker = 5 }))
	same(t, "what it got", s.heard(c, at, voting.ForWorker), c.params.Bond)
	s.until(s.task(at).Clock.Deadline)
	s.ok(s.prog.EndGolden(c.at, at, s.at("maker")))
	s.failed(c, at)
}
