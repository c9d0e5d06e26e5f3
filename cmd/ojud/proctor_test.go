package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/program"
	"ojud/node/assay"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestProctors types the commands of keyholder and proctor on the embedded chain: who may be one,
// and every reason for which a batch is not committed. Package node/assay brings batches through
// whole courts.
func TestProctors(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast().Golden(5_000)
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	k := &keeper{
		person:  &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}},
		founder: filepath.Join(cfg.Dir, "keys", "deployer.json"), next: mustKey(t), stranger: mustKey(t),
	}
	proctor, creator := addressOf(t, k.next), addressOf(t, k.stranger)
	for _, key := range []string{k.next, k.stranger} {
		k.json("airdrop", "5sol", "--key", key)
	}
	dir := filepath.Join(t.TempDir(), "batch")
	k.json("court", "proctor", "make", dir, "--creator", creator, "--leaves", "2", "--seed", "test", "--rewards", "0.01sol-0.02sol:1")
	if s := k.json("court", "proctor", "show", dir)[0]; s["phase"] != "made" || s["allowance"].(float64) != 0 || len(s["leaves"].([]any)) != 2 {
		t.Errorf("%v", s)
	}
	k.text("not committed yet", "court", "proctor", "show", dir)
	k.refused("is no proctor of this court; ask its authority", "court", "proctor", "commit", dir, "--key", k.next)

	if u := k.json("court", "proctor", "admit", proctor, "--print")[0]; u["signer"] != addressOf(t, k.founder) {
		t.Errorf("%v", u)
	}
	if all := k.json("court", "proctor", "list"); len(all) != 0 {
		t.Errorf("--print admitted %v", all)
	}
	k.refused("only the key", "court", "proctor", "admit", proctor, "--yes", "--key", k.stranger)
	for range 2 {
		k.json("court", "proctor", "admit", proctor, "--yes", "--key", k.founder)
	}
	if all := k.json("court", "proctor", "list"); len(all) != 1 || all[0]["proctor"] != proctor {
		t.Errorf("%v", all)
	}

	k.refused("takes 0 leaves now, and the batch has 2", "court", "proctor", "commit", dir, "--key", k.next)
	k.refused("the batch is not committed; run first: ojud court proctor commit", "court", "proctor", "open", dir, "--key", k.next)
	k.refused("the batch is not committed; run first", "court", "proctor", "close", dir, "--key", k.next)
	k.refused("nobody has the key of the creator", "court", "proctor", "post", dir, "--creator-key", k.next, "--worker-key", k.stranger)
	k.refused("creator and worker", "court", "proctor", "post", dir, "--creator-key", k.stranger, "--worker-key", k.stranger)
	k.refused("there is no worker", "court", "proctor", "post", dir, "--creator-key", k.stranger)
	k.refused("is not committed, or it is over", "court", "proctor", "post", dir, "--creator-key", k.stranger, "--worker-key", k.next)
	for _, what := range []string{"seed", "answer"} {
		if code, out, _ := lineIn(t.Context(), k.environ, "court", "proctor", "show", dir, "--json"); code != 0 || strings.Contains(out, `"`+what+`"`) {
			t.Errorf("show tells a %s: %s", what, out)
		}
	}

	k.json("court", "proctor", "revoke", proctor, "--yes", "--key", k.founder)
	k.refused("is no proctor of this court", "court", "proctor", "revoke", proctor, "--yes", "--key", k.founder)
	if all := k.json("court", "proctor", "list"); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// TestProctorLife types every command of a batch's life in a court of nodes, after a measurement
