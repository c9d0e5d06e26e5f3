// Command ojud runs a judge's node of an oju court, and has the commands of everyone who uses a
// court: judges (join, run, judge), people who post tasks and people who work on them (agent,
// task), people who have data (source), and observers (case).
//
// Results go to standard output, as text or with --json as JSON. Progress and errors go to standard
// error. The exit status is 0 if all went well, 1 if not, 2 if the command line was wrong, and 3 if
// a case file did not verify.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ojud/cmd/ojud/cli"
)

// Limits for a command to end after a signal. Then the process ends anyway: each part of it can be
// killed at any time. A devnet has less time, because on a busy machine its 28 nodes delay even the
// end. endTime is far below 5 s, because such a machine also takes time to see the signal.
const (
	endTime       = 2500 * time.Millisecond
	devnetEndTime = 500 * time.Millisecond
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Environ(), os.Stdout, os.Stderr)
	a.EndTime.Store(int64(endTime))
	go func() {
		<-signals
		signal.Stop(signals) // a second signal ends the process at once
		cancel()
		time.Sleep(time.Duration(a.EndTime.Load()))
		if a.Stays.Load() {
			os.Exit(cli.ExitOK)
		}
		os.Exit(cli.ExitFailed)
	}()
	os.Exit(execute(ctx, a, os.Args[1:]))
}
