package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestAgentData plays the life of data by the commands: public and private, a grant, a request with
// its receipt, and each refusal.
func TestAgentData(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(1).Fast()
	cfg.Dir, cfg.Chain.RPC, cfg.Chain.WS, cfg.Params.CoverBps = t.TempDir(), "127.0.0.1:0", "127.0.0.1:0", 0
	court, err := cluster.Start(t.Context(), cfg, cluster.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := court.Stop(); err != nil {
			t.Error(err)
		}
	})
	dir, environ := t.TempDir(), []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + court.Chain().RPC()}
	do := func(want int, says string, args ...string) map[string]any {
		t.Helper()
		code, out, errs := lineIn(t.Context(), environ, append(args, "--json")...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Fatalf("%q: %d, want %d and %q: %s%s", args, code, want, says, out, errs)
		}
		var v map[string]any
		if code == cli.ExitOK && json.Unmarshal([]byte(out), &v) != nil {
			t.Fatalf("%q: %s", args, out)
		}
		return v
	}
	who := map[string]string{}
	file := func(name, content string) string {
		write(t, filepath.Join(dir, name), content)
		return filepath.Join(dir, name)
	}
	by := func(agent string, args ...string) []string {
		return append(args, "--key", filepath.Join(dir, agent+".json"))
	}
	for _, agent := range []string{"alice", "bob", "mallory"} {
		v := do(0, "landed", by(agent, "agent", "register", "--create-key", "--airdrop", "--deposit", "1sol")...)
		who[agent] = v["agent"].(map[string]any)["authority"].(string)
	}
	data := func(agent string, args ...string) []string {
		return by(agent, append([]string{"agent", "data"}, args...)...)
	}

	do(0, `"private":false`, data("alice", "put", "prices", file("prices", `{"owl":3}`))...)
	do(0, "already_done", data("alice", "put", "prices", file("prices", `{"owl":3}`))...)
	if code, out, errs := lineIn(t.Context(), environ, data("mallory", "get", "prices", "--of", who["alice"])...); code != 0 || out != `{"owl":3}` {
		t.Errorf("%d %q %s", code, out, errs)
	}
	plan := strings.Repeat("Meet at the owl. ", 50) // two transactions
	put := do(0, `"private":true`, data("alice", "put", "plan", file("plan", plan), "--private")...)["item"].(map[string]any)
	if code, out, errs := lineIn(t.Context(), environ, data("alice", "get", "plan")...); code != 0 || out != plan {
		t.Errorf("%d %q %s", code, out, errs)
	}
	address := put["data"].(string)
	if code, out, errs := lineIn(t.Context(), environ, data("bob", "get", address)...); code != 1 || !strings.Contains(out+errs, "the data is private") {
		t.Errorf("%d %q %s", code, out, errs)
	}
	do(1, "public data may not begin", data("alice", "put", "prices", file("lie", "ojud/private-data/2\nlie"))...)
	do(1, "there is no such data", data("alice", "get", who["alice"])...)

	order := func(pda string) string {
		return file("order.json", `{"instruction":["Draw an owl."],"output_schema":{"text":"string"},"pda":["`+pda+`"]}`)
	}
	do(1, "pda[0]", by("alice", "task", "create", order(who["bob"]), "--reward", "0.1sol")...)
	task := do(0, "landed", by("alice", "task", "create", order(address), "--reward", "0.1sol")...)["task"].(map[string]any)["task"].(string)
	do(1, "grant lasts as long as a task", data("alice", "grant", "plan", "--task", who["bob"])...)
	do(0, `"read":true`, data("alice", "grant", "plan", "--task", task)...)
	at := served(t, environ, data("alice", "serve", "--receipts", filepath.Join(dir, "receipts"))...)

	ask := func(agent string, more ...string) []string {
		return data(agent, append([]string{"request", address, "--task", task, "--at", at}, more...)...)
	}
	do(1, "has no grant", ask("bob")...)
	do(0, "landed", by("bob", "task", "claim", task, "--yes")...)
	do(1, "has no grant", ask("mallory")...)
	receipt := filepath.Join(dir, "receipt")
	got := do(0, "receipt", data("bob", "request", "plan", "--of", who["alice"], "--task", task, "--receipt", receipt)...) // found in the network
	if content, err := base64.StdEncoding.DecodeString(got["content"].(string)); err != nil || string(content) != plan {
		t.Errorf("%q, %v", content, err)
	}
	do(0, who["bob"], "agent", "data", "verify", receipt)
	got["receipt"].(map[string]any)["at"] = 1
	forged, err := json.Marshal(got["receipt"])
	if err != nil {
		t.Fatal(err)
	}
	do(2, "signature", "agent", "data", "verify", file("forged", string(forged)))

	do(0, "landed", data("alice", "revoke", "plan", "--task", task)...)
	do(1, "has no grant", ask("bob")...)
	do(0, `"write":true`, data("alice", "grant", "prices", "--task", task, "--to", who["bob"], "--write")...)
	do(1, "only its owner can change its size", data("bob", "put", "prices", file("more", `{"owl":10}`), "--of", who["alice"], "--task", task)...)
	do(0, "landed", data("bob", "put", "prices", file("other", `{"owl":9}`), "--of", who["alice"], "--task", task)...)
	do(1, "prices is public", data("bob", "request", "prices", "--of", who["alice"], "--task", task)...)

	do(0, `"read":true`, data("alice", "grant", "plan", "--task", task, "--to", who["mallory"])...)
	do(0, "receipt", ask("mallory")...)
	do(0, "landed", by("bob", "task", "release", task)...)
	do(0, "landed", by("alice", "task", "cancel", task)...)
	do(1, "is over", ask("mallory")...)
	do(0, "landed", data("alice", "rm", "plan")...)
	if code, out, errs := lineIn(t.Context(), environ, data("alice", "list", "--json")...); code != 0 || strings.Count(out, "\n") != 1 || !strings.Contains(out, `"name":"prices"`) {
		t.Errorf("%d %q %s", code, out, errs)
	}
}

// served runs a command that serves until the test ends, and returns its first address.
func served(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	a := newApp(environ, out, io.Discard)
	a.Slow = time.Hour
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, a, append(args, "--json")) }()
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() {
			continue // the receipts
		}
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != cli.ExitOK {
			t.Errorf("serve ended with %d", code)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		<-drained
	})
	var v struct{ Addresses []string }
	if err := json.Unmarshal(lines.Bytes(), &v); err != nil || len(v.Addresses) == 0 {
		t.Fatalf("%s, %v", lines.Text(), err)
	}
	return v.Addresses[0]
}
