package main

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// keeper types the commands of a court's keyholder.
type keeper struct {
	*person
	founder, next, stranger string // key files
}

// answer runs a command with a person at the keyboard.
func (k *keeper) answer(typed string, args ...string) (code int, errs string) {
	var out, bad bytes.Buffer
	a := newApp(k.environ, &out, &bad)
	a.Slow = time.Hour
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(strings.NewReader(typed))
	err := root.ExecuteContext(k.t.Context())
	if err != nil {
		bad.WriteString(cli.Plain(err))
	}
	return cli.ExitCode(err), bad.String()
}

// refused runs a command that should fail, and checks what it says.
func (k *keeper) refused(want string, args ...string) {
	k.t.Helper()
	code, out, errs := lineIn(k.t.Context(), k.environ, args...)
	if code != cli.ExitFailed || out != "" || !strings.Contains(errs, want) {
		k.t.Errorf("%v: exit %d, %q does not say %q; %s", args, code, errs, want, out)
	}
}

// keys returns what the court says of its authority.
func (k *keeper) keys() map[string]any { return k.json("court", "authority", "show")[0] }

// versions returns the versions of the rules that the court shows.
func (k *keeper) versions() (all []map[string]any) {
	for _, v := range k.json("court", "rules")[0]["versions"].([]any) {
		all = append(all, v.(map[string]any))
	}
	return all
}

// addressOf returns the address of a key file.
func addressOf(t *testing.T, path string) string {
	key, err := client.LoadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	return key.Address().String()
}

// TestKeyholder types every command of a court's keyholder on the embedded chain, from the first
// look at the rules to a court without an authority.
func TestKeyholder(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(0).Fast()
	cfg.Dir = t.TempDir()
	c := startCourt(t, cfg)
	k := &keeper{
		person:  &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC()}, shapes: map[string]any{}},
		founder: filepath.Join(cfg.Dir, "keys", "deployer.json"), next: mustKey(t), stranger: mustKey(t),
	}
	for _, key := range []string{k.next, k.stranger} {
		k.json("airdrop", "1sol", "--key", key)
	}
	if all := k.versions(); len(all) != 1 || all[0]["state"] != "in_force" || len(all[0]["changes"].([]any)) != 0 {
		t.Fatalf("at first: %v", all)
	}
	k.propose()
	k.pause()
	k.handOver()
	k.giveUp(c.Chain().Server().Warp)
}

// propose announces rules, after everything that must not announce any.
func (k *keeper) propose() {
	k.t.Helper()
	propose := func(args ...string) []string { return append([]string{"court", "rules", "propose"}, args...) }
	k.refused("max_rounds would be 4 and should be 1 to 3; write --set max_rounds=3", propose("--set", "max_rounds=4", "--yes", "--key", k.founder)...)
	k.refused("trade_bps would be 11% and should be 0% to 10%; write --set trade_bps=10%", propose("--set", "trade_bps=11%", "--yes", "--key", k.founder)...)
	k.refused("draw_seconds would be 59s and should be at least 1m; write --set draw_seconds=1m", propose("--set", "draw_seconds=59s", "--yes", "--key", k.founder)...)
	k.refused("cooldown_seconds would be 1s and should be", propose("--set", "cooldown_seconds=1s", "--yes", "--key", k.founder)...)
	k.refused("these are the values of version 1", propose("--set", "trade_bps=0.5%", "--yes", "--key", k.founder)...)
	k.refused("only the key "+addressOf(k.t, k.founder)+" can announce version 2", propose("--set", "trade_bps=0.6%", "--yes", "--key", k.stranger)...)
	for _, typed := range []string{"", "\n", "n\n", "no\n"} {
		code, errs := k.answer(typed, propose("--set", "trade_bps=0.6%", "--key", k.founder)...)
		if code != cli.ExitFailed || !strings.Contains(errs, "trade_bps rises from 0.5% to 0.6%") || !strings.Contains(errs, "nothing was sent") {
			k.t.Errorf("%q: %d %s", typed, code, errs)
		}
	}
	if all := k.versions(); len(all) != 1 {
		k.t.Fatalf("something was announced: %v", all)
	}
	if code, errs := k.answer("y\n", propose("--set", "trade_bps=0.6%", "--set", "min_stake=2sol", "--key", k.founder)...); code != cli.ExitOK {
		k.t.Fatalf("%d %s", code, errs)
	}
	all := k.versions()
	if len(all) != 2 || all[1]["state"] != "announced" || all[1]["from"] != all[0]["until"] || len(all[1]["changes"].([]any)) != 2 {
		k.t.Fatalf("announced: %v", all)
	}
	k.text("change: min_stake rises from 1 SOL to 2 SOL", "court", "rules")
	k.text("version 2: announced, in force from", "court", "rules")
	k.refused("version 2 is announced already", propose("--set", "trade_bps=0.7%", "--yes", "--key", k.founder)...)
	withdraw := []string{"court", "rules", "withdraw", "--yes", "--key"}
	k.refused("only the key "+addressOf(k.t, k.founder)+" can withdraw version 2", append(withdraw, k.stranger)...)
	k.text("court      devnet", append(withdraw, k.founder)...)
	if all := k.versions(); len(all) != 1 || all[0]["until"] != nil {
		k.t.Fatalf("withdrawn: %v", all)
	}
	k.refused("no version of the rules is announced", append(withdraw, k.founder)...)
	k.text("change: min_stake rises from 1 SOL to 2 SOL", propose("--set", "trade_bps=0.6%", "--set", "min_stake=2sol", "--yes", "--key", k.founder)...)
}

