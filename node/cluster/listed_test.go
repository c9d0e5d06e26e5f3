package cluster

import (
	"path/filepath"
	"strings"
	"testing"

	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
	"ojud/test/longtest"
)

// TestListed: a listed court admits its own judges. Another one learns who can admit it, joins when
// that is done, and anyone joins when the court is open. Nothing lists the court again.
func TestListed(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := testConfig(t)
	cfg.Listed = true
	c, err := Start(t.Context(), cfg, Deps{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}()
	ctx := t.Context()
	deployer, err := c.key("deployer")
	if err != nil {
		t.Fatal(err)
	}
	open := func(key *client.Keypair) *client.Client {
		t.Helper()
		settings := client.DefaultConfig()
		settings.Ledger.WS = "off"
		k, err := client.Open(ctx, c.descriptor, key, settings, client.Deps{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
		return k
	}
	court := client.Governor{Client: open(deployer)}
	all, err := court.Admissions(ctx)
	if err != nil || len(all) != cfg.Nodes || !all[0].Judges {
		t.Fatalf("%v, %v", all, err)
	}
	candidate := func(name string) (*client.Client, node.Home) {
		t.Helper()
		home, _, err := node.Init(filepath.Join(t.TempDir(), name), c.descriptor)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.treasury.fund(ctx, home.Keys.Authority.Address(), 5*onchain.LamportsPerSOL); err != nil {
			t.Fatal(err)
		}
		return open(home.Keys.Authority), home
	}
	late, home := candidate("late")
	stranger := client.Governor{Client: late}
	me := home.Keys.Authority.Address()
	join := func(k *client.Client, h node.Home) error {
		_, err := k.Join(ctx, h.Keys, client.Candidacy{Stake: 2_000_000_000})
		return err
	}
	if err := join(late, home); err == nil || !strings.Contains(err.Error(), "listed") ||
		!strings.Contains(err.Error(), "ask its authority "+deployer.Address().String()+" to run: ojud court admit "+me.String()) {
		t.Fatalf("not admitted: %v", err)
	}
	if _, err := stranger.Admit(ctx, me); err == nil || !strings.Contains(err.Error(), "only the court's authority") {
		t.Errorf("a stranger admits: %v", err)
	}
	for what, act := range map[string]func() (client.AdmissionDone, error){
		"a stranger revokes": func() (client.AdmissionDone, error) { return stranger.RevokeAdmission(ctx, me) },
		"a stranger opens":   func() (client.AdmissionDone, error) { return stranger.OpenCourt(ctx) },
	} {
		if _, err := act(); err == nil || !strings.Contains(err.Error(), "only the court's authority") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n, want := range []string{"landed", "already_done"} {
		done, err := court.Admit(ctx, me)
		if err != nil || done.Result != want || done.Court != "listed" {
			t.Fatalf("admit %d: %+v, %v", n, done, err)
		}
	}
	if err := join(late, home); err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"landed", "already_done"} {
		done, err := court.RevokeAdmission(ctx, me)
		if err != nil || done.Result != want {
			t.Fatalf("revoke %d: %+v, %v", n, done, err)
		}
	}
	if err := late.MayJoin(ctx, me); err != nil { // it sits
		t.Error(err)
	}
	last, other := candidate("last")
	for n, want := range []string{"landed", "already_done"} {
		done, err := court.OpenCourt(ctx)
		if err != nil || done.Result != want || done.Court != "open" {
			t.Fatalf("open %d: %+v, %v", n, done, err)
		}
	}
	if _, err := court.Admit(ctx, me); err == nil || !strings.Contains(err.Error(), "open") {
		t.Errorf("admit in an open court: %v", err)
	}
	if err := join(last, other); err != nil {
		t.Fatal(err)
	}
	if here, err := last.JudgeHere(ctx, onchain.Address{}, other.Dir); err != nil || here.Court != "open" {
		t.Errorf("%+v, %v", here, err)
	}
	if _, err := (client.Governor{Client: last}).RevokeAdmission(ctx, c.members[0].Home.Keys.Authority.Address()); err != nil {
		t.Errorf("anyone gives the rent back: %v", err)
	}
	if _, _, err := c.treasury.rule(ctx, deployer, c.cfg.Params, true); err == nil || !strings.Contains(err.Error(), "never listed again") {
		t.Errorf("listed again: %v", err)
	}
}
