package crank

import (
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

var engine, group = onchain.Address{70}, onchain.Address{71}

// waiting puts a task on the chain that an engine may decide for a day.
func (c *chain) waiting(n uint64, silence program.OnSilence, escrow uint64) onchain.Address {
	return c.add(onchain.Address{2}, n, program.Task{
		Status: program.Judiciary, Escrow: escrow, Deadline: genesis + 86_400, Worker: onchain.Address{3}, Engine: engine, EngineGroup: group,
		EngineSeconds: 86_400, OnSilence: silence, Seats: voting.MaxSeats,
	})
}

// says lets the engine write a verdict about a task.
func (c *chain) says(task onchain.Address, change func(*program.VerdictAccount, *ledger.Account)) {
	v := &program.VerdictAccount{IsFinal: 1, Verdict: voting.ForWorker, Subject: task, Engine: engine, DecidedAt: c.now()}
	a := &ledger.Account{Address: program.EngineVerdict(engine, group, task), Owner: engine, Lamports: 1}
	if change != nil {
		change(v, a)
	}
	a.Data = v.Encode()
	c.accounts[a.Address] = a
}

func (c *chain) status(task onchain.Address) program.TaskStatus {
	t, err := program.DecodeTask(c.accounts[task].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	return t.Status
}

// TestEngineDecided: a task that its engine decided, and nobody settles, is settled before the
// engine's time is over, whether the node heard of the task or found it.
func TestEngineDecided(t *testing.T) {
	for _, heard := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newChain(t)
			task := c.waiting(1, program.CourtDecides, 50_000_000)
			k := c.crank(DefaultConfig())
			if heard {
				k.Hear(&program.TaskMoved{Task: task, To: program.Judiciary, Amount: 1, Deadline: genesis + 86_400, At: genesis})
			}
			runFor(t, k, 2*time.Hour)
			if len(c.acts) != 0 {
				t.Fatalf("%v before the engine decided", c.acts)
			}
			c.says(task, nil)
			runFor(t, k, 12*time.Hour)
			if len(c.acts) != 1 || c.status(task) != program.Complete {
				t.Errorf("heard %v: %v, %s", heard, c.acts, c.status(task))
			}
		})
	}
}

// TestAttackNodesEndAgainstAVerdict: a creator gives an honest engine little time and keeps its
// silence for itself (a refund). The engine decides for the worker in time, and nobody but nodes
// uses it. They settle by the verdict, also if 27 of 28 are down and this one is seldom the first.
func TestAttackNodesEndAgainstAVerdict(t *testing.T) {
	for _, c := range []struct{ seconds, says int64 }{
		{86_400, 85_000}, {86_400, 85_300}, {86_400, 86_300}, {3_600, 2_300}, {3_600, 2_700}, {3_600, 3_500}, {1_800, 500}, {1_800, 700},
		{1_200, 10}, {1_200, 600}, {600, 10}, {600, 500}, {60, 5}, {60, 25},
	} {
		for seat := range byte(4) {
			synctest.Test(t, func(t *testing.T) {
				s := newChain(t)
				task := s.waiting(uint64(seat), program.EndByTerm, 50_000_000)
				waits, err := program.DecodeTask(s.accounts[task].Data)
				if err != nil {
					t.Fatal(err)
				}
				waits.Deadline, waits.EngineSeconds = genesis+c.seconds, uint32(c.seconds)
				s.accounts[task].Data = waits.Encode()
				k := s.crank(DefaultConfig())
				if seat > 0 {
					judges := []voting.Key{voting.Key(s.self.Address())}
					for n := range byte(27) {
						judges = append(judges, voting.Key{n + 1})
					}
					k.d.Judges = func() []voting.Key { return judges }
				}
				k.Hear(&program.TaskMoved{Task: task, To: program.Judiciary, Amount: 1, Deadline: waits.Deadline, At: genesis})
				runFor(t, k, time.Duration(c.says)*time.Second)
				s.says(task, nil)
				runFor(t, k, time.Duration(c.seconds-c.says)*time.Second-time.Second)
				if s.status(task) != program.Complete || len(s.acts) != 1 {
					t.Errorf("an engine with %d s decided after %d s, and the task is %s after %d acts at its deadline", c.seconds, c.says, s.status(task), len(s.acts))
				}
				if s.reads > 200 {
					t.Errorf("%d requests for one task", s.reads)
				}
			})
		}
	}
}

