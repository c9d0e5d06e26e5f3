package client

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/library"
	"ojud/p2p/p2ptest"
)

// refused checks that an action is refused before a fee is paid, and that the error says why.
func refused[T any](t *testing.T, is error, words ...string) func(T, error) {
	return func(_ T, err error) {
		t.Helper()
		if !errors.Is(err, is) {
			t.Errorf("%v is not %v", err, is)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}

// TestTrade tests the ways of a task that need no court.
func TestTrade(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, oneSeat)
		w.judge()
		creator, worker, other := w.agent(20), w.agent(21), w.agent(22)
		ctx, done := t.Context(), ok[TaskDone](t)
		doc, result := load(t, library.TaskFile, example("eleptiger.task")), load(t, library.ResultFile, example("good.result"))
		objection := load(t, library.ObjectionFile, example("untrue.objection"))

		// Objected, reworked, accepted.
		task := key(t, done(creator.CreateTask(ctx, doc, terms(), false)).Task.Task)
		refused[TaskDone](t, errNotNow, "your own task")(creator.Claim(ctx, task, 0, false))
		refused[TaskDone](t, errNotNow, "submit a result", "the task is created", "anyone")(worker.Submit(ctx, task, result))
		done(worker.Claim(ctx, task, 0, false))
		refused[TaskDone](t, errNotNow, "cannot claim", "claimed")(other.Claim(ctx, task, 0, false))
		refused[TaskDone](t, errNotNow, "only the worker", other.Me(), "--key")(other.Submit(ctx, task, result))
		for range 2 {
			if d := done(worker.Start(ctx, task)); d.Task.Status != "in progress" {
				t.Errorf("started: %+v", d)
			}
		}
		if d := done(worker.Submit(ctx, task, result)); d.Task.Status != "verification" || d.Task.Move.Who != "creator" {
			t.Errorf("submitted: %+v", d)
		}
		if d := done(creator.Object(ctx, task, objection)); d.Task.Status != "disputed" || d.Task.Move.Who != "worker" {
			t.Errorf("objected: %+v", d)
		}
		refused[TaskDone](t, errNotNow, "no time is over", "worker")(other.Expire(ctx, task))
		for range 2 {
			if d := done(worker.Rework(ctx, task)); d.Task.Status != "in progress" || d.Task.CreatorBond != 0 || d.Task.Reworks != 1 {
				t.Errorf("reworked: %+v", d)
			}
		}
		done(worker.Submit(ctx, task, result))
		for range 2 {
			if d := done(creator.Accept(ctx, task)); d.Task.Status != "complete" || d.Task.Outcome != "paid" {
				t.Errorf("accepted: %+v", d)
			}
		}
		if a := ok[AgentView](t)(worker.Agent(ctx, onchain.Address{})); a.Vault != 6*sol-sol/200 || a.TasksPaid != 1 {
			t.Errorf("the worker: %+v", a)
		}

		// An auction is claimed in its middle at the price of that moment. The worker misses the
		// deadline, and may not claim the task again.
		auction := Offer{RewardMin: sol, RewardMax: 2 * sol, AuctionSeconds: 1000, WorkSeconds: 60, OnUndecided: "refund"}
		task = key(t, done(creator.CreateTask(ctx, doc, auction, false)).Task.Task)
		w.warp(500 * time.Second)
		d := done(worker.Claim(ctx, task, 0, true))
		if d.Task.Price < sol*14/10 || d.Task.Price > sol*16/10 {
			t.Errorf("the price in the middle: %s", d.Task.Price)
		}
		w.warp(2 * time.Minute)
		refused[TaskDone](t, errNotNow, "is over", "anyone can move: expire it")(worker.Submit(ctx, task, result))
		if d := done(other.Expire(ctx, task)); d.Task.Status != "created" {
			t.Errorf("expired: %+v", d)
		}
		refused[TaskDone](t, errNotNow, "missed the deadline")(worker.Claim(ctx, task, 0, false))
		// The price is open again, and the auction goes on from where it stood at the claim.
		v := ok[TaskView](t)(worker.Task(ctx, task))
		if v.Price < d.Task.Price || v.Price > d.Task.Price+sol/20 || v.Escrow != 2*sol || v.ClaimBond != 0 {
			t.Errorf("after a missed deadline: %+v", v)
		}
		// A pause does not move the price, neither while it lasts nor afterwards.
		pause := func(paused uint8) {
			w.deploy(func(p program.Program) onchain.Instruction {
				return p.Pause(keypair(t, 100).Address(), program.Pause{Paused: paused})
			})
		}
		pause(1)
		w.warp(300 * time.Second)
		if v := ok[[]TaskView](t)(worker.Tasks(ctx, Filter{Live: true})); len(v) != 1 || v[0].Price > d.Task.Price+sol/20 {
			t.Errorf("in a pause: %+v", v)
		}
		pause(0)
		if v := ok[TaskView](t)(worker.Task(ctx, task)); v.Price < d.Task.Price || v.Price > d.Task.Price+sol/20 {
			t.Errorf("after a pause: %+v", v)
		}
		if a := ok[AgentView](t)(creator.Agent(ctx, onchain.Address{})); a.TasksCreated != 2 {
			t.Errorf("the creator: %+v", a)
		}

		// Another worker misread the task and gives it back, with nothing lost.
		if d := done(other.Claim(ctx, task, 0, true)); d.Task.ClaimBond != 2*sol/50 || d.Task.ReleaseBy <= d.Task.Now {
			t.Errorf("claimed: %+v", d)
		}
		for range 2 {
			if d := done(other.Release(ctx, task)); d.Task.Status != "created" || d.Task.ClaimBond != 0 {
				t.Errorf("released: %+v", d)
			}
		}
		if a := ok[AgentView](t)(other.Agent(ctx, onchain.Address{})); a.Vault != 5*sol {
			t.Errorf("who released: %+v", a)
		}
		refused[TaskDone](t, errNotNow, "gave it back")(other.Claim(ctx, task, 0, false))
		done(worker.Claim(ctx, task, 0, true)) // who missed the deadline is not the last worker any more
		w.warp(7 * time.Second)
		refused[TaskDone](t, errNotNow, "the time to release the task for nothing is over", "0.04 SOL")(worker.Release(ctx, task))
		w.warp(2 * time.Minute)
		done(other.Expire(ctx, task))
		for range 2 {
			if d := done(creator.Cancel(ctx, task)); d.Task.Status != "cancelled" || d.Task.Outcome != "refunded" {
				t.Errorf("cancelled: %+v", d)
			}
		}
		refused[TaskDone](t, errNotNow, "over: refunded, the creator cancelled it")(creator.Accept(ctx, task))
	})
}

