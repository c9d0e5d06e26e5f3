package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestCourtJudges: a file of judges becomes homes, and their stakes come from the faucet or from a
// payer. Again nothing happens. A payer with too little pays nobody.
func TestCourtJudges(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	c := startCourt(t, cfg)
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}}
	dir, payer := t.TempDir(), mustKey(t)
	file, homes := filepath.Join(dir, "panel.toml"), filepath.Join(dir, "judges")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(more ...string) map[string]any {
		t.Helper()
		return p.json(append([]string{"court", "judges", file, "--homes", homes}, more...)...)[0]
	}
	state := func(made map[string]any, i int) any { return made["judges"].([]any)[i].(map[string]any)["state"] }
	refused := func(want string, more ...string) {
		t.Helper()
		code, _, errs := lineIn(t.Context(), p.environ, append([]string{"court", "judges", file, "--homes", homes}, more...)...)
		if code == cli.ExitOK || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d: %s", more, code, errs)
		}
	}
	const two = "stake = \"2sol\"\n[[judges]]\nname = \"ann\"\n[[judges]]\nname = \"bob\"\npersona = \"tracer\"\n"
	write(two)
	refused("without --register", "--payer", payer)
	if made := run(); state(made, 0) != nil || made["judges"].([]any)[0].(map[string]any)["created"] != true {
		t.Errorf("%v", made)
	}
	if made := run("--register"); state(made, 0) != "joined" || state(made, 1) != "joined" {
		t.Errorf("%v", made)
	}
	write(two + "[[judges]]\nname = \"cid\"\nstake = \"1lamports\"\n")
	refused("cid.stake", "--register")
	write(two + "[[judges]]\nname = \"cid\"\nstake = \"3sol\"\n")
	refused("nothing was paid", "--register", "--payer", payer)
	p.json("airdrop", "3.2sol", "--key", payer)
	if made := run("--register", "--payer", payer); state(made, 1) != "is on the roster" || state(made, 2) != "joined" {
		t.Errorf("%v", made)
	}
	if judges := p.json("judge", "list"); len(judges) != 3 {
		t.Errorf("judges: %v", judges)
	}

	// A network.json that somebody without a power signed, a payer that has agents here, and an
	// owner whose other judges declare somebody else: nothing is paid, and the error says why.
	write(two + "[[judges]]\nname = \"dan\"\nstake = \"2sol\"\n")
	network, signer := signedNetwork(t, c.Chain().RPC())
	signed := func(want string, more ...string) {
		t.Helper()
		refused(want, append([]string{"--register", "--network", network, "--homes", t.TempDir()}, more...)...)
	}
	signed("has no power over the court")
	signed("and not by "+addressOf(t, payer), "--signed-by", addressOf(t, payer))
	refused("nobody signed network.json", "--register", "--signed-by", signer)
	agent := mustKey(t)
	p.json("airdrop", "9sol", "--key", agent)
	p.json("agent", "register", "--deposit", "1sol", "--key", agent)
	refused("is an agent of this court", "--register", "--payer", agent)
	home := filepath.Join(t.TempDir(), "eve")
	p.json("init", "--network", network, "--home", home)
	for want, more := range map[string][]string{
		"has no power over the court": nil, "is an agent of this court": {"--signed-by", signer, "--withdraw-key", addressOf(t, agent)},
		"and not by": {"--signed-by", addressOf(t, agent)},
	} {
		if code, _, errs := lineIn(t.Context(), p.environ, append([]string{"judge", "register", "--home", home, "--network", network}, more...)...); code == cli.ExitOK || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d: %s", more, code, errs)
		}
	}
	if judges := p.json("judge", "list"); len(judges) != 3 {
		t.Errorf("a judge staked that should not: %v", judges)
	}
	// With the operator named, all is paid, and the roster says who runs it.
	if err := os.RemoveAll(homes); err != nil {
		t.Fatal(err)
	}
	write("stake = \"2sol\"\n[[judges]]\nname = \"dan\"\n")
	if made := run("--register", "--payer", agent, "--operator", agent); state(made, 0) != "joined" {
		t.Errorf("%v", made)
	}
	// Another judge of the same home folder that does not declare it.
	write("stake = \"2sol\"\n[[judges]]\nname = \"dan\"\n[[judges]]\nname = \"fay\"\n")
	refused("all judges of one operator have to declare it", "--register", "--payer", payer)
}