// whose cases allow another batch.
func TestProctorLife(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	measure := assay.DefaultMeasure(3)
	measure.Share, measure.Leaves, measure.AtOnce = 5_000, 2, 4
	bench, err := assay.NewBench(measure, 3)
	if err != nil {
		t.Fatal(err)
	}
	cfg := cluster.DefaultConfig().Sized(3).Fast().Golden(5_000)
	cfg.Params.Credential = program.CredentialApart
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0"
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{Judge: bench.Judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := bench.Run(t.Context(), c, cfg.Dir, t.Logf); err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}}
	proctor, creator, worker := filepath.Join(cfg.Dir, "keys", "proctor.json"), mustKey(t), mustKey(t)
	for _, key := range []string{creator, worker} {
		p.json("airdrop", "10sol", "--key", key)
		p.json("agent", "register", "--deposit", "8sol", "--key", key)
	}
	dir := filepath.Join(t.TempDir(), "batch")
	batch := func(command string, more ...string) map[string]any {
		all := p.json(append([]string{"court", "proctor", command, dir}, more...)...)
		return all[len(all)-1]
	}
	batch("make", "--creator", addressOf(t, creator), "--leaves", "2", "--rewards", "0.01sol-0.02sol:1")
	for want := range []string{"landed", "already_done"} {
		if d := batch("commit", "--key", proctor); d["result"] != []string{"landed", "already_done"}[want] {
			t.Fatalf("%v", d)
		}
	}
	if d := batch("post", "--creator-key", creator, "--worker-key", worker, "--within", "3s", "--key", proctor); d["phase"] != "committed" {
		t.Errorf("%v", d)
	}
	if d := batch("open", "--wait", "--key", proctor); len(d["leaves"].([]any)) != 2 || d["state"].(map[string]any)["phase"] != "open" {
		t.Errorf("%v", d)
	}
	if d := p.json("court", "proctor", "check", dir)[0]; d["complete"] != true || d["balanced"] != true {
		t.Errorf("%v", d)
	}
	task := batch("show")["leaves"].([]any)[0].(map[string]any)["task"].(string)
	p.text("no seat wins or loses by it yet", "case", "show", task)
	p.text("possible; its leaves may be applied in", "court", "proctor", "check", task)
	if d := p.json("court", "proctor", "check", task)[0]; d["true"] != true || d["challengeable"] != true {
		t.Errorf("%v", d)
	}
	keys := []string{"--creator-key", creator, "--worker-key", worker}
	(&keeper{person: p}).refused("the leaf is true, so a challenge would lose its bonds", append([]string{"court", "proctor", "challenge", task}, keys...)...)
	for want, args := range map[string][]string{
		"are one agent":        {task, "--creator-key", creator, "--worker-key", creator},
		"needs --worker-key":   {task, "--creator-key", creator},
		"is no address of a c": {"42", "--creator-key", creator, "--worker-key", worker},
	} {
		code, _, errs := lineIn(t.Context(), p.environ, append([]string{"court", "proctor", "challenge"}, args...)...)
		if code != cli.ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
	(&keeper{person: p}).refused("there is no case", append([]string{"court", "proctor", "challenge", addressOf(t, proctor)}, keys...)...)
	if err := c.Chain().Server().Warp(time.Hour); err != nil {
		t.Fatal(err)
	}
	judge := p.json("judge", "list")[0]["judge"].(string)
	seen := func() (cases, running float64) {
		t.Helper()
		s := p.json("judge", "qualify", judge)[0]
		if s["phase"] != "novice" || s["rule"].(float64) != program.CredentialApart {
			t.Errorf("%v", s)
		}
		if s["missing"].(float64) < 1 {
			t.Errorf("a novice of few cases misses %v", s["missing"])
		}
		return s["golden"].(map[string]any)["seen"].(float64), s["court"].(map[string]any)["running"].(float64)
	}
	p.text("2 golden ones under way", "judge", "qualify", judge)
	before, running := seen()
	if running != 2 {
		t.Errorf("%v golden cases are under way", running)
	}
	batch("apply", "--wait", "--key", proctor)
	if after, running := seen(); after != before+2 || running != 0 {
		t.Errorf("%v were seen after %v; %v under way", after, before, running)
	}
	p.text("the money of the seats has been moved by it", "case", "show", task)
	p.text("too late: the batch is over, or a leaf of it was applied", "court", "proctor", "check", task)
	p.text("everything is applied", "court", "proctor", "show", dir)
	batch("close", "--key", proctor)
	p.text("closed", "court", "proctor", "show", dir)
}
