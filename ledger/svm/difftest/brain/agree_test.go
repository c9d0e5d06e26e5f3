package brain_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/pay"
	"ojud/voting"
)

// agrees compares a settled task with megabrain/pay, lamport by lamport.
func (s *scene) agrees(c class, at onchain.Address) {
	s.t.Helper()
	s.agreesFrom(s.task(at), c, at)
}

// agreesFrom begins with the task as it was before: a call of a further evaluator forgets the
// outcome.
func (s *scene) agreesFrom(before *brain.TaskAccount, c class, at onchain.Address) {
	s.t.Helper()
	k := s.task(at)
	want := pay.Settle(arbiter.Assignment(before, c.params))
	status := map[string]brain.Stage{pay.Paid: brain.Settled, pay.Inconclusive: brain.Inconclusive, pay.FurtherEvaluator: brain.DrawEvaluators, pay.FurtherWorker: brain.DrawWorkers}[want.Status]
	if k.Status != status {
		s.t.Fatalf("it is %v, and megabrain/pay says %s: %s", k.Status, want.Status, want.Why)
	}
	if want.Call > 0 {
		same(s.t, "how many are called", int(k.Counts.Workers+k.Counts.Evaluators)-int(before.Counts.Drawn+before.Counts.Seated), want.Call)
		return
	}
	var paid, slashed uint64
	for i, p := range want.Parts {
		var gotPaid, gotSlashed uint64
		if i < int(k.Counts.Drawn) {
			gotPaid, gotSlashed = k.Work[i].Paid, k.Work[i].Slashed
		} else {
			e := k.Judges[i-int(k.Counts.Drawn)]
			gotPaid, gotSlashed = e.Paid, e.Slashed
		}
		if gotPaid != p.Paid+p.Bonus || gotSlashed != p.Slashed {
			s.t.Fatalf("%s got %d and lost %d; megabrain/pay says %d+%d and %d: %s", p.ID, gotPaid, gotSlashed, p.Paid, p.Bonus, p.Slashed, p.Why)
		}
		paid, slashed = paid+gotPaid, slashed+gotSlashed
	}
	same(s.t, "all that was paid", k.Money.Paid, paid)
	same(s.t, "all that was slashed", k.Money.Slashed, slashed)
	same(s.t, "what is left", k.Money.Budget-paid, want.Undistributed)
}

