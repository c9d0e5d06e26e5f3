package crank

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/test/longtest"
	"ojud/voting"
)

const fee = 5_000 // lamports

// chain is a chain of tasks and cases in memory that expires and closes them.
type chain struct {
	t        *testing.T
	p        program.Program
	self     *ledger.Keypair
	began    time.Time
	balance  uint64
	accounts map[onchain.Address]*ledger.Account
	slot     uint64
	reads    int // requests
	lists    int
	acts     []onchain.Address // in their order
	refuse   error             // of the chain, for every transaction
}

const genesis = 1_000_000 // the chain's time at the beginning

func newChain(t *testing.T) *chain {
	t.Helper()
	self, err := transact.NewKeypair(bytes.NewReader(bytes.Repeat([]byte{9}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return &chain{
		t: t, p: program.New(onchain.Address{1}), self: self, began: time.Now(), balance: onchain.LamportsPerSOL,
		accounts: map[onchain.Address]*ledger.Account{},
	}
}

func (c *chain) Program() program.Program { return c.p }
func (c *chain) now() int64               { return genesis + int64(time.Since(c.began).Seconds()) }

func (c *chain) Accounts(_ context.Context, all ...onchain.Address) (out []*ledger.Account, slot uint64, err error) {
	if len(all) > 100 {
		c.t.Errorf("%d accounts in a request", len(all))
	}
	c.reads++
	for _, address := range all {
		if address == c.self.Address() {
			out = append(out, &ledger.Account{Lamports: c.balance})
		} else {
			out = append(out, c.accounts[address])
		}
	}
	return out, 1, nil
}

func (c *chain) Heads(_ context.Context, account string, having ledger.Filter, offset, length int) (out []*ledger.Account, err error) {
	c.lists++
	d := program.Discriminator("account", account)
	for _, address := range slices.SortedFunc(maps.Keys(c.accounts), func(a, b onchain.Address) int { return bytes.Compare(a[:], b[:]) }) {
		if data := c.accounts[address].Data; bytes.HasPrefix(data, d[:]) && bytes.HasPrefix(data[having.Offset:], having.Bytes) {
			out = append(out, &ledger.Account{Address: address, Data: data[offset : offset+length]})
		}
	}
	return out, nil
}

// submit does what the program does with a task or case whose time is over.
func (c *chain) submit(ctx context.Context, all []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error) {
	if done, err := o.Done(ctx); done || err != nil {
		return transact.Outcome{Class: transact.AlreadyDone}, err
	}
	if c.refuse != nil {
		return transact.Outcome{Signature: onchain.Signature{1}}, c.refuse
	}
	i, err := program.DecodeInstruction(all[0].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	place := 0
	switch i.(type) {
	case *program.Expire:
		place = 1
		task, err := program.DecodeTask(c.accounts[all[0].Accounts[1].Address].Data)
		if err != nil {
			c.t.Fatal(err)
		}
		task.Status, task.FinishedAt = program.Complete, c.now()
		c.accounts[all[0].Accounts[1].Address].Data = task.Encode()
	case *program.SettleByEngine:
		task, err := program.DecodeTask(c.accounts[all[0].Accounts[0].Address].Data)
		if err != nil {
			c.t.Fatal(err)
		}
		task.Status, task.FinishedAt, task.Deadline = program.Complete, c.now(), 0
		c.accounts[all[0].Accounts[0].Address].Data = task.Encode()
	case *program.OpenCase:
		place = 2
		task, err := program.DecodeTask(c.accounts[all[0].Accounts[2].Address].Data)
		if err != nil {
			c.t.Fatal(err)
		}
		task.Deadline = 0
		c.accounts[all[0].Accounts[2].Address].Data = task.Encode()
		c.balance -= caseRent(&program.Task{Seats: voting.MaxSeats})
	case *program.PayPledge:
		c.pays(all[0].Accounts[1].Address, all[0].Accounts[2].Address)
	case *program.CloseTask:
		place = 1
		delete(c.accounts, all[0].Accounts[1].Address)
	case *program.CloseCase:
		delete(c.accounts, all[0].Accounts[0].Address)
	case *program.ApplyLeaf:
		place = 2
		c.apply(all[0].Accounts[1].Address, all[0].Accounts[2].Address)
	case *program.CloseBatch:
		place = 1
		delete(c.accounts, all[0].Accounts[1].Address)
	case *program.BeginSeason:
		place = 1
		c.begin(all[0].Accounts[1].Address)
	default:
		c.t.Fatalf("%T", i)
	}
	c.balance -= fee
	c.acts = append(c.acts, all[0].Accounts[place].Address)
	return transact.Outcome{Class: transact.Landed, Signature: onchain.Signature{1}}, nil
}

// add puts a task of a creator on the chain.
func (c *chain) add(creator onchain.Address, n uint64, t program.Task) onchain.Address {
	t.ID, t.Creator, t.Rules, t.OnUndecided = n, creator, program.FirstRules, voting.SplitEscrow
	address := c.p.Task(creator, n)
	c.accounts[address] = &ledger.Account{Address: address, Owner: c.p.ID(), Lamports: 4_000_000 + t.Escrow, Data: t.Encode()}
	return address
}

// crank returns a Crank of the only judge.
func (c *chain) crank(cfg Config) *Crank {
	return New(cfg, Deps{
		Chain: c, Submit: c.submit, Judges: func() []voting.Key { return []voting.Key{voting.Key(c.self.Address())} }, Clock: c.now,
		Rules: func(context.Context, uint32) (*program.Rules, error) {
			return &program.Rules{Params: program.Params{EvidenceSeconds: 86_400}}, nil
		},
		InForce: func(context.Context) (*program.Rules, error) {
			return &program.Rules{Number: program.FirstRules, Params: program.DefaultParams()}, nil
		},
		Slot: func() uint64 { return c.slot },
		Self: c.self, Reserve: 10_000_000, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
	})
}

// runFor lets a Crank work for that time.
func runFor(t *testing.T, c *Crank, d time.Duration) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	if err := c.Run(ctx); err != nil {
		t.Error(err)
	}
}

// silent is a task whose creator did not answer.
func silent(deadline int64, escrow uint64) program.Task {
	return program.Task{Status: program.Verification, Deadline: deadline, Escrow: escrow, Worker: onchain.Address{3}}
}

// TestAttackTenThousandExpiredTasks: a spammer lets ten thousand small tasks expire and wants the
// nodes to pay for their end and for its rent, about 0.1 SOL of fees and days of work for each
// node. A node pays no more than its budget, reads little, and the larger task of others is done
// first.
func TestAttackTenThousandExpiredTasks(t *testing.T) {
	longtest.Only(t)
	for _, heard := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c, cfg := newChain(t), DefaultConfig()
			k := c.crank(cfg)
			for n := range uint64(10_000) {
				address := c.add(onchain.Address{4}, n, silent(genesis, 1_000_000))
				if heard {
					k.Hear(&program.TaskMoved{Task: address, To: program.Verification, Deadline: genesis, Amount: 1_000_000})
				}
			}
			honest := c.add(onchain.Address{5}, 0, silent(genesis, onchain.LamportsPerSOL))
			if heard {
				k.Hear(&program.TaskMoved{Task: honest, To: program.Verification, Deadline: genesis, Amount: onchain.LamportsPerSOL})
			}
			runFor(t, k, 24*time.Hour)
			spent := onchain.LamportsPerSOL - c.balance
			if spent > cfg.Budget || len(c.acts) < 15 {
				t.Errorf("%d lamports for %d cranks, the budget is %d", spent, len(c.acts), cfg.Budget)
			}
			if len(c.acts) > 0 && c.acts[0] != honest {
				t.Errorf("%s is done before the larger task", c.acts[0])
			}
			// Each look reads once, and each crank once more.
			if lists := 4 * 15; c.reads > 2*len(c.acts)+10 || c.lists > lists {
				t.Errorf("%d reads and %d lists in a day", c.reads, c.lists)
			}
			if s := k.Standing(); s.Waiting > maxMarks || s.Done != len(c.acts) || s.Error != "" {
				t.Errorf("%+v", s)
			}
			t.Logf("heard %v: %d cranks, %d lamports, %d reads, %d lists", heard, len(c.acts), spent, c.reads, c.lists)
		})
	}
}