// oneSeat makes a court that one judge can hold.
func oneSeat(p *program.Params) { p.MinSeats, p.PanelSeats = 1, 1 }

// TestSilence checks that a silent party loses, and that anyone may carry this out.
func TestSilence(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, oneSeat)
		w.judge()
		creator, worker := w.agent(20), w.agent(21)
		ctx, done := t.Context(), ok[TaskDone](t)
		doc, result := load(t, library.TaskFile, example("eleptiger.task")), load(t, library.ResultFile, example("good.result"))
		task := key(t, done(creator.CreateTask(ctx, doc, terms(), false)).Task.Task)
		done(worker.Claim(ctx, task, 0, true))
		done(worker.Submit(ctx, task, result))
		w.warp(9 * time.Hour)
		v := ok[TaskView](t)(worker.Task(ctx, task))
		if v.Move.Who != "anyone" || !strings.Contains(v.Move.What, "the creator was silent") || !strings.HasPrefix(v.Move.Left, "over for 1h") {
			t.Errorf("whose move: %+v", v.Move)
		}
		if d := done(worker.Expire(ctx, task)); d.Task.Resolution != "creator silent" || d.Task.Outcome != "paid" {
			t.Errorf("%+v", d)
		}
	})
}

// TestUnpublished checks the error for a document that no node takes: it says how to continue, and
// the chain's state is returned.
func TestUnpublished(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		creator := w.agent(20)
		doc := load(t, library.TaskFile, example("eleptiger.task"))
		d, err := creator.CreateTask(t.Context(), doc, terms(), false)
		if !errors.Is(err, library.ErrNotPublished) || d.Task.Status != "created" || d.Result != "landed" || !strings.Contains(err.Error(), "bootstrap") {
			t.Errorf("%+v, %v", d, err)
		}
		refused[TaskDone](t, errNotNow, "0 judges and a panel needs 3")(w.agent(21).Claim(t.Context(), key(t, d.Task.Task), 0, false))
	})
}