// random is a task that may be settled, of any shape that the program can bring about.
func random(r *rand.Rand, params *brain.Parameters) brain.TaskAccount {
	k := brain.TaskAccount{Head: head("Task"), Status: brain.Ready}
	k.Counts.Drawn, k.Counts.Seated = uint8(1+r.IntN(8)), uint8(r.IntN(8)+1)
	k.Counts.Workers, k.Counts.Evaluators = k.Counts.Drawn, k.Counts.Seated
	sh := &params.Shares
	if r.IntN(4) > 0 { // of eight workers, seven are seldom too few
		params.MaxWorkers = uint16(r.IntN(9))
	}
	if r.IntN(2) == 0 {
		sh.WorkerPool, sh.EvaluatorPool, sh.BonusPool = uint16(1+r.IntN(5000)), uint16(1+r.IntN(3000)), uint16(r.IntN(2000))
		sh.Consensus, sh.Pass, sh.Sigma = uint16(5001+r.IntN(5000)), uint16(1+r.IntN(100)), uint16(1+r.IntN(25))
		sh.MaxEvaluators, sh.Effort = uint16(2+r.IntN(7)), uint16(r.IntN(5001))
		sh.Poster, params.Reject = uint16(r.IntN(10001)), uint16(r.IntN(10001)*r.IntN(2))
		sh.Missed, sh.LowEffort, sh.Deviation = uint16(r.IntN(10001)), uint16(r.IntN(10001)), uint16(r.IntN(10001))
	}
	k.Money.Budget = 1 + r.Uint64N(1<<uint(1+r.IntN(53)))
	k.Money.WorkerStake, k.Money.EvaluatorStake = r.Uint64N(1<<40), r.Uint64N(1<<40)
	k.Marks.Difficulty, k.Marks.Posted, k.Marks.Last = uint16(50+r.IntN(151)), uint8(r.IntN(5)), uint8(r.IntN(4))
	k.Undistributed = uint8(r.IntN(2))
	k.Poster = onchain.Address{byte(9 + r.IntN(int(k.Counts.Seated)))}
	if r.IntN(3) > 0 {
		k.Marks.Posted = brain.PostedByPoster
	}
	base := r.IntN(101)
	for i := range k.Counts.Drawn {
		w := &k.Work[i]
		w.Index, w.CommittedAt, w.State = uint16(i), int64(10+i), 2
		if r.IntN(12) == 0 {
			w.State = uint8(r.IntN(2))
			continue
		}
		f := &k.Finding.Facts[i]
		f.Complete = 10_000
		if r.IntN(6) == 0 {
			f.Complete = uint16(r.IntN(10_001))
		}
		f.Cluster = i + 1
		for j := range i {
			if k.Work[j].State == 2 && k.Finding.Facts[j].Cluster == j+1 && r.IntN(8) > 0 {
				f.Cluster = j + 1
				break
			}
		}
		if r.IntN(8) == 0 {
			f.LowEffort = 1
		}
		if i > 0 && k.Work[0].State == 2 && r.IntN(8) == 0 {
			f.CopyOf = 1
		}
	}
	for i := range k.Counts.Seated {
		e := &k.Judges[i]
		e.Index, e.Reputation, e.State = uint16(8+i), uint16(100+r.IntN(9901)), 2
		if r.IntN(8) == 0 {
			e.State = 3
		}
		if r.IntN(12) == 0 {
			k.Finding.Rubber[i] = 1
		}
		for j := range e.Said {
			e.Said[j] = brain.Rating{Score: uint8(min(100, max(0, base+r.IntN(31)-15))), Confidence: uint8(r.IntN(101))}
			switch r.IntN(20) {
			case 0:
				e.Said[j] = brain.Rating{Score: brain.Silent}
			case 1:
				e.Said[j].Score = uint8(r.IntN(101))
			}
		}
	}
	return k
}

// TestSettlements: on any task, the program pays what megabrain/pay says, no pool pays more than it
// holds, and no lamport comes or goes.
func TestSettlements(t *testing.T) {
	s := newScene(t, newSuite(t, true), "settlements")
	ends := map[brain.Stage]int{}
	r := rand.New(rand.NewPCG(18, 3))
	for n := range *settlements {
		c := class{params: brain.Defaults()}
		k := random(r, &c.params)
		at := s.stored(&c, &k, byte(n%200))
		all := []onchain.Address{c.at, at, s.prog.Treasury()}
		before := s.sum(all)
		s.ok(s.prog.SettleTask(c.at, at))
		same(t, "lamports", s.sum(all), before)
		s.agreesFrom(&k, c, at)
		s.capped(c, at)
		s.backed(c, at)
		ends[s.task(at).Status]++
		s.open = nil
	}
	t.Logf("%d settlements: %v", *settlements, ends)
	for _, e := range []brain.Stage{brain.Settled, brain.Inconclusive, brain.DrawEvaluators, brain.DrawWorkers} {
		if ends[e] < *settlements/50 {
			t.Errorf("%d of %d tasks are %v", ends[e], *settlements, e)
		}
	}
}

func (s *scene) sum(all []onchain.Address) (sum uint64) {
	for _, at := range all {
		sum += s.lamports(at)
	}
	return sum
}

// capped checks that no pool pays more than it holds.
func (s *scene) capped(c class, at onchain.Address) {
	s.t.Helper()
	k := s.task(at)
	pool := func(bps uint16) uint64 {
		return k.Money.Budget/10_000*uint64(bps) + k.Money.Budget%10_000*uint64(bps)/10_000
	}
	var workers, evaluators uint64
	for _, w := range k.Work {
		workers += w.Paid
	}
	for _, e := range k.Judges {
		evaluators += e.Paid
	}
	if workers > pool(c.params.Shares.WorkerPool)+pool(c.params.Shares.BonusPool) || evaluators > pool(c.params.Shares.EvaluatorPool) {
		s.t.Fatalf("workers got %d, evaluators %d of %d", workers, evaluators, k.Money.Budget)
	}
}

