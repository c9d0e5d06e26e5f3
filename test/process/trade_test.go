package process

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ojud/test/longtest"
)

// shownAgent has what "agent show" says.
type shownAgent struct {
	Vault   uint64 `json:"vault,string"`
	Created uint64 `json:"tasks_created"`
	Claimed uint32 `json:"tasks_claimed"`
	Paid    uint32 `json:"tasks_paid"`
	Missed  uint32 `json:"tasks_missed"`
}

// TestTraders kills a creator and a worker that trade by themselves with -9, again and again. Three
// orders, of which two have one document, are posted, claimed and paid once each.
func TestTraders(t *testing.T) {
	longtest.Only(t)
	if testing.Short() {
		t.Log("NOT RUN: -short, no agents were killed")
		return
	}
	t.Parallel()
	w := newProcesses(t)
	w.startChain()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const reward, deposit, orders = 100_000_000, 5_000_000_000, 3

	median, err := filepath.Abs("../../examples/median")
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	task, err := os.ReadFile(filepath.Join(median, "median.task.json"))
	if err != nil {
		t.Fatal(err)
	}
	creator, worker := filepath.Join(w.dir, "poster"), filepath.Join(w.dir, "doer")
	for _, name := range []string{"a.json", "b.json"} {
		write(filepath.Join(creator, "orders", name), string(task))
	}
	write(filepath.Join(creator, "orders", "c.json"), `{"instruction":["Write a function median in JavaScript, please."],"output_schema":{"code":"string"},`+
		`"expected":[{"path":"/code","settles":[0],"tests":{"javascript":[{"function":"median","args":[[3,1,2]],"returns":2}]}}]}`)
	write(filepath.Join(creator, "post.toml"), "queue = \"orders\"\nreward = \"0.1sol\"\nat_once = 2\nends = true\npoll = \"200ms\"\n[budget]\nloss = \"1sol\"\n")
	write(filepath.Join(worker, "work.toml"), "at_once = 2\npoll = \"200ms\"\n[[skill]]\nname = \"median\"\nwords = [\"median\"]\ncommand = [\"cat\", \""+filepath.Join(median, "good.result.json")+"\"]\n")
	for _, home := range []string{creator, worker} {
		w.must("agent", "register", "--create-key", "--airdrop", "--deposit", "5sol", "--key", filepath.Join(home, "authority.json"))
	}
	start := func(name, verb string) *exec.Cmd {
		return w.process(name, "agent", verb, "--home", filepath.Join(w.dir, name), "--network", w.url)
	}
	posting, working := start("poster", "post"), start("doer", "work")
	ended := func() bool {
		var a shownAgent
		w.show(&a, "agent", "show", "--key", filepath.Join(worker, "authority.json"))
		return a.Paid == orders
	}
	for range 4 {
		<-time.After(200*time.Millisecond + time.Duration(random.Int64N(int64(2500*time.Millisecond))))
		w.kill(posting)
		posting = start("poster", "post")
		<-time.After(time.Duration(random.Int64N(int64(1500 * time.Millisecond))))
		w.kill(working)
		working = start("doer", "work")
	}
	w.until("all orders are paid", ended)
	w.kill(working)
	if err := posting.Wait(); err != nil {
		t.Errorf("the creator ends when its queue is done: %v", err)
	}
	var paid, got shownAgent
	w.show(&paid, "agent", "show", "--key", filepath.Join(creator, "authority.json"))
	w.show(&got, "agent", "show", "--key", filepath.Join(worker, "authority.json"))
	const fees = orders * reward / 200 // half a percent
	if paid.Created != orders || paid.Vault != deposit-orders*reward || got.Claimed != orders || got.Paid != orders || got.Missed != 0 || got.Vault != deposit+orders*reward-fees {
		t.Errorf("creator %+v, worker %+v", paid, got)
	}
}
