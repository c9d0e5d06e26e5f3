package batches_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/golden"
	"ojud/golden/proctor"
	"ojud/ledger/onchain"
	"ojud/node/assay"
	"ojud/node/batches"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/test/longtest"
	"ojud/voting"
)

// scripted judges challenges as every judge does, by code, and all else by a script. A dispute that
// the script does not know is accepted.
type scripted struct{ script, code judge.Judge }

func (s scripted) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	if _, asks := golden.Asked(b.Task.Raw); asks {
		return s.code.Evaluate(ctx, b)
	}
	o, err := s.script.Evaluate(ctx, b)
	if voting.Choice(o.Choice) == voting.Abstain {
		o.Choice = casefile.Choice(voting.Accept)
	}
	return o, err
}

// TestAttackLyingProctor: a proctor commits to false answers, so that judges that were right would
// pay those that were wrong. In a court of whole nodes anybody sees the lie on the chain, and two
// agents end the batch: nothing is applied, and the proctor loses its deposit.
func TestAttackLyingProctor(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	measure := assay.DefaultMeasure(3)
	measure.Share, measure.Leaves, measure.AtOnce = 5_000, 2, 4
	bench, err := assay.NewBench(measure, 3)
	if err != nil {
		t.Fatal(err)
	}
	code := judge.NewCode(judge.DefaultConfig().Limits)
	cfg := cluster.DefaultConfig().Sized(3).Fast().Golden(5_000)
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	court, err := cluster.Start(t.Context(), cfg, cluster.Deps{Judge: func(n int) judge.Judge { return scripted{bench.Judge(n), code} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := court.Stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := bench.Run(t.Context(), court, cfg.Dir, t.Logf); err != nil {
		t.Fatal(err)
	}
	network, err := client.LoadNetwork(t.Context(), court.Chain().RPC(), nil)
	if err != nil {
		t.Fatal(err)
	}
	person := func(name string) *client.Client {
		key, err := client.LoadKey(filepath.Join(cfg.Dir, "keys", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.Open(t.Context(), network, key, client.DefaultConfig(), client.Deps{Transport: court.Chain().Server().Transport()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		return c
	}
	liar, creator, worker := person("proctor"), person("creator-1"), person("worker-1")
	posted := address(t, creator)
	account, err := creator.Agent(t.Context(), posted)
	if err != nil {
		t.Fatal(err)
	}
	plan := proctor.DefaultPlan()
	plan.Leaves, plan.Seed = 2, [32]byte{7, 8, 9}
	plan.Place = func(leaf int) proctor.Location {
		number := account.TasksCreated + uint64(leaf)
		return proctor.Location{Creator: voting.Key(posted), Number: number, Task: voting.Key(client.OfficeOf(liar).Program().Task(posted, number))}
	}
	made, err := proctor.Make(plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "batch")
	if err := made.Save(dir); err != nil {
		t.Fatal(err)
	}
	life, err := batches.Load(dir, liar)
	if err != nil {
		t.Fatal(err)
	}
	if err := life.Lie(); err != nil {
		t.Fatal(err)
	}
	committed, err := life.Commit(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	first := onchain.Address(life.Task(0))
	if _, err := batches.Check(t.Context(), worker, first); err == nil {
		t.Error("the answer of a case that does not exist is known")
	}
	for { // until both cases are over
		if _, err := life.Post(t.Context(), batches.Posting{Creators: []*client.Client{creator}, Workers: []*client.Client{worker}, Span: 3e9}); err != nil {
			t.Fatal(err)
		}
		if _, err := life.Open(t.Context(), false); err == nil {
			break
		} else if !strings.Contains(err.Error(), "too early") {
			t.Fatal(err)
		}
	}

	accuser, witness := person("buyer-1"), person("seller-1")
	found, err := batches.Check(t.Context(), accuser, first)
	if err != nil || found.True || !found.Open || found.Left == 0 || !strings.Contains(found.Why, "but") {
		t.Fatalf("%v: true %v, challengeable %v, %d s left: %s", err, found.True, found.Open, found.Left, found.Why)
	}
	if text := verified(t, court, first); !strings.Contains(text, "committed to an answer that is FALSE") {
		t.Errorf("the file does not tell of the lie: %s", text)
	}
	before, err := witness.Agent(t.Context(), address(t, witness))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	challenge := batches.Challenge{Creator: accuser, Worker: witness, Tell: func(step, _ string) { steps = append(steps, step) }}
	done, err := challenge.Run(t.Context(), first)
	if err != nil {
		t.Fatalf("after %v: %v", steps, err)
	}
	after, err := witness.Agent(t.Context(), address(t, witness))
	if err != nil {
		t.Fatal(err)
	}
	deposit := committed.State.Deposit
	t.Logf("%v; the liar loses %s, and the witness earns %s", steps, deposit, after.Vault-before.Vault)
	if done.Earned != deposit/10 || after.Vault < before.Vault+deposit/10 || done.Verdict != "accept" {
		t.Errorf("%+v", done)
	}
	if _, err := challenge.Run(t.Context(), first); err == nil || !strings.Contains(err.Error(), "is over") {
		t.Errorf("a second challenge: %v", err)
	}
	if _, err := life.Apply(t.Context()); err == nil {
		t.Error("the batch was applied")
	}
	for _, leaf := range []int{0, 1} {
		v, err := accuser.Case(t.Context(), onchain.Address(life.Task(leaf)))
		if err != nil || v.Golden.Applied {
			t.Errorf("%+v, %v", v.Golden, err)
		}
	}
	honest, err := batches.Load(filepath.Join(cfg.Dir, "batches", "0001"), liar)
	if err != nil {
		t.Fatal(err)
	}
	for leaf := range measure.Leaves {
		if text := verified(t, court, onchain.Address(honest.Task(leaf))); !strings.Contains(text, "the right ones earned") {
			t.Errorf("the file of an honest golden case does not say what its answer moved: %s", text)
		}
	}
}

// verified exports a case from a judge's node, and returns what its verification says.
func verified(t *testing.T, court *cluster.Cluster, task onchain.Address) string {
	t.Helper()
	file, _, err := court.Members()[0].Node().Export(t.Context(), voting.Key(task))
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if c := r.Check(verify.CheckLeaf); c.State == verify.Failed {
		t.Errorf("%+v", c)
	}
	return r.String()
}

func address(t *testing.T, c *client.Client) onchain.Address {
	t.Helper()
	a, err := onchain.ParseAddress(c.Me())
	if err != nil {
		t.Fatal(err)
	}
	return a
}