// backed checks that the class has what it owes, and the task what is left.
func (s *scene) backed(c class, at onchain.Address) {
	s.t.Helper()
	if wrong := s.unbacked(c, at); wrong != "" {
		s.t.Fatal(wrong)
	}
}

func (s *scene) unbacked(c class, at onchain.Address) string {
	s.t.Helper()
	owed := s.env.Rent.MinimumBalance(len(s.accounts[c.at].Data))
	for _, m := range s.class(c).Members {
		owed += m.Stake + m.Earned + m.Surety.Stake + m.Offer.Stake
		if m.Locked > m.Stake {
			return fmt.Sprintf("%d is locked of %d", m.Locked, m.Stake)
		}
	}
	if has := s.lamports(c.at); has != owed {
		return fmt.Sprintf("the class has %d and owes %d", has, owed)
	}
	k := s.task(at)
	left := k.Money.Budget - k.Money.Paid + k.Money.Bond + k.Money.CounterBond
	if k.Undistributed == 1 && (k.Status == brain.Settled || k.Status == brain.Inconclusive) {
		left = k.Money.Bond + k.Money.CounterBond
	}
	if has := s.lamports(at) - s.env.Rent.MinimumBalance(len(s.accounts[at].Data)); has != left {
		return fmt.Sprintf("the task has %d, and %d is left", has, left)
	}
	return ""
}

// TestUnbacked is the control of the sequences: a lamport that is missing is found out, in the
// class and in the task.
func TestUnbacked(t *testing.T) {
	s := newScene(t, newSuite(t, true), "unbacked")
	c := class{params: brain.Defaults()}
	k := random(rand.New(rand.NewPCG(1, 1)), &c.params)
	at := s.stored(&c, &k, 1)
	same(t, "at first", s.unbacked(c, at), "")
	for _, key := range []onchain.Address{c.at, at} {
		a := s.accounts[key]
		a.Lamports--
		s.accounts[key] = a
		if s.unbacked(c, at) == "" {
			t.Errorf("%s lost a lamport, and nobody sees it", key)
		}
		a.Lamports++
		s.accounts[key] = a
	}
}

var sequences = flag.Int("sequences", 8, "random sequences that TestSequences plays")

// TestSequences plays random instructions of random people at random times. Whatever succeeds, no
// lamport comes or goes but fees, the class has what it owes, a settled task is what megabrain/pay
// says, and no instruction breaks down.
func TestSequences(t *testing.T) {
	s := newScene(t, newSuite(t, true), "sequences")
	done := map[string]int{}
	for n := range *sequences {
		s.play(t, rand.New(rand.NewPCG(uint64(n), 18)), done)
	}
	t.Logf("%d sequences: %v", *sequences, done)
	often, seldom := []string{"opened", "further workers", "vouched", "linked"}, []string{"learned", "appealed", "overturned", "cleared"}
	lacks := func(all []string) bool {
		return slices.ContainsFunc(all, func(what string) bool { return done[what] == 0 })
	}
	if lacks([]string{"settled", "refused"}) || *sequences >= 100 && lacks(often) || *sequences >= 4000 && lacks(seldom) {
		t.Errorf("nothing was settled, or nothing refused: %v", done)
	}
}

