package main

import (
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestListedCourt types the commands of a listed court's authority, and of a judge that wants in.
func TestListedCourt(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS, cfg.Listed = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", true
	cfg.Params.MinSeats, cfg.Params.SeasonSeconds, cfg.Params.CooldownSeconds = 1, 3_600, 7_200
	c, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	rpc, home := c.Chain().RPC(), filepath.Join(t.TempDir(), "home")
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + rpc, "OJUD_HOME=" + home}, shapes: map[string]any{}}
	key := filepath.Join(cfg.Dir, "keys", "deployer.json")
	judge := p.json("init", "--network", rpc)[0]["judge"].(string)
	fails := func(says string, args ...string) {
		t.Helper()
		code, out, errs := lineIn(t.Context(), p.environ, args...)
		if code == cli.ExitOK || !strings.Contains(unwrapped(out+errs), says) {
			t.Errorf("%v: exit %d, %s%s", args, code, out, errs)
		}
	}
	join := []string{"join", rpc, "--no-run", "--listen", "/ip4/127.0.0.1/tcp/0"}
	fails("this court is listed, and "+judge+" is not admitted", join...)
	fails("ojud court admit "+judge, join...)
	fails("admission: this court is listed, and its authority has not admitted this judge", "doctor")
	p.text("nobody is admitted", "court", "admissions")
	fails("is not an address", "court", "admit", "nonsense", "--key", key)
	fails("only the court's authority", "court", "admit", judge)
	p.text("listed: its authority admits who may join", "court", "admit", judge, "--key", key)
	if all := p.json("court", "admissions"); len(all) != 1 || all[0]["judge"] != judge || all[0]["judges"] != false {
		t.Errorf("%v", all)
	}
	if code, out, errs := lineIn(t.Context(), p.environ, join...); code != cli.ExitOK {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	p.text("never: no judge has a weight yet", "court", "season")
	p.text("1.25 SOL, of 1 judge", "court", "season", "begin", "--key", key)
	p.text("1.25 SOL in this season; the next season begins in", "judge", "status")
	fails("not possible: the next season begins in", "court", "season", "begin", "--key", key)
	p.text("listed: its authority admits who may join", "judge", "status")
	p.text("yes", "court", "admissions")
	p.text("done", "court", "revoke", judge, "--key", key)
	fails("--yes", "court", "open", "--key", key)
	p.text("open: anyone may join", "court", "open", "--yes", "--key", key)
	p.text("open: anyone may join", "judge", "status")
	fails("this court is open", "court", "admit", judge, "--key", key)
}
