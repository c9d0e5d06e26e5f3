package brain_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/programs/megabrain"
)

// class is a class of "maker" with members.
type class struct {
	at     onchain.Address
	params brain.Parameters
	near   []onchain.Address
}

// begin makes treasury and class, and registers so many workers and evaluators.
func (s *scene) begin(workers, evaluators int, change ...func(*brain.Parameters)) class {
	s.t.Helper()
	treasury := brain.Treasury{Head: head("Treasury"), Authority: s.fund("authority", sol), Court: s.court.ID()}
	treasury.Head.Bump = bump(s, []byte("treasury"))
	s.owned(s.prog.Treasury(), s.prog.ID(), encode(s, treasury), 0)
	p := brain.Defaults()
	for _, f := range change {
		f(&p)
	}
	for i := range workers {
		s.fund(fmt.Sprintf("w%d", i), 10*sol)
	}
	for i := range evaluators {
		s.fund(fmt.Sprintf("e%d", i), 10*sol)
	}
	s.fund("requester", 100*sol)
	maker := s.fund("maker", 10*sol)
	id := [32]byte{7}
	s.ok(s.prog.CreateClass(maker, brain.CreateClass{ID: id, Parameters: p}))
	c := class{at: s.prog.Class(maker, id), params: p}
	for i := range workers {
		s.ok(s.prog.Register(s.at(fmt.Sprintf("w%d", i)), c.at, brain.Register{Role: brain.WorkerRole, Stake: sol}))
	}
	for i := range evaluators {
		s.ok(s.prog.Register(s.at(fmt.Sprintf("e%d", i)), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: sol}))
	}
	s.pass(1)
	return c
}

func kindOf(kind string) [8]byte {
	sum := sha256.Sum256([]byte("account:" + kind))
	return [8]byte(sum[:])
}

func head(kind string) brain.Head { return brain.Head{Kind: kindOf(kind), Version: 2} }

func bump(s *scene, seeds ...[]byte) uint8 {
	_, b, err := solana.FindProgramAddress(seeds, solana.PublicKey(s.prog.ID()))
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func encode(s *scene, v any) []byte {
	s.t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		s.t.Fatal(err)
	}
	return b.Bytes()
}