// play plays one sequence on a chain of its own.
func (s *scene) play(t *testing.T, r *rand.Rand, done map[string]int) {
	s = newScene(t, s.suite, fmt.Sprintf("sequence %d", r.Uint64()))
	c := s.begin(6, 4, func(p *brain.Parameters) {
		p.Shares.MaxEvaluators, p.Times.Submission = uint16(2+r.IntN(4)), 10_000
		p.Golden, p.MaxWorkers = uint16(r.IntN(2)*10), uint16(r.IntN(9))
	})
	if c.params.Golden > 0 && r.IntN(2) == 0 {
		c = s.beside(c, 6, 4)
	}
	s.foundCourt()
	s.fund("rex", 10*sol)
	at := s.posted(c, 1, func(i *brain.CreateTask) {
		i.WorkerCount, i.Undistributed, i.SubmissionDeadline = uint8(1+r.IntN(3)), uint8(r.IntN(2)), s.now()+20_000
		i.Seal = brain.GoldenSeal(s.prog.Task(s.at("requester"), i.TaskID), opens)
	})
	sum := func() (all uint64) {
		for key, a := range s.accounts {
			if key != s.at("payer") {
				all += a.Lamports
			}
		}
		return all
	}
	for range 60 {
		k := s.task(at)
		before, list := sum(), s.chance(r, c, at, k)
		got := s.send(list)
		if sum() != before {
			t.Fatalf("%d lamports became %d", before, sum())
		}
		s.open.Transactions = nil
		if got.Err != nil {
			if f, err := program.ParseFailure(got.Err); err != nil || !f.HasCustom || f.Custom < 6000 || f.Custom > 6042 {
				t.Fatalf("it broke down: %v: %q", got.Err, got.Logs)
			}
			done["refused"]++
			continue
		}
		s.backed(c, at)
		done["done"]++
		if s.task(at).Counts.Drawn > k.Counts.Drawn && k.Counts.Drawn > 0 {
			done["further workers"]++
		}
		if slices.ContainsFunc(s.class(c).Members, func(m brain.Member) bool { return m.Surety.Place > 0 }) {
			done["vouched"]++
		}
		switch now := s.task(at).Marks.Opened; {
		case k.Marks.Opened == brain.Sealed && now != brain.Sealed:
			done["opened"]++
		case now == brain.Appealed && k.Marks.Opened != now:
			done["appealed"]++
		case now == brain.Void && k.Marks.Opened != now:
			done["overturned"]++
		case now == brain.Opened && k.Marks.Opened != now:
			done["learned"]++
		}
		if s.task(at).Appeal.Cleared > k.Appeal.Cleared {
			done["cleared"]++
		}
		if slices.ContainsFunc(s.class(c).Members, func(m brain.Member) bool { return m.Links[0].Place > 0 }) {
			done["linked"]++
		}
		if now := s.task(at); k.Status < brain.Settled && now.Status >= brain.Settled && now.Counts.Seated > 0 {
			s.agreesFrom(k, c, at)
			s.capped(c, at)
			done["settled"]++
		}
	}
}

// opens opens the golden tasks of the sequences.
var opens = brain.OpenGolden{Answer: result(0, "result").ResultHash, Salt: [32]byte{3}}

