package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// TestDevnetDemo checks that one command settles a dispute and reports each step, and that "case
// verify" accepts its case file.
func TestDevnetDemo(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	data := t.TempDir()
	args := []string{"devnet", "--demo", "--fast", "--nodes", "4", "--contrary", "1", "--data", data, "--json"}
	if code := execute(t.Context(), newApp(nil, &out, &errs), args); code != cli.ExitOK {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
	count := map[string]int{}
	var report cluster.Summary
	for line := range strings.Lines(out.String()) {
		var l struct {
			Event, Text string
			Data        json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Event == "" || l.Text == "" {
			t.Fatalf("%s: %v", line, err)
		}
		if count[l.Event]++; l.Event == cluster.EventReport {
			if err := json.Unmarshal(l.Data, &report); err != nil {
				t.Fatal(err)
			}
		}
	}
	for event, n := range map[string]int{
		"StakeMoved": 4, "Committed": 4, "Revealed": 4, "RoundSettled": 1, cluster.EventSeatSlashed: 0, "Paid": 4, cluster.EventReport: 1,
	} {
		if count[event] != n {
			t.Errorf("%d lines of %s, want %d", count[event], event, n)
		}
	}
	if !report.Verified || report.Verdict != "accept" || filepath.Dir(report.File) != data {
		t.Errorf("%+v", report)
	}
	if code := execute(t.Context(), newApp(nil, &out, &errs), []string{"case", "verify", report.File}); code != cli.ExitOK {
		t.Errorf("case verify: exit %d: %s", code, errs.String())
	}
}

// TestDevnetStays checks that a devnet without --demo runs until a signal, and then ends in order.
func TestDevnetStays(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	in, out := io.Pipe()
	var errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		code := execute(ctx, newApp(nil, out, &errs), []string{"devnet", "--nodes", "2", "--fast", "--data", t.TempDir(), "--rpc-port", "0", "--p2p-port", "0"})
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		done <- code
	}()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "ojud join http://127.0.0.1:") {
			cancel()
		}
	}
	if code := <-done; code != cli.ExitOK || lines.Err() != nil {
		t.Errorf("exit %d: %s, %v", code, errs.String(), lines.Err())
	}
}

func TestDevnetUsage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for want, args := range map[string][]string{
		"exclude each other":  {"--fast", "--warp"},
		"without judges":      {"--demo", "--nodes", "0"},
		"port":                {"--rpc-port", "70000"},
		`"0.0.0.0" is not an`: {"--host", "0.0.0.0"},
		`"::" is not an IP`:   {"--host", "::"},
		`"fe80::1" is not an`: {"--host", "fe80::1"},
		"honest":              {"--nodes", "3", "--absent", "3"},
		"does not take":       {"eleptiger", "up"},
		"story is for":        {"data"},
		"no story":            {"--demo", "romeo"},
		"belong to":           {"--demo", "--lying", "1"},
		"--source belongs to": {"--demo", "--source", "mcp"},
		"no source":           {"--demo", "data", "--source", "ftp"},
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), newApp(nil, &out, &errs), append([]string{"devnet"}, args...)); code != cli.ExitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("a wrong command line left %v: %v", left, err)
	}
}

// portAfterFree listens on a port until the test ends, and returns it. The port before it is free.
func portAfterFree(t *testing.T) int {
	t.Helper()
	for {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = taken.Close() })
		port := taken.Addr().(*net.TCPAddr).Port
		if before, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port-1)); err == nil && before.Close() == nil {
			return port
		}
	}
}

// TestDevnetPorts checks that a port in use is named with its flag, and that no file is left.
func TestDevnetPorts(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	port := portAfterFree(t)
	for says, args := range map[string][]string{
		"with --rpc-port; 0":                {"--rpc-port", strconv.Itoa(port)},
		fmt.Sprintf("127.0.0.1:%d", port):   {"--rpc-port", strconv.Itoa(port - 1)},
		"another port with --p2p-port; 0 ":  {"--rpc-port", "0", "--p2p-port", strconv.Itoa(port)},
		"look at --host and --rpc-port":     {"--rpc-port", "0", "--host", "192.0.2.1"},
		"devnet_test.go/nodes: not a direc": {"--data", "devnet_test.go"},
	} {
		var out, errs bytes.Buffer
		code := execute(t.Context(), newApp(nil, &out, &errs), append([]string{"devnet", "--nodes", "1", "--fast"}, args...))
		if text := errs.String(); code == cli.ExitOK || out.Len() > 0 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: exit %d: %s%s", args, code, text, out.String())
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("it left %v: %v", left, err)
	}
}