func (s *scene) class(c class) *brain.ClassAccount {
	s.t.Helper()
	v, err := brain.DecodeClass(s.accounts[c.at].Data)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *scene) task(at onchain.Address) *brain.TaskAccount {
	s.t.Helper()
	v, err := brain.DecodeTask(s.accounts[at].Data)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// terms are those of a task of one SOL with three workers and two evaluators.
func (s *scene) terms(n byte) brain.CreateTask {
	return brain.CreateTask{
		TaskID: [32]byte{n}, WorkerCount: 3, EvaluatorCount: 2, TotalBudget: sol, WorkerStake: sol / 20, EvaluatorStake: sol * 3 / 100,
		SubmissionDeadline: s.now() + 87_000, Difficulty: 100, Seal: [32]byte{n, 1}, Description: "ten lines about X", Metadata: []byte("ipfs://spec"),
	}
}

// posted makes a task.
func (s *scene) posted(c class, n byte, change ...func(*brain.CreateTask)) onchain.Address {
	s.t.Helper()
	i := s.terms(n)
	for _, f := range change {
		f(&i)
	}
	s.ok(s.prog.CreateTask(s.at("requester"), c.at, i))
	return s.prog.Task(s.at("requester"), i.TaskID)
}

// drawn seats whoever the task waits for.
func (s *scene) drawn(c class, at onchain.Address) {
	s.t.Helper()
	s.no("TooEarly", s.prog.Draw(c.at, at, c.near))
	s.pass(2)
	before := s.task(at)
	want := s.naive(c, at)
	s.units["draw"] = s.ok(s.prog.Draw(c.at, at, c.near)).Units
	k := s.task(at)
	var got []uint16
	for _, w := range k.Work[before.Counts.Drawn:k.Counts.Drawn] {
		got = append(got, w.Index)
	}
	for _, e := range k.Judges[before.Counts.Seated:k.Counts.Seated] {
		got = append(got, e.Index)
	}
	same(s.t, "who was drawn", fmt.Sprint(got), fmt.Sprint(want))
}

// naive draws by the rule of docs/megabrain.md, with big numbers and lists.
func (s *scene) naive(c class, at onchain.Address) (places []uint16) {
	s.t.Helper()
	return s.naiveOf(c, at, s.class(c).Members)
}

func (s *scene) naiveOf(c class, at onchain.Address, members []brain.Member) (places []uint16) {
	k := s.task(at)
	since, time := k.Clock.SeedSlot-2, k.Clock.Deadline-int64(c.params.Times.Draw)
	role, need, n := brain.WorkerRole, k.Money.WorkerStake, int(k.Counts.Workers-k.Counts.Drawn)
	if k.Status == brain.DrawEvaluators {
		role, need, n = brain.EvaluatorRole, k.Money.EvaluatorStake, int(k.Counts.Evaluators-k.Counts.Seated)
	}
	barred := map[onchain.Address]bool{k.Parties.Requester: true, k.Parties.Operator: true}
	vouched := func(a, b int) bool {
		it := members[a].Surety
		return int(it.Place) == b+1 && (it.Ends == 0 || time < it.Ends) && it.Since < since
	}
	apart := map[int]bool{}
	part := func(i int) {
		for j := range members {
			apart[j] = apart[j] || vouched(i, j) || vouched(j, i)
		}
	}
	for i, m := range members {
		if barred[m.Agent] || barred[m.Operator] {
			part(i)
		}
	}
	bar := func(i uint16) {
		barred[members[i].Agent], barred[members[i].Operator] = true, true
		part(int(i))
	}
	for _, w := range k.Work[:k.Counts.Drawn] {
		bar(w.Index)
	}
	for _, e := range k.Judges[:k.Counts.Seated] {
		bar(e.Index)
	}
	worth := s.worth(c, members, since, time)
	var slot accounts.SlotHash
	for _, h := range s.env.SlotHashes {
		if h.Slot >= k.Clock.SeedSlot {
			slot = h
		}
	}
	seed := s.prog.DrawSeed(at, k.Counts.Seated, slot.Slot, slot.Hash)
	counter := uint32(0)
	for len(places) < n {
		total := new(big.Int)
		weights := make([]*big.Int, len(members))
		for i, m := range members {
			weights[i] = new(big.Int)
			here := m.State == 1 || m.State == 2 && m.ExitSlot > since
			last := m.Since
			if last >= since {
				last = m.Earlier
			}
			if further := k.Status == brain.DrawWorkers && k.Counts.Drawn > 0 || k.Status == brain.DrawEvaluators && k.Counts.Seated > 0; further && last >= k.Clock.CreatedSlot {
				here = false
			}
			if here && m.Role == role && m.FrozenUntil <= time && m.Stake-m.Locked >= need && !barred[m.Agent] && !barred[m.Operator] && !apart[i] {
				stake := m.Stake
				if m.Since >= since {
					stake -= m.Fresh
				}
				weights[i].Div(weights[i].Mul(new(big.Int).SetUint64(stake), big.NewInt(int64(worth[i]))), big.NewInt(10_000))
			}
			total.Add(total, weights[i])
		}
		limit := new(big.Int).Lsh(big.NewInt(1), 64)
		limit.Sub(limit, new(big.Int).Mod(limit, total))
		var x *big.Int
		for x == nil || x.Cmp(limit) >= 0 {
			sum := sha256.Sum256(binary.LittleEndian.AppendUint32(seed[:], counter))
			counter++
			x = new(big.Int).SetUint64(binary.LittleEndian.Uint64(sum[:]))
		}
		x.Mod(x, total)
		for i, w := range weights {
			if x.Cmp(w) < 0 {
				places = append(places, uint16(i))
				bar(uint16(i))
				break
			}
			x.Sub(x, w)
		}
	}
	return places
}

// result is what the seat i reveals.
func result(i int, text string) brain.SubmitResult {
	return brain.SubmitResult{ResultHash: [32]byte{1, byte(len(text))}, Summary: text, Proof: []byte("proof"), Salt: [32]byte{9, byte(i)}}
}

// worked lets the workers of these seats commit and reveal.
func (s *scene) worked(c class, at onchain.Address, seats ...int) {
	s.t.Helper()
	k := s.task(at)
	waiting := 0
	for _, w := range k.Work[:k.Counts.Drawn] {
		if w.State == 0 {
			waiting++
		}
	}
	for _, i := range seats {
		s.ok(s.prog.CommitResult(k.Work[i].Agent, c.at, at, result(i, "result")))
		s.pass(1)
	}
	if len(seats) < waiting {
		s.no("TooEarly", s.prog.Advance(c.at, at))
		s.until(k.Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
	}
	for _, i := range seats {
		s.ok(s.prog.SubmitResult(k.Work[i].Agent, c.at, at, result(i, "result")))
	}
}

func evaluation(i int, scores ...uint8) brain.SubmitEvaluation {
	return brain.SubmitEvaluation{Scores: scores, EvaluationHash: [32]byte{3}, Metadata: []byte("because"), Salt: [32]byte{8, byte(i)}}
}

// evaluated lets evaluators of these seats commit and reveal.
func (s *scene) evaluated(c class, at onchain.Address, scores map[int][]uint8) {
	s.t.Helper()
	k := s.task(at)
	waiting := 0
	for i := range int(k.Counts.Seated) {
		if k.Judges[i].State == 0 {
			waiting++
		}
		if said, ok := scores[i]; ok {
			s.ok(s.prog.CommitEvaluation(k.Judges[i].Agent, c.at, at, evaluation(i, said...)))
		}
	}
	if len(scores) < waiting {
		s.until(k.Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
	}
	for i := range int(k.Counts.Seated) {
		if said, ok := scores[i]; ok {
			s.ok(s.prog.SubmitEvaluation(k.Judges[i].Agent, c.at, at, evaluation(i, said...)))
		}
	}
}

// found is an outcome with these clusters.
func found(clusters ...uint8) brain.Conclusion {
	f := brain.Conclusion{Evidence: [32]byte{5}}
	for i, c := range clusters {
		f.Facts[i] = brain.Fact{Complete: 10_000, Cluster: c}
	}
	return f
}

func (s *scene) outcome(at onchain.Address, f brain.Conclusion) brain.OutcomeArgs {
	k := s.task(at)
	return f.Outcome(int(k.Counts.Drawn), int(k.Counts.Seated))
}

// saidSo posts an outcome by the first evaluator that revealed.
func (s *scene) saidSo(c class, at onchain.Address, f brain.Conclusion) {
	s.t.Helper()
	for _, e := range s.task(at).Judges {
		if e.State == 2 {
			s.units["post_outcome"] = s.ok(s.prog.PostOutcome(e.Agent, c.at, at, s.outcome(at, f))).Units
			return
		}
	}
	s.t.Fatal("nobody can post")
}

// judged is a task with three results and two evaluations.
func (s *scene) judged(c class, n byte, change ...func(*brain.CreateTask)) onchain.Address {
	s.t.Helper()
	at := s.posted(c, n, change...)
	s.drawn(c, at)
	s.worked(c, at, 0, 1, 2)
	s.drawn(c, at)
	s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {94, 90, 90, 80, 30, 90}})
	return at
}

var scenes = map[string]func(*scene){
	"life": func(s *scene) {
		c := s.begin(5, 4)
		at := s.posted(c, 1)
		s.no("AlreadyExists", s.prog.CreateTask(s.at("requester"), c.at, s.terms(1)))
		s.no("WrongStatus", s.prog.SettleTask(c.at, at))
		s.drawn(c, at)
		k := s.task(at)
		same(s.t, "status", k.Status, brain.Working)
		w := k.Work[0].Agent
		same(s.t, "the terms", k.Terms, brain.TermsHash(s.terms(1).Description, s.terms(1).Metadata))
		s.no("NotSeated", s.prog.CommitResult(s.at("e0"), c.at, at, result(0, "x")))
		s.no("WrongStatus", s.prog.SubmitResult(w, c.at, at, result(0, "x")))
		s.ok(s.prog.CommitResult(w, c.at, at, result(0, "result")))
		s.no("AlreadyCommitted", s.prog.CommitResult(w, c.at, at, result(0, "result")))
		same(s.t, "the commitment", s.task(at).Work[0].Commitment, brain.ResultCommitment(at, w, result(0, "result")))
		s.pass(1)
		s.ok(s.prog.CommitResult(k.Work[1].Agent, c.at, at, result(1, "result")))
		s.ok(s.prog.CommitResult(k.Work[2].Agent, c.at, at, result(2, "result")))
		s.no("WrongOpening", s.prog.SubmitResult(w, c.at, at, result(1, "result")))
		s.ok(s.prog.SubmitResult(w, c.at, at, result(0, "result")))
		s.no("NotCommitted", s.prog.SubmitResult(w, c.at, at, result(0, "result")))
		s.ok(s.prog.SubmitResult(k.Work[1].Agent, c.at, at, result(1, "result")))
		s.ok(s.prog.SubmitResult(k.Work[2].Agent, c.at, at, result(2, "result")))
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {94, 90, 90, 80, 30, 90}})
		e := s.task(at).Judges[0]
		same(s.t, "the commitment", e.Commitment, brain.EvaluationCommitment(at, e.Agent, evaluation(0, 90, 80, 92, 90, 20, 70)))
		s.no("BadOutcome", s.prog.PostOutcome(e.Agent, c.at, at, s.outcome(at, found(1, 3, 0))))
		s.no("NotSeated", s.prog.PostOutcome(w, c.at, at, s.outcome(at, found(1, 1, 0))))
		s.saidSo(c, at, found(1, 1, 0))
		s.no("TooEarly", s.prog.SettleTask(c.at, at))
		s.until(s.task(at).Clock.Deadline)
		s.units["settle_task"] = s.ok(s.prog.SettleTask(c.at, at)).Units
		s.no("WrongStatus", s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "status", s.task(at).Status, brain.Settled)
		s.views(c, at)
		before := s.lamports(w)
		s.no("NotMember", s.prog.Withdraw(s.at("requester"), c.at, brain.WorkerRole))
		s.ok(s.prog.Withdraw(w, c.at, brain.WorkerRole))
		same(s.t, "earned", s.lamports(w)-before, s.task(at).Work[0].Paid)
		s.no("NothingToWithdraw", s.prog.Withdraw(w, c.at, brain.WorkerRole))
		s.ok(s.prog.Leave(w, c.at, brain.WorkerRole))
		s.no("Leaving", s.prog.Leave(w, c.at, brain.WorkerRole))
		s.no("NothingToWithdraw", s.prog.Withdraw(w, c.at, brain.WorkerRole))
		s.no("NotAuthority", s.prog.CloseTask(s.at("w0"), at))
		s.ok(s.prog.CloseTask(s.at("requester"), at))
		s.pass(600)
		before = s.lamports(w)
		s.ok(s.prog.Withdraw(w, c.at, brain.WorkerRole))
		same(s.t, "the stake", s.lamports(w)-before, sol)
		s.told(k, map[any]int{
			brain.TaskCreated{}: 1, brain.WorkerSelected{}: 3, brain.EvaluatorSelected{}: 2, brain.ResultSubmitted{}: 3,
			brain.EvaluationSubmitted{}: 6, brain.TaskSettled{}: 1,
		})
	},
	"one is absent, one is late, one evaluator is silent": func(s *scene) {
		c := s.begin(3, 3)
		at := s.posted(c, 1, func(i *brain.CreateTask) { i.EvaluatorCount = 3; i.Undistributed = 1 })
		s.drawn(c, at)
		s.worked(c, at, 1, 2)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {255, 0, 92, 90, 88, 70}, 2: {255, 0, 90, 80, 91, 90}})
		s.saidSo(c, at, found(0, 2, 2))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "worker 0 lost", s.task(at).Work[0].Slashed, uint64(sol/20))
		same(s.t, "evaluator 1 lost", s.task(at).Judges[1].Slashed, uint64(sol*3/400))
	},
	"nobody is drawn": func(s *scene) {
		c := s.begin(2, 2)
		at := s.posted(c, 1)
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
		s.until(s.task(at).Clock.Deadline)
		s.no("TooLate", s.prog.Draw(c.at, at, c.near))
		s.ok(s.prog.Advance(c.at, at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.Expired)
		before := s.lamports(s.at("requester"))
		kept := s.lamports(at)
		s.ok(s.prog.CloseTask(s.at("requester"), at))
		same(s.t, "it came back", s.lamports(s.at("requester"))-before, kept)
	},
	"no worker works": func(s *scene) {
		c := s.begin(3, 2)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.until(s.task(at).Clock.Deadline)
		s.no("TooLate", s.prog.CommitResult(s.task(at).Work[0].Agent, c.at, at, result(0, "x")))
		s.ok(s.prog.Advance(c.at, at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "others are called", s.task(at).Status, brain.DrawWorkers)
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "slashed", s.task(at).Money.Slashed, uint64(3*sol/20))
	},
	"no evaluator is there": func(s *scene) {
		c := s.begin(3, 1)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		same(s.t, "effort", s.task(at).Money.Paid, uint64(3*(sol*7/10/3/10)))
	},
	"nobody posts": func(s *scene) {
		c := s.begin(3, 2)
		at := s.judged(c, 1)
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.no("WrongStatus", s.prog.PostOutcome(s.task(at).Judges[0].Agent, c.at, at, s.outcome(at, found(1, 1, 0))))
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
		for _, e := range s.task(at).Judges[:2] {
			if e.Paid == 0 || e.Paid > sol/100 {
				s.t.Errorf("an evaluator got %d, and not a tenth of its place at most", e.Paid)
			}
		}
	},
	"all evaluators must doubt": func(s *scene) {
		c := s.begin(3, 5, func(p *brain.Parameters) { p.Shares.MaxEvaluators = 3 })
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		bad := []uint8{35, 90, 35, 90, 35, 90}
		s.evaluated(c, at, map[int][]uint8{0: bad, 1: {55, 60, 55, 60, 55, 60}})
		s.saidSo(c, at, found(1, 1, 1))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.DrawEvaluators)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{2: bad})
		s.saidSo(c, at, found(1, 1, 1))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "status", s.task(at).Status, brain.Settled)
		poster := s.task(at).Judges[0]
		same(s.t, "with two bonds, the poster", s.class(c).Members[poster.Index].Earned, poster.Paid+2*c.params.OutcomeBond(sol))
	},
	"a further evaluator": func(s *scene) {
		c := s.begin(3, 4)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {30, 90, 20, 80, 30, 90}})
		s.saidSo(c, at, found(1, 1, 0))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.DrawEvaluators)
		s.drawn(c, at)
		same(s.t, "evaluators", s.task(at).Counts.Seated, 3)
		s.evaluated(c, at, map[int][]uint8{2: {93, 80, 91, 90, 22, 70}})
		s.saidSo(c, at, found(1, 1, 0))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		same(s.t, "status", s.task(at).Status, brain.Settled)
		same(s.t, "the outlier lost", s.task(at).Judges[1].Slashed, uint64(sol*3/400))
	},
	"no further evaluator is there": func(s *scene) {
		c := s.begin(3, 2)
		at := s.posted(c, 1)
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {30, 90, 20, 80, 30, 90}})
		s.saidSo(c, at, found(1, 1, 0))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.Advance(c.at, at))
		s.saidSo(c, at, found(1, 1, 0))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		same(s.t, "status", s.task(at).Status, brain.Inconclusive)
	},
	"extension": func(s *scene) {
		c := s.begin(3, 2)
		at := s.posted(c, 1)
		s.no("WrongStatus", s.prog.ExtendTask(s.at("requester"), c.at, at, brain.ExtendTask{Seconds: 86_400, Budget: sol}))
		s.drawn(c, at)
		s.no("BadBudget", s.prog.ExtendTask(s.at("requester"), c.at, at, brain.ExtendTask{Seconds: 86_400, Budget: sol/10 - 1}))
		s.no("NotAuthority", s.prog.ExtendTask(s.at("w0"), c.at, at, brain.ExtendTask{Seconds: 86_400, Budget: sol}))
		s.ok(s.prog.ExtendTask(s.at("requester"), c.at, at, brain.ExtendTask{Seconds: 86_400, Budget: sol / 10}))
		s.no("AlreadyExtended", s.prog.ExtendTask(s.at("requester"), c.at, at, brain.ExtendTask{Seconds: 86_400, Budget: sol}))
		s.pass(100_000)
		s.worked(c, at, 0, 1, 2)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70}, 1: {94, 90, 90, 80, 30, 90}})
		s.saidSo(c, at, found(1, 1, 0))
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
	},
	"the treasury is the upgrade authority's": func(s *scene) {
		data := s.prog.ProgramData()
		deployed := func(name string) {
			head := make([]byte, 45)
			head[0], head[12] = 3, 1
			key := s.fund(name, sol)
			copy(head[13:], key[:])
			code := append(head, megabrain.ELF()...)
			s.put(data, difftest.Owned(solana.PublicKey(data), solana.BPFLoaderUpgradeableProgramID, s.env.Rent.MinimumBalance(len(code)), code).Account)
		}
		s.fund("mallory", sol)
		deployed("authority")
		s.no("NotAuthority", s.prog.Init(s.at("mallory"), brain.Init{Court: s.court.ID()}))
		s.no("BadParameter", s.prog.Init(s.at("authority"), brain.Init{}))
		s.ok(s.prog.Init(s.at("authority"), brain.Init{Court: s.court.ID()}))
		s.no("AlreadyExists", s.prog.Init(s.at("authority"), brain.Init{Court: s.court.ID()}))
		got, err := brain.DecodeTreasury(s.accounts[s.prog.Treasury()].Data)
		if err != nil {
			s.t.Fatal(err)
		}
		same(s.t, "the court", got.Court, s.court.ID())
	},
	"operators are independent": func(s *scene) {
		c := s.begin(0, 2)
		boss := s.fund("boss", sol)
		for _, name := range []string{"a", "b", "c", "d"} {
			s.fund(name, 10*sol)
		}
		join := func(name string, operator onchain.Address) {
			s.ok(s.prog.Register(s.at(name), c.at, brain.Register{Role: brain.WorkerRole, Operator: operator, Stake: sol}))
		}
		join("a", boss)
		join("b", boss)
		join("c", onchain.Address{})
		unsigned := s.prog.Register(s.at("d"), c.at, brain.Register{Role: brain.WorkerRole, Operator: boss, Stake: sol})
		unsigned.Accounts = unsigned.Accounts[:3]
		s.no("NotEnoughAccounts", unsigned)
		s.pass(1)
		at := s.posted(c, 1)
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
		at = s.posted(c, 2, func(i *brain.CreateTask) { i.WorkerCount = 2 })
		s.drawn(c, at)
		at = s.posted(c, 3, func(i *brain.CreateTask) { i.WorkerCount, i.Operator = 2, boss })
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
	},
	"stake that comes after a task does not count": func(s *scene) {
		c := s.begin(2, 2)
		at := s.posted(c, 1)
		s.ok(s.prog.Register(s.fund("late", 10*sol), c.at, brain.Register{Role: brain.WorkerRole, Stake: sol}))
		s.no("TooEarly", s.prog.Register(s.at("w0"), c.at, brain.Register{Role: brain.WorkerRole, Stake: 3 * sol}))
		s.pass(2)
		s.no("TooFewMembers", s.prog.Draw(c.at, at, c.near))
		at = s.posted(c, 2)
		s.drawn(c, at)
	},
	"copies, low effort and rubber stamps": func(s *scene) {
		c := s.begin(4, 3)
		at := s.posted(c, 1, func(i *brain.CreateTask) { i.WorkerCount, i.EvaluatorCount = 4, 3 })
		s.drawn(c, at)
		s.worked(c, at, 0, 1, 2, 3)
		s.drawn(c, at)
		s.evaluated(c, at, map[int][]uint8{0: {90, 80, 92, 90, 20, 70, 10, 90}, 1: {94, 90, 90, 80, 30, 90, 12, 90}, 2: {85, 90, 85, 90, 85, 90, 85, 90}})
		f := found(1, 1, 1, 0)
		f.Facts[2].CopyOf, f.Facts[3].LowEffort, f.Rubber[2] = 1, 1, 1
		backwards := f
		backwards.Facts[0].CopyOf = 3
		s.no("BadOutcome", s.prog.PostOutcome(s.task(at).Judges[0].Agent, c.at, at, s.outcome(at, backwards)))
		s.saidSo(c, at, f)
		s.until(s.task(at).Clock.Deadline)
		s.ok(s.prog.SettleTask(c.at, at))
		s.agrees(c, at)
		k := s.task(at)
		stamped, lazy := s.class(c).Members[k.Judges[2].Index], s.class(c).Members[k.Work[3].Index]
		same(s.t, "frozen", stamped.FrozenUntil, s.now()+30*86_400)
		same(s.t, "the lazy one", fmt.Sprint(lazy.Reputation, lazy.Owed, lazy.Restore), "500 500 5")
	},
	"summaries": func(s *scene) {
		c := s.begin(1, 2)
		at := s.posted(c, 1, func(i *brain.CreateTask) { i.WorkerCount = 1 })
		s.drawn(c, at)
		w := s.task(at).Work[0].Agent
		long := result(0, strings.Repeat("é", 350))
		long.Proof = nil
		s.ok(s.prog.CommitResult(w, c.at, at, long))
		for _, bad := range []string{strings.Repeat("a", 501), strings.Repeat("é", 351), "\xff"} {
			r := long
			r.Summary = bad
			s.no("BadSummary", s.prog.SubmitResult(w, c.at, at, r))
		}
		r := long
		r.Proof = make([]byte, 201)
		r.Summary = ""
		s.no("TooLong", s.prog.SubmitResult(w, c.at, at, r))
		s.ok(s.prog.SubmitResult(w, c.at, at, long))
		same(s.t, "status", s.task(at).Status, brain.DrawEvaluators)
		s.drawn(c, at)
		e := s.task(at).Judges[0].Agent
		for i := range 2 {
			said := []uint8{90, 80}
			if i == 0 {
				said = []uint8{101, 80}
			}
			s.ok(s.prog.CommitEvaluation(s.task(at).Judges[i].Agent, c.at, at, evaluation(i, said...)))
		}
		s.no("BadScore", s.prog.SubmitEvaluation(e, c.at, at, evaluation(0, 101, 80)))
		s.no("WrongOpening", s.prog.SubmitEvaluation(e, c.at, at, evaluation(0, 90, 80)))
	},
	"bad tasks": func(s *scene) {
		c := s.begin(1, 1)
		bad := map[string]func(*brain.CreateTask){
			"BadDeadline": func(i *brain.CreateTask) { i.SubmissionDeadline-- }, "BadBudget": func(i *brain.CreateTask) { i.TotalBudget = 999_999 },
			"BadStake": func(i *brain.CreateTask) { i.WorkerStake-- }, "BadParameter": func(i *brain.CreateTask) { i.EvaluatorCount = 1 },
			"MissingHash": func(i *brain.CreateTask) { i.TaskID = [32]byte{} }, "TooLong": func(i *brain.CreateTask) { i.Metadata = make([]byte, 201) },
		}
		for _, want := range slices.Sorted(maps.Keys(bad)) {
			i := s.terms(1)
			bad[want](&i)
			s.no(want, s.prog.CreateTask(s.at("requester"), c.at, i))
		}
		i := s.terms(1)
		i.Description = ""
		s.no("BadParameter", s.prog.CreateTask(s.at("requester"), c.at, i))
		i.Description = "x"
		i.Operator = s.fund("operator", sol)
		s.ok(s.prog.CreateTask(s.at("requester"), c.at, i))
		same(s.t, "operator", s.task(s.prog.Task(s.at("requester"), i.TaskID)).Parties.Operator, i.Operator)
		s.no("StakeTooSmall", s.prog.Register(s.at("w0"), c.at, brain.Register{Role: brain.EvaluatorRole, Stake: c.params.Bond - 1}))
		s.no("BadRole", s.prog.Register(s.at("w0"), c.at, brain.Register{Role: 3, Stake: 1}))
		p := brain.Defaults()
		p.Shares.WorkerPool = 7001
		s.no("BadParameter", s.prog.CreateClass(s.at("maker"), brain.CreateClass{ID: [32]byte{1}, Parameters: p}))
	},
}