// pause stops and resumes the court. A stranger cannot.
func (k *keeper) pause() {
	k.t.Helper()
	k.refused("can pause the court", "court", "pause", "--yes", "--key", k.stranger)
	if k.keys()["paused"] != false {
		k.t.Error("a stranger paused the court")
	}
	k.json("court", "pause", "--yes", "--key", k.founder)
	if k.keys()["paused"] != true {
		k.t.Error("the court is not paused")
	}
	if again := k.json("court", "pause", "--yes", "--key", k.founder)[0]; again["result"] != "already_done" {
		k.t.Errorf("paused again: %v", again)
	}
	k.refused("it would stay paused for ever", "court", "authority", "give-up", "--yes", "--key", k.founder)
	k.json("court", "resume", "--yes", "--key", k.founder)
	if k.keys()["paused"] != false {
		k.t.Error("the court is paused")
	}
}

// handOver moves the authority in two steps. Until the second one nothing has moved.
func (k *keeper) handOver() {
	k.t.Helper()
	next := addressOf(k.t, k.next)
	k.refused("offered to nobody", "court", "authority", "accept", "--yes", "--key", k.next)
	k.refused("nothing to withdraw", "court", "authority", "hand-over", "--withdraw", "--yes", "--key", k.founder)
	k.printed(next)
	if _, pending := k.keys()["pending"]; pending {
		k.t.Error("--print offered the authority")
	}
	k.json("court", "authority", "hand-over", next, "--yes", "--key", k.founder)
	k.json("court", "authority", "hand-over", "--withdraw", "--yes", "--key", k.founder)
	k.refused("offered to nobody", "court", "authority", "accept", "--yes", "--key", k.next)
	k.json("court", "authority", "hand-over", next, "--yes", "--key", k.founder)
	k.refused("only the key "+next+" can accept", "court", "authority", "accept", "--yes", "--key", k.stranger)
	k.refused("can pause the court", "court", "pause", "--yes", "--key", k.next)
	k.json("court", "authority", "accept", "--yes", "--key", k.next)
	if v := k.keys(); v["authority"] != next || v["pending"] != nil {
		k.t.Errorf("handed over: %v", v)
	}
	k.refused("can pause the court", "court", "pause", "--yes", "--key", k.founder)
}

// printed checks what a multisig gets to sign. It needs no key, and sends nothing.
func (k *keeper) printed(next string) {
	k.t.Helper()
	founder := addressOf(k.t, k.founder)
	v := k.json("court", "authority", "hand-over", next, "--print")[0]
	data, err := base64.StdEncoding.DecodeString(v["data"].(string))
	if err != nil {
		k.t.Fatal(err)
	}
	i, err := program.DecodeInstruction(data)
	if p, ok := i.(*program.ProposeAuthority); err != nil || !ok || p.Authority.String() != next {
		k.t.Errorf("printed %v, %v", i, err)
	}
	first := v["accounts"].([]any)[0].(map[string]any)
	if v["signer"] != founder || first["address"] != founder || first["signer"] != true {
		k.t.Errorf("the signer is not the authority: %v", v)
	}
	message, err := base64.StdEncoding.DecodeString(v["message"].(string))
	if err != nil || len(message) < 4 || message[0] != 1 || !bytes.Contains(message, data) {
		k.t.Errorf("the message: %x, %v", message, err)
	}
	tx, err := base64.StdEncoding.DecodeString(v["transaction"].(string))
	if err != nil || !bytes.Equal(tx, append(append([]byte{1}, make([]byte, 64)...), message...)) {
		k.t.Errorf("the transaction: %x, %v", tx, err)
	}
}

// giveUp ends the authority, after everything that must not. The announced version still comes.
func (k *keeper) giveUp(warp func(time.Duration) error) {
	k.t.Helper()
	name := k.keys()["court"].(string)
	for _, typed := range []string{"", "y\n", "yes\n", name + "x\n"} {
		code, errs := k.answer(typed, "court", "authority", "give-up", "--key", k.next)
		if code != cli.ExitFailed || !strings.Contains(errs, "cannot be undone") || !strings.Contains(errs, "[type "+name+"]") {
			k.t.Errorf("%q: %d %s", typed, code, errs)
		}
	}
	if k.keys()["authority"] == "" {
		k.t.Fatal("the authority is gone without the court's name")
	}
	if code, errs := k.answer(name+"\n", "court", "authority", "give-up", "--key", k.next); code != cli.ExitOK {
		k.t.Fatalf("%d %s", code, errs)
	}
	if v := k.keys(); v["authority"] != "" {
		k.t.Errorf("given up: %v", v)
	}
	for _, key := range []string{k.founder, k.next} {
		k.refused("no authority any more", "court", "pause", "--yes", "--key", key)
		k.refused("no authority any more", "court", "authority", "hand-over", addressOf(k.t, k.stranger), "--yes", "--key", key)
	}
	k.text("nobody, for ever", "court", "authority", "show")
	if err := warp(31 * 24 * time.Hour); err != nil {
		k.t.Fatal(err)
	}
	if all := k.versions(); len(all) != 1 || all[0]["number"] != 2.0 || len(all[0]["changes"].([]any)) != 2 {
		k.t.Errorf("after the notice: %v", all)
	}
	k.refused("no authority any more", "court", "rules", "propose", "--set", "trade_bps=0.7%", "--yes", "--key", k.founder)
}
