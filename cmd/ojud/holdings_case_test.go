package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// lines keeps what a command writes while it runs.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what was written so far.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestDataOfATask lets a creator and a worker trade work on data of agents without a person: an
// order that names data that is not there is not posted, the worker reads public data and gets the
// key of private ones, the judges of the dispute read the public data, and the case file shows it.
func TestDataOfATask(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(4).Fast()
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
	do := func(says string, args ...string) (v map[string]any, out string) {
		t.Helper()
		code, out, errs := lineIn(t.Context(), environ, append(args, "--json")...)
		if code != cli.ExitOK || !strings.Contains(out, says) {
			t.Fatalf("%q: %d, want %q: %s%s", args, code, says, out, errs)
		}
		if json.Unmarshal([]byte(out), &v) != nil {
			v = nil // several lines
		}
		return v, out
	}
	file := func(content string, name ...string) string {
		path := filepath.Join(append([]string{dir}, name...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
		return path
	}
	key := func(agent string) string { return filepath.Join(dir, agent+".json") }
	for _, agent := range []string{"alice", "bob"} {
		do("landed", "agent", "register", "--create-key", "--airdrop", "--deposit", "5sol", "--key", key(agent))
	}
	put := func(name, content string, more ...string) string {
		v, _ := do("landed", append([]string{"agent", "data", "put", name, file(content, name), "--key", key("alice")}, more...)...)
		return v["item"].(map[string]any)["data"].(string)
	}
	prices := put("prices", "An owl costs 3 SOL.\nA fox costs 5 SOL.\n")
	rebate := put("rebate", "minus 1 SOL", "--private")

	order := func(pda ...string) string {
		raw, err := json.Marshal(map[string]any{
			"instruction": []string{"Copy the line about owls from the price list."}, "output_schema": map[string]string{"line": "string"}, "pda": pda,
			"data_sources": []string{"agent.data"},
			"expected": []any{
				map[string]any{"path": "/line", "equals": "An owl costs 3 SOL.", "settles": []int{0}},
				map[string]any{"path": "/text", "quoted": []string{"/line"}, "data": map[string]any{"data_source": "agent.data", "request": map[string]string{"data": prices}}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	file(order(prices, rebate), "creator", "orders", "good.json")
	file(order("11111111111111111111111111111111"), "creator", "orders", "absent.json")
	file("queue = \"orders\"\nreward = \"0.1sol\"\nunsure = \"object\"\npoll = \"1s\"\n[budget]\nloss = \"1sol\"\n", "creator", "post.toml")
	file("poll = \"1s\"\nleast_seconds = 1\n[budget]\nloss = \"1sol\"\n[[skill]]\nname = \"copy\"\nwords = [\"price list\"]\ncommand = [\"./copy.sh\"]\n", "worker", "work.toml")
	script := file("#!/bin/sh\ncat >seen.json\ngrep -q 'minus 1 SOL' seen.json && grep -q 'An owl costs 3 SOL' seen.json && echo '{\"line\":\"An owl costs 3 SOL.\"}'\n", "worker", "copy.sh")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	served(t, environ, "agent", "data", "serve", "--key", key("alice"), "--receipts", filepath.Join(dir, "receipts"))
	lives, end := context.WithCancel(t.Context())
	ended := make(chan int, 2)
	told := [2]*lines{{}, {}}
	for i, command := range [][]string{{"post", "--home", filepath.Join(dir, "creator"), "--key", key("alice")}, {"work", "--home", filepath.Join(dir, "worker"), "--key", key("bob")}} {
		a := newApp(environ, told[i], io.Discard)
		a.Slow = time.Hour
		go func() { ended <- execute(lives, a, append([]string{"agent"}, append(command, "--json")...)) }()
	}
	stop := sync.OnceFunc(func() {
		end()
		for range cap(ended) {
			if code := <-ended; code != cli.ExitOK {
				t.Errorf("an agent ended with %d", code)
			}
		}
		t.Log(told[0].String(), told[1].String())
	})
	t.Cleanup(stop)
	task := ""
	p2ptest.Eventually(t, time.Minute, "the good order is posted", func() bool {
		_, out := do("", "task", "list", "--all", "--brief")
		var v struct{ Task string }
		task = ""
		if line, _, _ := strings.Cut(out, "\n"); json.Unmarshal([]byte(line), &v) == nil {
			task = v.Task
		}
		return task != ""
	})
	do("landed", "agent", "data", "grant", "rebate", "--task", task, "--key", key("alice"))
	over := func() bool {
		v, _ := do("", "task", "show", task)
		return v["status"] == "complete"
	}
	p2ptest.Eventually(t, time.Minute, "the worker is paid", over)
	if said := told[0].String(); !strings.Contains(said, "absent.json: pda[0]") || !strings.Contains(said, "there is no such data") {
		t.Errorf("the creator said: %s", said)
	}
	if all, err := filepath.Glob(filepath.Join(dir, "worker", "work", "receipt-*.json")); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	} else {
		do(`"owner"`, "agent", "data", "verify", all[0])
	}
	// The worker takes no task whose data its creator can change, and a person is warned.
	file(order(prices), "loose.json")
	v, _ := do("landed", "task", "create", filepath.Join(dir, "loose.json"), "--unpinned", "--reward", "0.1sol", "--key", key("alice"))
	loose := v["task"].(map[string]any)["task"].(string)
	file(`{"instruction":["Copy the line about owls from the price list."],"output_schema":{"line":"string"},"pda":["`+prices+`"]}`, "named.json")
	do("landed", "task", "create", filepath.Join(dir, "named.json"), "--unpinned", "--reward", "0.1sol", "--key", key("alice"))
	p2ptest.Eventually(t, time.Minute, "the worker refuses", func() bool {
		said := told[1].String()
		return strings.Contains(said, "does not take it: a check of it reads pda[0]") && strings.Contains(said, "does not take it: its creator owns pda[0]")
	})
	if code, out, errs := lineIn(t.Context(), environ, "task", "claim", loose, "--key", key("bob"), "--json"); code == cli.ExitOK || !strings.Contains(out, "the creator owns it and can change it after you have delivered") || strings.Contains(out, "no judge with a stake") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	stop()

	v, _ = do("landed", "task", "create", filepath.Join(dir, "creator", "orders", "good.json"), "--reward", "0.1sol", "--key", key("alice"))
	task = v["task"].(map[string]any)["task"].(string)
	do("landed", "task", "claim", task, "--start", "--yes", "--key", key("bob"))
	do("landed", "task", "submit", task, file(`{"line":"An owl costs 3 SOL."}`, "result.json"), "--key", key("bob"))
	// The creator changes the list, so that the line is no longer in it. The task pins the list,
	// and nodes kept it when the task was posted.
	put("prices", "An owl costs 9 SOL.\nA fox costs 5 SOL.\n")
	do("landed", "task", "object", task, "--reason", "The line is not in the list.", "--key", key("alice"))
	do("landed", "task", "counter-object", task, "--reason", "It is the first line.", "--key", key("bob"))
	p2ptest.Eventually(t, 4*time.Minute, "the court decides", over)
	if v, _ := do("", "task", "show", task); v["outcome"] != "paid" {
		t.Errorf("a creator that changed its data: %v", v)
	}
	path := filepath.Join(dir, "case.json")
	do("", "case", "export", task, "--home", court.Members()[0].Home.Dir, "--output", path)
	_, out := do("", "case", "verify", path)
	for _, wrong := range []string{`"failed"`, "not true", "read the data", "decides nothing"} {
		if strings.Contains(out, wrong) {
			t.Errorf("%s", out)
		}
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	raw, err := casefile.ReadBundle(in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := casefile.ParseBundle(raw)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]int{}
	for _, e := range b.Events {
		body, err := e.ParsedBody()
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := body.(casefile.DataBody); ok && d.Source == agentdata.Source {
			for _, r := range d.Receipts {
				content, err := b.Blob(r.Response)
				if err != nil {
					t.Fatal(err)
				}
				asked, err := b.Blob(r.Request)
				if err != nil {
					t.Fatal(err)
				}
				at, err := agentdata.ParseQuery(asked)
				if err != nil {
					t.Fatal(err)
				}
				a, err := agentdata.ParseReading(content, at)
				if err != nil || a.Private != (a.Name == "rebate") || a.Private == (a.Text != nil) {
					t.Errorf("%s: %v", content, err)
				}
				if a.Kept() {
					a.Name = "prices, from who kept them"
				}
				read[a.Name]++
			}
		}
	}
	if read["prices, from who kept them"] < 3 || read["rebate"] < 3 {
		t.Errorf("judges read %v", read)
	}
}