// told checks how many events of each type there were, and that each is about the task.
func (s *scene) told(k *brain.TaskAccount, want map[any]int) {
	s.t.Helper()
	count := map[reflect.Type]int{}
	for _, e := range s.events {
		count[reflect.TypeOf(e)]++
		task := reflect.ValueOf(e).FieldByName("Task").Interface()
		same(s.t, "the task of an event", task, any(s.prog.Task(k.Parties.Requester, k.ID)))
	}
	for e, n := range want {
		same(s.t, reflect.TypeOf(e).Name(), count[reflect.TypeOf(e)], n)
	}
}

// views reads the four views and compares them with the accounts.
func (s *scene) views(c class, at onchain.Address) {
	s.t.Helper()
	k := s.task(at)
	give := func(i onchain.Instruction) []byte {
		s.t.Helper()
		return s.ok(i).ReturnData.Data
	}
	state := give(s.prog.GetTaskState(at))
	same(s.t, "state", state[0], 3)
	same(s.t, "deadline", int64(binary.LittleEndian.Uint64(state[1:])), k.Clock.SubmissionDeadline)
	who := give(s.prog.GetTaskParticipants(at))
	same(s.t, "participants", len(who), 8+5*32)
	same(s.t, "the first", onchain.Address(who[4:]), k.Work[0].Agent)
	got := give(s.prog.GetResult(at, k.Work[0].Agent))
	same(s.t, "score", got[32], uint8(k.Work[0].Score/100))
	same(s.t, "payment", binary.LittleEndian.Uint64(got[34:]), k.Work[0].Paid)
	s.no("NotSeated", s.prog.GetResult(at, s.at("requester")))
	rep := give(s.prog.GetReputation(c.at, k.Work[0].Agent, c.near))
	same(s.t, "reputation", binary.LittleEndian.Uint64(rep), uint64(s.class(c).Members[k.Work[0].Index].Reputation))
}