// TestAttackNoLamportsForVotes: whoever makes nodes crank cannot bring their wallets below what
// their votes need.
func TestAttackNoLamportsForVotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		cfg.Budget = onchain.LamportsPerSOL
		c.balance = 10_000_000 + 3*cfg.MaxFee
		k := c.crank(cfg)
		for n := range uint64(100) {
			c.add(onchain.Address{4}, n, silent(genesis, 1_000_000))
		}
		runFor(t, k, 24*time.Hour)
		if c.balance < 10_000_000 || len(c.acts) == 0 || len(c.acts) > maxActs {
			t.Errorf("%d lamports are left after %d cranks", c.balance, len(c.acts))
		}
	})
}

// TestAttackFarDeadlines: a time that no sum can hold is not over.
func TestAttackFarDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const never = 1<<63 - 1
		c := newChain(t)
		k := c.crank(DefaultConfig())
		c.add(onchain.Address{4}, 0, program.Task{Status: program.Created, ClaimBy: never})
		c.add(onchain.Address{4}, 1, program.Task{Status: program.Complete, FinishedAt: never - 5})
		runFor(t, k, 24*time.Hour)
		if len(c.acts) > 0 || c.reads > 1 { // of the Roster
			t.Errorf("%v, %d reads", c.acts, c.reads)
		}
	})
}

