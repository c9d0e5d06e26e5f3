//go:build unix

package process

import (
	"bufio"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ojud/p2p/p2ptest/floor"
)

var coldTo = flag.String("figures.to", "", "append a line of the table of figures to this file")

// coldStarts is how many devnets BenchmarkCold starts.
const coldStarts = 5

// BenchmarkCold measures the cold start of a devnet of 28 judges, one process with nothing on disk:
// the time until all nodes have found and connected to all others, and the processor time for that.
//
//	go test ./test/process -run '^$' -bench Cold -benchtime 1x
func BenchmarkCold(b *testing.B) {
	binary := built(b)
	for b.Loop() {
		machine := floor.ReadMachine(b)
		var took, cpu, floors []float64
		for range coldStarts {
			floors = append(floors, bareStart(b))
			t, c := coldStart(b, binary)
			took, cpu = append(took, t), append(cpu, c)
		}
		seconds := func(v []float64) string { return fmt.Sprintf("%.1f s", floor.Median(v)) }
		floor.Tell(b, *coldTo, floor.Figure{
			ID: "cold start", What: fmt.Sprintf("devnet of 28 judges (`ojud devnet --fast`), from nothing to all connected; %.1f s of processor time; of 28 bare hosts, fully connected", floor.Median(cpu)),
			Here: seconds(took), Floor: seconds(floors), Ratio: floor.Ratio(took, floors), Goal: "none", Met: true, Others: machine.Foreign(b),
		})
	}
}

// bareStart connects 28 bare hosts with each other and returns the seconds that this took.
func bareStart(b *testing.B) (seconds float64) {
	b.Helper()
	start := time.Now()
	floor.NewDirect(b, 28, "/ip4/127.0.0.1/tcp/0")
	return time.Since(start).Seconds()
}

// coldStart runs a devnet until its judges are connected, and stops it.
func coldStart(b *testing.B, binary string) (seconds, cpu float64) {
	b.Helper()
	start := time.Now()
	c := exec.CommandContext(b.Context(), binary, "devnet", "--fast", "--rpc-port", "0", "--p2p-port", "0", "--data", filepath.Join(b.TempDir(), "court"))
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	lines, last := bufio.NewScanner(out), ""
	for seconds == 0 && lines.Scan() {
		if last = lines.Text(); strings.Contains(last, "judiciary nodes are up") {
			seconds = time.Since(start).Seconds()
		}
	}
	if seconds == 0 {
		b.Fatalf("the devnet ended before its judges were up: %s, %v", last, c.Wait())
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		b.Fatal(err)
	}
	for lines.Scan() { // until the pipe is closed
	}
	if err := c.Wait(); err == nil {
		b.Fatal("the devnet had ended by itself")
	}
	return seconds, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}
