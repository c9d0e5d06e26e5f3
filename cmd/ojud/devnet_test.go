package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ojud/node/cluster"
)

// TestDevnetDemo: one command settles a dispute and says so line by line; its case file verifies with the command for that.
func TestDevnetDemo(t *testing.T) {
	before := goleak.IgnoreCurrent()
	var out, errs bytes.Buffer
	data := t.TempDir()
	args := []string{"devnet", "--demo", "--fast", "--nodes", "4", "--contrary", "1", "--data", data, "--json"}
	if code := execute(t.Context(), newApp(nil, &out, &errs), args); code != exitOK {
		t.Fatalf("exit %d: %s\n%s", code, errs.String(), out.String())
	}
	count := map[string]int{}
	var report cluster.Report
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
		"StakeMoved": 4, "Committed": 4, "Revealed": 4, "RoundSettled": 1, cluster.EventSeatSlashed: 1, "Paid": 2, cluster.EventReport: 1,
	} {
		if count[event] != n {
			t.Errorf("%d lines of %s, want %d", count[event], event, n)
		}
	}
	if !report.Verified || report.Verdict != "accept" || filepath.Dir(report.File) != data {
		t.Errorf("%+v", report)
	}
	if code := execute(t.Context(), newApp(nil, &out, &errs), []string{"case", "verify", report.File}); code != exitOK {
		t.Errorf("case verify: exit %d: %s", code, errs.String())
	}
	goleak.VerifyNone(t, before)
}

// TestDevnetStays: without --demo it stays up until it is told to end, and then ends in good order.
func TestDevnetStays(t *testing.T) {
	before := goleak.IgnoreCurrent()
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
	if code := <-done; code != exitOK || lines.Err() != nil {
		t.Errorf("exit %d: %s, %v", code, errs.String(), lines.Err())
	}
	goleak.VerifyNone(t, before)
}

func TestDevnetUsage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for want, args := range map[string][]string{
		"exclude each other": {"--fast", "--warp"},
		"without judges":     {"--demo", "--nodes", "0"},
		"port":               {"--rpc-port", "70000"},
		"honest":             {"--nodes", "3", "--absent", "3"},
		"does not take":      {"eleptiger", "up"},
		"story is for":       {"data"},
		"no story":           {"--demo", "romeo"},
		"belong to":          {"--demo", "--lying", "1"},
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), newApp(nil, &out, &errs), append([]string{"devnet"}, args...)); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("a wrong command line left %v: %v", left, err)
	}
}