// TestPoor checks that the error names the missing amount and the command that provides it.
func TestPoor(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		ctx := t.Context()
		doc := load(t, library.TaskFile, example("eleptiger.task"))
		reader := w.client(nil)
		refused[TaskDone](t, errNoKey)(reader.CreateTask(ctx, doc, terms(), false))
		refused[AgentDone](t, errNoKey)(reader.Register(ctx, Profile{}, 0))
		empty := w.client(keypair(t, 30))
		if _, err := empty.Register(ctx, Profile{}, 0); err == nil || !strings.Contains(err.Error(), "ojud airdrop") {
			t.Errorf("registering without lamports: %v", err)
		}
		refused[TaskDone](t, ErrNoAgent, "ojud agent register")(empty.CreateTask(ctx, doc, terms(), false))
		creator := w.agent(31)
		big := terms()
		big.RewardMin, big.RewardMax = 7*sol, 7*sol
		refused[TaskDone](t, errNotNow, "holds 5 SOL", "ojud agent deposit 2sol")(creator.CreateTask(ctx, doc, big, false))
		refused[AgentDone](t, errNotNow, "holds 5 SOL")(creator.Withdraw(ctx, 6*sol))
		if d := ok[AgentDone](t)(creator.Withdraw(ctx, 2*sol)); d.Agent.Vault != 3*sol {
			t.Errorf("%+v", d)
		}
		for range 2 {
			if d := ok[AgentDone](t)(creator.DepositUpTo(ctx, 4*sol)); d.Agent.Vault != 4*sol {
				t.Errorf("%+v", d)
			}
		}
		for i := range 2 { // each call deposits again
			if d := ok[AgentDone](t)(creator.Deposit(ctx, sol/10)); d.Agent.Vault != 4*sol+sol/10*Lamports(1+i) {
				t.Errorf("%+v", d)
			}
		}
		if _, err := creator.Task(ctx, keypair(t, 99).Address()); err == nil || !strings.Contains(err.Error(), "there is no task") {
			t.Errorf("%v", err)
		}
		if _, err := creator.CreateTask(ctx, doc, Offer{RewardMin: 1, RewardMax: 1, WorkSeconds: 1, OnUndecided: "split"}, false); err == nil || !strings.Contains(err.Error(), "at least 0.001sol") {
			t.Errorf("a reward below the court's least: %v", err)
		}
	})
}

// TestRewardAboveTheCover: the error says how much the court takes, or that it takes nothing yet.
func TestRewardAboveTheCover(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, func(p *program.Params) { p.CoverBps = 550 })
		creator, doc, offer := w.agent(50), load(t, library.TaskFile, example("eleptiger.task")), terms()
		const none = "takes no task above 0 SOL, which is 5.5 % of the 0 SOL that its 0 judges weigh; wait until more judges have joined and the next season has begun"
		if _, err := creator.CreateTask(t.Context(), doc, offer, false); err == nil || !strings.HasSuffix(err.Error(), none) {
			t.Errorf("%v", err)
		}
		w.judge()
		w.judge()
		creator = w.agent(51) // knows the judges
		_, err := creator.CreateTask(t.Context(), doc, offer, false)
		const want = "client: terms: the reward is 1 SOL at most, and this court takes no task above 0.22 SOL, which is 5.5 % of the 4 SOL that its 2 judges weigh; offer at most 0.22sol"
		if err == nil || err.Error() != want {
			t.Errorf("%v", err)
		}
		offer.RewardMin, offer.RewardMax = sol*22/100, sol*22/100
		ok[TaskDone](t)(creator.CreateTask(t.Context(), doc, offer, false))
	})
}