// TestEngineSilent: when its time is over, the court takes the task, or its term ends it. What
// looks like a verdict and is none does not count.
func TestEngineSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		court, term := c.waiting(1, program.CourtDecides, 50_000_000), c.waiting(2, program.EndByTerm, 50_000_000)
		small := c.waiting(3, program.CourtDecides, 1_000_000) // not worth the rent of a case
		c.says(court, func(v *program.VerdictAccount, _ *ledger.Account) { v.IsFinal = 0 })
		c.says(term, func(_ *program.VerdictAccount, a *ledger.Account) { a.Owner = onchain.Address{9} })
		k := c.crank(DefaultConfig())
		for _, task := range []onchain.Address{court, term, small} {
			k.Hear(&program.TaskMoved{Task: task, To: program.Judiciary, Amount: 1, Deadline: genesis + 86_400, At: genesis})
		}
		runFor(t, k, 23*time.Hour+50*time.Minute)
		if len(c.acts) != 0 {
			t.Fatalf("%v before the engine's time was over", c.acts)
		}
		runFor(t, k, 2*time.Hour)
		opened, err := program.DecodeTask(c.accounts[court].Data)
		if err != nil || len(c.acts) != 2 || opened.Deadline != 0 || c.status(term) != program.Complete || c.status(small) != program.Judiciary {
			t.Errorf("%v, %v; %s, %s", c.acts, err, c.status(term), c.status(small))
		}
	})
}

// TestDisputeOfOthers: nodes open the case of a dispute when its respondent has answered, or when
// the time to answer is over, and ask no engine about it. When it is over, whoever paid for it gets
// the rent back.
func TestDisputeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		brought := program.Task{
			Status: program.Judiciary, Escrow: 50_000_000, Deadline: genesis + 28_800, Worker: onchain.Address{3}, WorkerOperator: onchain.Address{4},
			Seats: voting.MaxSeats, Dispute: program.DisputeUnanswered,
		}
		silent := c.add(onchain.Address{2}, 1, brought)
		brought.Deadline, brought.Dispute = genesis+60, program.DisputeJoined
		joined := c.add(onchain.Address{2}, 2, brought)
		// Whatever a system account says in place of an engine's verdict does not count.
		c.says(silent, func(_ *program.VerdictAccount, a *ledger.Account) {
			a.Address, a.Owner = program.EngineVerdict(onchain.Address{}, onchain.Address{}, silent), onchain.Address{}
		})
		k := c.crank(DefaultConfig())
		k.Hear(&program.TaskMoved{Task: silent, To: program.Judiciary, Amount: 7_000_000, Deadline: genesis + 28_800, At: genesis})
		k.Hear(&program.TaskMoved{Task: joined, From: program.Judiciary, To: program.Judiciary, Deadline: genesis + 60, At: genesis + 60})
		runFor(t, k, 7*time.Hour)
		if len(c.acts) != 1 || c.acts[0] != joined {
			t.Fatalf("%v before the time to answer was over", c.acts)
		}
		runFor(t, k, 3*time.Hour)
		if len(c.acts) != 2 || c.acts[1] != silent {
			t.Fatalf("%v", c.acts)
		}
		over := brought
		over.Status, over.Resolution, over.FinishedAt, over.Deadline = program.Complete, program.ByVerdict, c.now(), 0
		ended := c.add(onchain.Address{2}, 3, over)
		d, due, err := planCloseTask(t.Context(), k, c.accounts[ended])
		if err != nil || !due || d.to != over.WorkerOperator || d.act.Accounts[2].Address != over.WorkerOperator {
			t.Errorf("%+v, %v, %v", d, due, err)
		}
		pledge := &program.Pledge{Task: ended, Mint: onchain.Address{9}, Amount: 5}
		c.accounts[program.PledgeAt(c.p, ended)] = &ledger.Account{Owner: c.p.ID(), Data: pledge.Encode()}
		if _, due, err := planCloseTask(t.Context(), k, c.accounts[ended]); due || err != nil {
			t.Errorf("a task with a pledge is closed: %v", err)
		}
	})
}

// TestAttackRentLocked: silent engines by the hundred would lock a node's lamports in cases. It
// keeps what its votes need.
func TestAttackRentLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		k := c.crank(DefaultConfig())
		for n := range uint64(100) {
			task := c.waiting(n, program.CourtDecides, 50_000_000)
			k.Hear(&program.TaskMoved{Task: task, To: program.Judiciary, Amount: 1, Deadline: genesis + 86_400, At: genesis})
		}
		c.balance = 10_000_000 + 2*caseRent(&program.Task{Seats: voting.MaxSeats}) + 100*fee // Reserve, and two rents
		runFor(t, k, 4*24*time.Hour)
		if len(c.acts) != 2 || c.balance < 10_000_000 {
			t.Errorf("%d cases opened, %d lamports left", len(c.acts), c.balance)
		}
	})
}
