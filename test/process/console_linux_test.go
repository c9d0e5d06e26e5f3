package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ojud/test/longtest"
)

// What pages that nobody looks at may cost a node, and how long the nodes are watched.
const (
	idleConsoleShare  = 0.01 // of a processor
	idleConsoleMemory = 4.0  // MiB
	consoleWatch      = 20 * time.Second
	consolePairs      = 2
	readEvery         = 50 * time.Millisecond // a reader of the control
)

// TestConsoleCost measures whole nodes of one court with and without their pages at the same time:
// the pages that nobody looks at take at most 1 % of a processor and 4 MiB. Nodes without pages
// have no HTTP API either, so it is a part of the cost. As a control, readers of a page are seen by
// the same meter. Other programs disturb both sides alike.
func TestConsoleCost(t *testing.T) {
	longtest.Only(t)
	w := newProcesses(t)
	w.startChain()
	names := []string{"with", "without"}
	var nodes [2][]int
	for i := range 2 * consolePairs {
		flags := []string{"join", w.url, "--home", w.home(i)}
		if i%2 == 1 {
			flags = append(flags, "--api", "off")
		}
		w.judges = append(w.judges, w.process(fmt.Sprint("judge", i), flags...))
		nodes[i%2] = append(nodes[i%2], w.judges[i].Process.Pid)
	}
	w.until("all nodes wait for cases", func() bool {
		for i := range w.judges {
			raw, err := os.ReadFile(filepath.Join(w.dir, fmt.Sprint("judge", i, ".log")))
			if err != nil || !strings.Contains(string(raw), "waits for cases") {
				return false
			}
		}
		return true
	})
	watch := func(what string) (share, memory [2]float64) {
		var before [2]float64
		for side := range nodes {
			before[side] = ticks(t, nodes[side])
		}
		began := time.Now()
		var held [2][]float64
		each := time.NewTicker(time.Second)
		defer each.Stop()
		for time.Since(began) < consoleWatch {
			for side := range nodes {
				for _, pid := range nodes[side] {
					held[side] = append(held[side], anonymous(t, pid))
				}
			}
			<-each.C
		}
		took := time.Since(began).Seconds()
		for side := range nodes {
			share[side] = (ticks(t, nodes[side]) - before[side]) / 100 / took / consolePairs
			slices.Sort(held[side])
			memory[side] = held[side][len(held[side])/2]
			t.Logf("%s, nodes %s pages: %.2f %% of a processor, %.1f MiB each", what, names[side], 100*share[side], memory[side])
		}
		return share, memory
	}
	watch("warm up")
	share, memory := watch("nobody looks")
	if more := share[0] - share[1]; more > idleConsoleShare {
		t.Errorf("pages that nobody looks at take %.2f %% of a processor, at most %.0f %%", 100*more, 100*idleConsoleShare)
	}
	if more := memory[0] - memory[1]; more > idleConsoleMemory {
		t.Errorf("pages that nobody looks at take %.1f MiB, at most %.0f", more, idleConsoleMemory)
	}

	ctx, leave := context.WithCancel(t.Context())
	read := make(chan error, consolePairs)
	for i := 0; i < len(w.judges); i += 2 {
		at, err := os.ReadFile(filepath.Join(w.home(i), "api"))
		if err != nil {
			t.Fatal(err)
		}
		go func() { read <- reader(ctx, "http://"+strings.TrimSpace(string(at))+"/") }()
	}
	looked, _ := watch(fmt.Sprintf("a reader of each node opens the first page every %s", readEvery))
	leave()
	for range consolePairs {
		if err := <-read; err != nil {
			t.Error(err)
		}
	}
	if looked[0] < 2*max(share[0], looked[1]) {
		t.Errorf("the meter does not see readers: %.2f %% with them, %.2f %% before, %.2f %% without pages", 100*looked[0], 100*share[0], 100*looked[1])
	}
}

// reader opens a page again and again until ctx ends.
func reader(ctx context.Context, page string) error {
	every := time.NewTicker(readEvery)
	defer every.Stop()
	client := http.Client{Timeout: time.Minute}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(r)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// ticks returns the processor time of processes, in hundredths of a second.
func ticks(t *testing.T, pids []int) (sum float64) {
	t.Helper()
	for _, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		fields := strings.Fields(rest)
		for _, n := range []int{11, 12} { // user and system time
			v, err := strconv.ParseFloat(fields[n], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
	}
	return sum
}

// anonymous returns the memory of a process that no file backs, in MiB.
func anonymous(t *testing.T, pid int) float64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if text, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 64)
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes / 1024
		}
	}
	t.Fatal("no RssAnon")
	return 0
}