// TestJudgeLife checks that a judge joins, adds stake, leaves, and gets everything back.
func TestJudgeLife(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		ctx := t.Context()
		home, _, err := node.Init(t.TempDir(), w.network)
		if err != nil {
			t.Fatal(err)
		}
		judge, rich, cold := w.client(home.Keys.Authority), w.agent(40), w.agent(41)
		done := ok[JudgeDone](t)
		refused[JudgeDone](t, errNotNow, "has 0 SOL", "ojud airdrop 2.01sol")(judge.Join(ctx, home.Keys, Candidacy{Stake: 2 * sol}))
		refused[JudgeDone](t, errNotNow, "too small", "at least 1 SOL")(judge.Join(ctx, home.Keys, Candidacy{Stake: sol / 2}))
		if _, err := judge.Register(ctx, Profile{}, 5*sol); err == nil || !strings.HasSuffix(err.Error(), "has 0 SOL and needs 5.01 SOL; this court has a faucet: ojud airdrop 5.01sol") {
			t.Errorf("registering without funds: %v", err)
		}
		if _, err := rich.Join(ctx, home.Keys, Candidacy{Stake: 2 * sol}); err == nil || !strings.Contains(err.Error(), "authority.json") {
			t.Errorf("joining with another key: %v", err)
		}
		ok[Airdropped](t)(judge.Airdrop(ctx, onchain.Address{}, 3*sol))
		for range 2 {
			if d := done(judge.Join(ctx, home.Keys, Candidacy{Stake: 2 * sol, Operator: rich.key, Withdraw: cold.key.Address()})); d.Judge.Stake != 2*sol || d.Judge.Weight != 0 || d.Judge.NextWeight != 2*sol || d.Judge.Operator != rich.Me() || d.Judge.Withdraw != cold.Me() {
				t.Errorf("joined: %+v", d)
			}
		}
		ok[Airdropped](t)(judge.Airdrop(ctx, onchain.Address{}, 3*sol))
		if d := done(judge.TopUp(ctx, sol)); d.Judge.Stake != 3*sol || d.Judge.NextWeight != 3*sol || d.Judge.State != "active" {
			t.Errorf("topped up: %+v", d)
		}
		if d := done(rich.ClaimReward(ctx, Holding{Judge: judge.key.Address()}, onchain.Address{})); d.Result != "already_done" {
			t.Errorf("claiming nothing: %+v", d)
		}
		mine, ours := Holding{Judge: judge.key.Address()}, Holding{Key: cold.key} // of the one who has the withdraw key; on the node
		refused[JudgeDone](t, errNotNow, "only the withdraw key "+cold.Me(), "--withdraw-keypair")(judge.Exit(ctx, Holding{}))
		refused[JudgeDone](t, errNotNow, "only the withdraw key")(judge.ClaimReward(ctx, Holding{}, rich.key.Address()))
		refused[JudgeDone](t, errNotNow, "only the withdraw key")(judge.ChangeWithdraw(ctx, Holding{}, judge.key.Address()))
		for range 2 {
			if d := done(cold.ChangeWithdraw(ctx, mine, rich.key.Address())); d.Judge.Withdraw != rich.Me() {
				t.Errorf("another withdraw key: %+v", d)
			}
		}
		if d := done(rich.ChangeWithdraw(ctx, mine, cold.key.Address())); d.Judge.Withdraw != cold.Me() {
			t.Errorf("the first withdraw key again: %+v", d)
		}
		refused[Left](t, errNotNow, "ojud judge exit")(judge.WithdrawStake(ctx, ours, onchain.Address{}))
		for range 2 {
			if d := done(cold.Exit(ctx, mine)); d.Judge.State != "exiting" || d.Judge.Live != 0 || !strings.HasPrefix(d.Judge.ExitIn, "in 1d23h") && d.Judge.ExitIn != "in 2d" && !strings.HasPrefix(d.Judge.ExitIn, "in 47h") {
				t.Errorf("leaving: %+v", d)
			}
		}
		refused[Left](t, errNotNow, "the stake may leave in")(judge.WithdrawStake(ctx, ours, onchain.Address{}))
		refused[JudgeDone](t, errNotNow, "is leaving the court", "it may leave in ", "ojud judge withdraw")(judge.Join(ctx, home.Keys, Candidacy{Stake: 2 * sol, Operator: rich.key, Withdraw: cold.key.Address()}))
		w.warp(49 * time.Hour)
		before := ok[Lamports](t)(rich.Balance(ctx, rich.key.Address()))
		left := ok[Left](t)(judge.WithdrawStake(ctx, ours, rich.key.Address()))
		if left.Stake != 3*sol || left.To != rich.Me() || left.Wallet != before+3*sol {
			t.Errorf("left: %+v", left)
		}
		if on, err := judge.OnRoster(ctx, onchain.Address{}); on || err != nil {
			t.Errorf("%v, %v", on, err)
		}
		if _, err := judge.Judge(ctx, onchain.Address{}); err == nil || !strings.Contains(err.Error(), "ojud judge register") {
			t.Errorf("%v", err)
		}
	})
}