// TestLife: a task is expired after the parties' time, and closed when its readers had theirs.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		k := c.crank(DefaultConfig())
		task := c.add(onchain.Address{5}, 0, program.Task{Status: program.Created, ClaimBy: genesis + 3600})
		k.Hear(&program.TaskMoved{Task: task, To: program.Created, At: genesis})
		runFor(t, k, time.Hour+9*time.Minute)
		if len(c.acts) > 0 {
			t.Error("the parties had no time")
		}
		runFor(t, k, 2*time.Minute)
		if len(c.acts) != 1 {
			t.Fatalf("%v", c.acts)
		}
		k.Hear(&program.TaskMoved{Task: task, To: program.Complete, At: c.now()})
		runFor(t, k, 24*time.Hour)
		if len(c.acts) != 1 {
			t.Error("it was closed before its readers had their time")
		}
		runFor(t, k, 11*time.Minute)
		if len(c.acts) != 2 || c.accounts[task] != nil {
			t.Errorf("%v", c.acts)
		}
	})
}

// TestCase: a case is closed when its evidence time is over, which the case itself says.
func TestCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		cfg.Keep = time.Hour
		k := c.crank(cfg)
		task := c.p.Task(onchain.Address{5}, 0)
		dispute := program.Case{Status: voting.Decided, Round: 1, Verdict: voting.ForWorker, Task: task, Payer: c.self.Address(), SettledAt: genesis}
		params := program.DefaultParams()
		params.EvidenceSeconds = 7200
		dispute.Rules = params.Rules(params.FeeMin)
		c.accounts[c.p.Case(task)] = &ledger.Account{Address: c.p.Case(task), Owner: c.p.ID(), Lamports: 1, Data: dispute.Encode()}
		k.Hear(&program.TaskMoved{Task: task, From: program.Judiciary, To: program.Complete, At: genesis})
		runFor(t, k, 2*time.Hour)
		if len(c.acts) > 0 {
			t.Fatal("closed before the evidence time was over")
		}
		runFor(t, k, 11*time.Minute)
		if !slices.Equal(c.acts, []onchain.Address{c.p.Case(task)}) {
			t.Errorf("%v, %+v", c.acts, k.Standing())
		}
	})
}

// TestTurns: a node whose turn is later finds the work done and pays nothing. If it is undone, the
// node does it in its turn.
func TestTurns(t *testing.T) {
	for _, dead := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c, cfg := newChain(t), DefaultConfig()
			task := c.add(onchain.Address{5}, 0, silent(genesis, 1))
			self, other := voting.Key(c.self.Address()), voting.Key{1}
			k := c.crank(cfg)
			for k.wait([]voting.Key{self, other}, task, genesis) == 0 {
				other[1]++
			}
			k.d.Judges = func() []voting.Key { return []voting.Key{self, other} }
			k.Hear(&program.TaskMoved{Task: task, To: program.Verification, Deadline: genesis})
			runFor(t, k, cfg.Delay+cfg.Step-cfg.Interval)
			if len(c.acts) > 0 {
				t.Fatal("it is the other's turn")
			}
			if !dead {
				delete(c.accounts, task)
			}
			runFor(t, k, cfg.Step)
			if done := len(c.acts) == 1; done != dead || c.balance != onchain.LamportsPerSOL-uint64(len(c.acts))*fee || k.Standing().Waiting != 0 {
				t.Errorf("the other is dead: %v; %v, %+v", dead, c.acts, k.Standing())
			}
		})
	}
}