// chance is the instruction that carries the task on, or any other one.
func (s *scene) chance(r *rand.Rand, c class, at onchain.Address, k *brain.TaskAccount) onchain.Instruction {
	worker, judge := k.Work[r.IntN(max(3, int(k.Counts.Drawn)))].Agent, k.Judges[r.IntN(max(2, int(k.Counts.Seated)))].Agent
	if worker.IsZero() {
		worker = s.at("w0")
	}
	if judge.IsZero() {
		judge = s.at("e0")
	}
	text := "result"
	if worker == k.Work[2].Agent {
		text = "a lie of another" // so that golden tasks test somebody
	}
	said := make([]uint8, 2*k.Counts.Drawn)
	for i := range said {
		said[i] = uint8(70 + 7*(i%4))
	}
	if r.IntN(10) == 0 || k.Status == brain.Posted {
		s.pass(int64(r.IntN(8_000)))
	}
	if k.Status == brain.DrawWorkers || k.Status == brain.DrawEvaluators {
		s.pass(2)
	}
	anybody := s.at(fmt.Sprintf("%c%d", "we"[r.IntN(2)], r.IntN(4)))
	fits := map[brain.Stage]int{brain.Working: 0, brain.Revealing: 2, brain.Evaluating: 4, brain.RevealScores: 6, brain.AwaitOutcome: 8, brain.Posted: 9}
	pick, ok := fits[k.Status]
	dispute, _, inCourt := k.InCourt()
	if inCourt && r.IntN(2) == 0 {
		s.verdict(dispute, []voting.Verdict{voting.ForWorker, voting.ForCreator, voting.Undecided}[r.IntN(3)])
	}
	if i, _, err := s.prog.Next(at, k, brain.Around{Verdict: s.court.Verdict(dispute), Near: c.near, Creator: s.at("maker")}, s.now()); err == nil && (!ok || r.IntN(3) == 0) {
		return i
	}
	if !ok || r.IntN(4) == 0 {
		pick = r.IntN(18)
	}
	if k.Marks.Opened == brain.Shown && r.IntN(3) > 0 {
		pick = 16
	}
	if k.Status == brain.Settled && k.Marks.Opened == brain.Sealed && r.IntN(2) == 0 {
		pick = 11
	}
	switch pick {
	case 0, 1:
		return s.prog.CommitResult(worker, c.at, at, result(0, text))
	case 2, 3:
		return s.prog.SubmitResult(worker, c.at, at, result(0, text))
	case 4, 5:
		return s.prog.CommitEvaluation(judge, c.at, at, evaluation(0, said...))
	case 6, 7:
		return s.prog.SubmitEvaluation(judge, c.at, at, evaluation(0, said...))
	case 8:
		if f := scattered(r, k); k.Counts.Drawn != 3 || r.IntN(2) == 0 {
			return s.prog.PostOutcome(judge, c.at, at, s.outcome(at, f))
		}
		return s.prog.PostOutcome(judge, c.at, at, s.outcome(at, found(1, 1, 0)))
	case 9:
		if k.Status == brain.Posted && k.Counts.Drawn == 3 {
			return s.bring(c, at, "rex", counter())
		}
		return s.prog.Withdraw(anybody, c.at, brain.Role(1+r.IntN(2)))
	case 13:
		return s.prog.Vouch(s.at("e0"), c.at, brain.Vouch{Role: brain.EvaluatorRole, Agent: s.at(fmt.Sprintf("e%d", r.IntN(4))), Stake: c.params.Bond, Share: uint16(r.IntN(3000))})
	case 14:
		return s.prog.Agree(s.at(fmt.Sprintf("e%d", r.IntN(4))), c.at, brain.Agree{Role: brain.EvaluatorRole, Sponsor: s.at("e0")})
	case 15:
		return s.prog.Release(s.at("e0"), c.at, brain.Release{Role: brain.EvaluatorRole, Sponsor: s.at("e0"), Agent: s.at(fmt.Sprintf("e%d", r.IntN(4)))})
	case 16:
		who := []onchain.Address{worker, judge}[r.IntN(2)]
		return s.appeal(c, at, who, func(i *brain.AppealGolden) { i.Worker = uint8(r.IntN(4)) })
	case 17:
		if len(c.near) == 0 {
			return s.prog.Leave(anybody, c.at, brain.Role(1+r.IntN(2)))
		}
		if r.IntN(8) == 0 {
			return s.prog.Leave(anybody, c.near[0], brain.Role(1+r.IntN(2)))
		}
		return s.link(c, fmt.Sprintf("e%d", r.IntN(4)))
	case 11:
		return s.prog.OpenGolden(s.at("maker"), c.at, at, opens)
	case 10:
		return s.prog.Leave(anybody, c.at, brain.Role(1+r.IntN(2)))
	}
	return s.prog.Register(anybody, c.at, brain.Register{Role: brain.Role(1 + r.IntN(2)), Stake: 1 + r.Uint64N(sol/5)})
}

// TestPhase: the name of a state is that of the program's view.
func TestPhase(t *testing.T) {
	s, r := attack(t), rand.New(rand.NewPCG(1, 2))
	names := [...]string{"Created", "Open", "Evaluating", "Settled", "Disputed"} // of TaskStatus in C.5
	for stage := brain.DrawWorkers; stage <= brain.Expired; stage++ {
		c := class{params: brain.Defaults()}
		k := random(r, &c.params)
		k.Status = stage
		at := s.stored(&c, &k, byte(stage))
		same(t, stage.String(), stage.Phase(), names[s.ok(s.prog.GetTaskState(at)).ReturnData.Data[0]])
	}
}
