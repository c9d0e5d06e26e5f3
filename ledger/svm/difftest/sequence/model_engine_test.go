package sequence_test

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
	"ojud/voting/rules"
)

// engine is another program that decides tasks: whatever an account of it says, it said.
var engine = key(difftest.Address("engine"))

// decides lets the engine write something about a task: mostly a verdict.
func (a *arena) decides(task, group key) {
	at, bump := verdictOf(engine, pick(a, group, group, group, group, key{}, key{9}), task)
	v := &program.VerdictAccount{Bump: bump, IsFinal: 1, Verdict: voting.Verdict(1 + a.r.IntN(3)), Subject: task, Engine: engine}
	owner := solana.PublicKey(engine)
	switch a.r.IntN(12) {
	case 0:
		v.IsFinal = 0
	case 1:
		v.Verdict = 0
	case 2:
		v.Subject = a.somebody()
	case 3:
		v.Bump--
	case 4:
		owner = difftest.Address("another program")
	}
	a.accounts[at] = accounts.Account{Lamports: sol, Owner: owner, Data: v.Encode()}
}

// verdictOf returns where a group of a program writes its verdict about a task, and the bump.
func verdictOf(engine, group, task key) (key, uint8) {
	seeds := [][]byte{[]byte("verdict"), task[:]}
	if !group.IsZero() {
		seeds = append(seeds, group[:])
	}
	at, bump, err := solana.FindProgramAddress(seeds, solana.PublicKey(engine))
	if err != nil {
		panic(err) // 255 bumps in a row on the curve do not occur
	}
	return key(at), bump
}

// engineTerms demands that what the terms say of another engine is lawful.
func (s *step) engineTerms(i *program.CreateTask, r *program.Rules) {
	if i.Engine.IsZero() {
		s.need(i.EngineGroup.IsZero() && i.EngineAgent.IsZero() && i.EngineFee == 0 && i.EngineSeconds == 0 && i.OnSilence == 0, "terms of no engine")
		return
	}
	s.need(i.Engine != s.a.prog.ID(), "itself as another engine")
	s.need(i.EngineSeconds >= r.CommitSeconds+r.RevealSeconds && i.EngineSeconds <= 2_592_000 && i.OnSilence <= program.EndByTerm, "bad terms of the engine")
	s.need(i.EngineAgent.IsZero() == (i.EngineFee == 0), "a fee for nobody")
	s.need(i.EngineFee <= i.RewardMin/10, "a dear engine")
	if i.EngineFee > 0 {
		s.need(i.EngineAgent != s.at("authority"), "a fee for a party")
		s.need(read[program.Agent](s, "engine_agent").Authority == i.EngineAgent, "another engine_agent")
	}
}

// waits demands that another program may decide the task, or was silent.
func (s *step) waits(t *program.Task) {
	s.need(t.Status == program.Judiciary && t.Deadline != 0, "it waits for no engine")
}

// byTerm returns the outcome of the task's own term.
func byTerm(t *program.Task) voting.Outcome {
	return map[voting.OnUndecided]voting.Outcome{
		voting.RefundCreator: voting.Refunded, voting.PayWorker: voting.Paid, voting.SplitEscrow: voting.Split,
	}[t.OnUndecided]
}

// divide pays the escrow as the task ended, and returns all bonds.
func (s *step) divide(t *program.Task, creator, worker *program.Agent, outcome voting.Outcome) {
	paid := map[voting.Outcome]uint64{voting.Paid: t.Escrow, voting.Split: t.Escrow / 2}[outcome]
	if outcome == voting.Paid {
		worker.TasksPaid++
	}
	trade, err := rules.Trade(paid, t.TradeBps)
	s.need(err == nil, "the share is no number")
	t.Escrow -= paid
	s.feed("task", trade)
	paid -= trade
	s.pay("worker_agent", worker, &paid)
	s.pay("creator_agent", creator, &t.Escrow)
	s.pay("worker_agent", worker, &t.WorkerBond)
	s.pay("creator_agent", creator, &t.CreatorBond)
	s.pay("worker_agent", worker, &t.ClaimBond)
}

func (s *step) settleByEngine() {
	t := open[program.Task](s, "task")
	creator, worker := s.agent("creator_agent", t.Creator), s.agent("worker_agent", t.Worker)
	open[program.Pot](s, "pot")
	s.waits(t)
	s.need(!t.IsDispute(), "a dispute")
	s.inTime(t)
	said := s.said(t)
	outcome := map[voting.Verdict]voting.Outcome{
		voting.ForWorker: voting.Paid, voting.ForCreator: voting.Refunded, voting.Undecided: byTerm(t),
	}[said]
	to := program.Complete
	if said == voting.Undecided {
		to = program.Undecided
	}
	s.end(t, to, outcome, program.ByEngine)
	if t.EngineFee > 0 {
		a := s.agent("engine_agent", t.EngineAgent)
		creator, worker := t.EngineFee/2, t.EngineFee/2
		switch said {
		case voting.ForWorker:
			creator, worker = t.EngineFee, 0
		case voting.ForCreator:
			creator, worker = 0, t.EngineFee
		}
		creator, worker = min(creator, t.CreatorBond), min(worker, t.WorkerBond)
		t.CreatorBond, t.WorkerBond = t.CreatorBond-creator, t.WorkerBond-worker
		s.pay("engine_agent", a, &creator)
		s.pay("engine_agent", a, &worker)
	}
	s.divide(t, creator, worker, outcome)
}

// said returns the verdict of the task's engine.
func (s *step) said(t *program.Task) voting.Verdict {
	at, task := s.at("verdict"), s.at("task")
	v, ok := s.a.Account(solana.PublicKey(at))
	s.need(ok && onchain.Address(v.Owner) == t.Engine, "not the engine's")
	told, err := program.DecodeVerdictAccount(v.Data)
	s.need(err == nil && told.Subject == task, "no verdict about it")
	place, bump := verdictOf(t.Engine, t.EngineGroup, task)
	s.need(at == place && told.Bump == bump, "at another address")
	s.need(told.IsFinal == 1 && told.Verdict != 0, "not final")
	return told.Verdict
}

func (s *step) openCase() {
	t := open[program.Task](s, "task")
	c := s.rules(t)
	s.fixed("system")
	s.vacant("case", s.a.at(place{kind: "case", a: s.at("task")}))
	s.waits(t)
	s.need(t.OnSilence == program.CourtDecides, "its terms")
	s.need(s.now() >= t.Deadline, "too early")
	s.step(t, program.Judiciary, 0)
	s.newCase(t, c, "payer")
}
