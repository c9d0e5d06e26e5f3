package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// TestAppeal types `case appeal` and `case waive` in a court of ten nodes: who may, what it takes,
// and that nothing is sent without --yes. Seven judges that did not sit hear one case again; the
// loser of the other one gives its appeal up.
func TestAppeal(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(10).Fast()
	cfg.Params.MinSeats, cfg.Params.PanelSeats, cfg.Params.AppealSeconds = 3, 3, 3_600
	cfg.Params.CooldownSeconds = uint32(cfg.Params.LeastCooldown())
	c := startCourt(t, cfg)
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}}
	k := &keeper{person: p}
	dir := t.TempDir()
	creator, worker, stranger := filepath.Join(dir, "creator.json"), filepath.Join(dir, "worker.json"), mustKey(t)
	for _, key := range []string{creator, worker} {
		p.json("agent", "register", "--create-key", "--airdrop", "--deposit", "5sol", "--key", key)
	}
	p.json("airdrop", "1sol", "--key", stranger)
	example := func(name string) string { return "../../examples/eleptiger/" + name + ".json" }
	dispute := func(reward string) string {
		task := p.json("task", "create", example("eleptiger.task"), "--reward", reward, "--key", creator)[0]["task"].(map[string]any)["task"].(string)
		p.json("task", "claim", task, "--start", "--yes", "--key", worker)
		misfit := filepath.Join(dir, "misfit.json")
		write(t, misfit, `{"painting":"x"}`)
		p.json("task", "submit", task, misfit, "--anyway", "--key", worker)
		p.json("task", "object", task, "--reason", "The result does not match the schema.", "--key", creator)
		p.json("task", "counter-object", task, "--file", example("counter"), "--key", worker)
		return task
	}
	appealable := func(task string) {
		p2ptest.Eventually(t, 4*time.Minute, "a first verdict", func() bool { return p.json("case", "show", task)[0]["status"] == "appealable" })
	}
	first, second := dispute("0.5sol"), dispute("0.4sol")
	appealable(first)
	appealable(second)

	loser := "only the party that the verdict is against may do this, that is " + addressOf(t, worker)
	for _, key := range []string{creator, stranger} {
		for _, command := range [][]string{{"appeal", first, "--yes"}, {"appeal", first}, {"waive", first}} {
			k.refused(loser, append(append([]string{"case"}, command...), "--key", key)...)
		}
	}
	code, out, errs := lineIn(t.Context(), p.environ, "case", "appeal", first, "--key", worker)
	for _, want := range []string{"0.028 SOL", "7 that did not sit"} {
		if code != cli.ExitFailed || !strings.Contains(unwrapped(out), want) || !strings.Contains(errs, "nothing was sent; add --yes to appeal") {
			t.Errorf("without --yes: %d %q %q, wanted %q", code, out, errs, want)
		}
	}
	if v := p.json("case", "show", first)[0]; v["status"] != "appealable" || v["level"] != 1.0 {
		t.Errorf("something was sent: %v", v)
	}
	done := p.json("case", "appeal", first, "--yes", "--key", worker)[0]
	if v := done["appeal"].(map[string]any); done["result"] != "landed" || v["seats"] != 7.0 || v["loser"] != addressOf(t, worker) {
		t.Errorf("%v", done)
	}
	k.refused("it was appealed already", "case", "appeal", first, "--yes", "--key", worker)
	k.refused("it was appealed already", "case", "waive", first, "--key", worker)

	if done := p.json("case", "waive", second, "--key", worker)[0]; done["result"] != "landed" || done["task"].(map[string]any)["outcome"] != "refunded" {
		t.Errorf("%v", done)
	}
	if v := p.json("case", "show", second)[0]; v["over"] != true || v["level"] != 1.0 {
		t.Errorf("%v", v)
	}
	k.refused("the verdict is final", "case", "appeal", second, "--yes", "--key", worker)

	watched := p.json("case", "watch", first)
	if last := watched[len(watched)-1]; last["kind"] != "decided" {
		t.Errorf("the last line: %v", last)
	}
	if v := p.json("case", "show", first)[0]; v["over"] != true || v["level"] != 2.0 || v["first_verdict"] != v["verdict"] || len(v["first"].([]any)) != 3 || len(v["seats"].([]any)) != 7 {
		t.Errorf("%v", v)
	}
}
