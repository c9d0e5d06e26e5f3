// Bench measures the groups of figures and prints them as one Markdown table:
//
//	go run ./bench [-panel N] [FIGURE ...]
//
// Run it at the root of the repository. docs/benchmarks.md explains the figures. Without arguments
// it measures all of them, which takes about 40 minutes. The table goes to standard output,
// everything else to standard error. If a group fails, the others are still measured, the table
// has their lines, and the exit code is 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ojud/voting"
)

// maxPanel bounds -panel: 500 nodes need about 19 GB.
const maxPanel = 500

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the figures that the arguments name and prints their table.
func run(ctx context.Context, args []string, out, log io.Writer) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(log)
	panel := flags.Int("panel", 128, "judges on the Roster in P6, 28 to 500; 128 take 5 minutes and 5 GB")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *panel < voting.MaxSeats || *panel > maxPanel {
		return fmt.Errorf("-panel is %d, must be %d to %d", *panel, voting.MaxSeats, maxPanel)
	}
	wanted, err := choose(groups(*panel), flags.Args())
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "ojud-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	r := runner{tools: goTools{dir: scratch, log: log}, rows: scratch + "/rows", log: log}
	failed := r.all(ctx, wanted)
	if err := printTable(out, r.rows); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("not in the table, because it failed: %s", strings.Join(failed, " "))
	}
	return nil
}