// TestTrouble: what fails is tried again a few times and is then left to others.
func TestTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		cfg.Budget, cfg.ListInterval, c.refuse = onchain.LamportsPerSOL, 0, errors.New("no")
		k := c.crank(cfg)
		task := c.add(onchain.Address{5}, 0, silent(genesis, 1))
		k.Hear(&program.TaskMoved{Task: task, To: program.Verification, Deadline: genesis})
		runFor(t, k, time.Hour)
		if s := k.Standing(); s.Done != 0 || s.Waiting != 0 || s.Error == "" || c.reads != 1+2*maxTries { // the first is of the Roster
			t.Errorf("%+v after %d reads", s, c.reads)
		}
	})
}

// TestOff: with budget 0 a node reads, lists and remembers nothing.
func TestOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cfg := newChain(t), DefaultConfig()
		cfg.Budget = 0
		k := c.crank(cfg)
		task := c.add(onchain.Address{5}, 0, silent(genesis, 1))
		k.Hear(&program.TaskMoved{Task: task, To: program.Verification, Deadline: genesis})
		runFor(t, k, 24*time.Hour)
		if c.reads+c.lists+len(c.acts)+k.Standing().Waiting > 0 {
			t.Errorf("%d reads, %d lists, %v, %+v", c.reads, c.lists, c.acts, k.Standing())
		}
	})
}

// TestConfig: settings outside their ranges are refused by name.
func TestConfig(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"": func(*Config) {},
		"crank: budget is 9999; set it to 0, or to at least max_fee (10000)": func(c *Config) { c.Budget = 9_999 },
		"crank: list_interval is 30s; set it to 0, or to at least 1m":        func(c *Config) { c.ListInterval = 30 * time.Second },
		"crank: step is 0s; set it to 1s to 1h":                              func(c *Config) { c.Step = 0 },
	} {
		c := DefaultConfig()
		change(&c)
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAttackMemoryFullOfOpenTasks: a spammer posts 4,096 tasks of the least reward that anybody may
// claim for a year, and can cancel them. They filled the memory of every node: nothing small was
// cranked any more, and no budget was spent.
func TestAttackMemoryFullOfOpenTasks(t *testing.T) {
	longtest.Only(t)
	for _, spam := range []uint64{0, maxMarks} {
		synctest.Test(t, func(t *testing.T) {
			c := newChain(t)
			k := c.crank(DefaultConfig())
			for n := range spam {
				address := c.add(onchain.Address{4}, n, program.Task{Status: program.Created, ClaimBy: genesis + 365*day, Escrow: 1_000_000})
				k.Hear(&program.TaskMoved{Task: address, To: program.Created, At: genesis, Amount: 1_000_000})
			}
			runFor(t, k, 13*time.Hour)
			unpaid := c.add(onchain.Address{5}, 0, silent(c.now()+60, 1_000_000)) // a worker waits for its pay
			k.Hear(&program.TaskMoved{Task: unpaid, From: program.InProgress, To: program.Verification, Deadline: c.now() + 60, Amount: 1_000_000})
			ended := c.add(onchain.Address{6}, 0, program.Task{Status: program.Complete, FinishedAt: c.now()})
			k.Hear(&program.TaskMoved{Task: ended, From: program.Verification, To: program.Complete, At: c.now()})
			runFor(t, k, 10*24*time.Hour)
			if !slices.Contains(c.acts, unpaid) || !slices.Contains(c.acts, ended) {
				t.Errorf("beside %d open tasks of a spammer, %d cranks in 10 days: the small pay %t, the rent of an ended task %t",
					spam, len(c.acts), slices.Contains(c.acts, unpaid), slices.Contains(c.acts, ended))
			}
		})
	}
}

// TestAppealByOffset: a list shows of a case until when it may be appealed.
func TestAppealByOffset(t *testing.T) {
	raw := (&program.Case{Status: voting.Appealable, Round: 1, AppealBy: genesis + 7, Rules: voting.Rules{MaxRounds: 2, PanelSeats: 7}}).Encode()
	if m, ok := foundAppealable(nil, raw[caseAppealBy:caseAppealBy+8]); !ok || m.at != genesis+7 {
		t.Errorf("%+v, %t", m, ok)
	}
}
