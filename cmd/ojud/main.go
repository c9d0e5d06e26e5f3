// Command ojud is a node of an oju court, and the hand tool of everybody who deals with one: judges (init, join, run, judge),
// creators and workers (agent, task), who has data that judges need (source), and whoever wants to look (case).
//
// Results go to standard output, as text or with --json as JSON; progress and errors to standard error. It exits with 0 if all
// went well, 1 if not, 2 if the command line was wrong, and 3 if a case file did not verify.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	code := execute(ctx, newApp(os.Environ(), os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(code)
}