// TestDevnetKept checks that a court that is kept starts with all its judges, or not at all.
func TestDevnetKept(t *testing.T) {
	data := t.TempDir()
	for _, home := range []string{"01", "02", "03"} {
		if err := os.MkdirAll(filepath.Join(data, "nodes", home), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := devnet{data: data, nodes: 28}
	if err := d.keep(false); err != nil || d.nodes != 3 {
		t.Errorf("%d judges: %v", d.nodes, err)
	}
	var out, errs bytes.Buffer
	code := execute(t.Context(), newApp(nil, &out, &errs), []string{"devnet", "--nodes", "2", "--data", data})
	if text := errs.String(); code != cli.ExitUsage || !strings.Contains(text, "a court of 3 judges; with --nodes 2") {
		t.Errorf("exit %d: %s", code, text)
	}
	for nodes, data := range map[int]string{4: data, 2: ""} {
		if err := (&devnet{data: data, nodes: nodes}).keep(true); err != nil {
			t.Errorf("%d judges in %q: %v", nodes, data, err)
		}
	}
}

// TestDevnetDemoMCP checks that judges decide by the answers of real MCP servers from npm. npx
// fetches the server if it is missing. If that is not possible, the test only logs it, but in CI
// (environment variable CI is set) it fails.
func TestDevnetDemoMCP(t *testing.T) {
	longtest.Only(t)
	if os.Getenv("OJUD_NO_NODE") == "1" {
		t.Log("NOT RUN: OJUD_NO_NODE=1, no server from npm was tried")
		return
	}
	t.Parallel()
	var out, errs bytes.Buffer
	code := execute(t.Context(), newApp(nil, &out, &errs), []string{"devnet", "--demo", "data", "--source", "mcp", "--lying", "1", "--fast", "--nodes", "5", "--data", t.TempDir(), "--json"})
	if text := errs.String(); code == cli.ExitFailed && os.Getenv("CI") == "" && (strings.Contains(text, "needs Node.js") || strings.Contains(text, "could not bring")) {
		t.Log("NOT RUN: NO SERVER FROM NPM WAS TRIED. Install Node.js 20 or later with npx, and let npm reach its registry: ", text)
		return
	}
	if code != cli.ExitOK {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
	for _, says := range []string{"npm brings @modelcontextprotocol/server-memory@", "3 MCP servers are up after", `"verdict":"accept"`, `"verified":true`} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in %s", says, out.String())
		}
	}
}

// TestDevnetNoNode checks that a missing Node.js gets one sentence, and that no file is left.
func TestDevnetNoNode(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	var out, errs bytes.Buffer
	code := execute(t.Context(), newApp(nil, &out, &errs), []string{"devnet", "--demo", "data", "--source", "mcp"})
	if text := errs.String(); code != cli.ExitFailed || out.Len() != 0 || strings.Count(text, "\n") != 1 || !strings.Contains(text, "needs Node.js 20 or later with npx") || !strings.Contains(text, "leave --source out") {
		t.Errorf("exit %d: %s %s", code, out.String(), text)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("it left %v: %v", left, err)
	}
}

// TestPorts: a demo that stays takes free ports while another court has the usual ones, and those
// that a person gives in any case. A devnet that others join has the usual ones, or says who has
// them.
func TestPorts(t *testing.T) {
	t.Parallel()
	port := portAfterFree(t)
	for _, c := range []struct {
		d        devnet
		rpc, p2p bool // given
		want     [2]int
	}{
		{devnet{performance: performance{true, true}, rpc: port, p2p: port + 2, nodes: 3, host: "127.0.0.1"}, false, false, [2]int{}},
		{devnet{performance: performance{true, true}, rpc: port, p2p: port + 2, nodes: 3, host: "127.0.0.1"}, true, false, [2]int{port, 0}},
		{devnet{performance: performance{true, true}, rpc: 0, p2p: 7, nodes: 0, host: "127.0.0.1"}, false, false, [2]int{0, 7}}, // nothing is in use
		{devnet{rpc: port, p2p: 7, nodes: 3, host: "127.0.0.1"}, false, false, [2]int{port, 7}},
		{devnet{performance: performance{true, false}, rpc: 7, p2p: 9, host: "127.0.0.1"}, false, true, [2]int{0, 9}},
	} {
		if c.d.ports(t.Context(), c.rpc, c.p2p); [2]int{c.d.rpc, c.d.p2p} != c.want {
			t.Errorf("%d and %d, want %v", c.d.rpc, c.d.p2p, c.want)
		}
	}
}
