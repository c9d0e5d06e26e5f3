// Package browse opens the pages of a court.
package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/node/api"
)

// opened is the result of open.
type opened struct {
	URL     string `json:"url"`
	Browser bool   `json:"browser"` // one was told to open it
}

// pages are the names of the pages of a node, besides those of cases.
var pages = []string{"judge", "market", "sources", "agents", "network", "doctor", "rules", "verify"}

// Command returns the command open.
func Command(a *cli.App) *cobra.Command {
	printOnly := false
	cmd := &cobra.Command{
		Use:   "open [PAGE | TASK | FILE]",
		Short: "Open the court's pages in a browser, or those of a case, or play a case file",
		Long: `open shows the pages of the node that runs on this home: the court with its cases and judges, and
each case with its panel, what the parties say, why the judges decide so, and who is paid. The pages
change while you look at them. A node shows them only on its own machine. PAGE is one of these:
` + strings.Join(pages, ", ") + `.

With the file of a case it needs no node: it verifies the file and plays the case step by step,
until you stop it.

It prints the address. If this machine has a browser that it can start, it opens the page there.`,
		Example: `  ojud open
  ojud open judge
  ojud open 7Np4… --print
  ojud open 7Np4….case.json
  ojud open --home /tmp/court/nodes/01`,
		Args: cli.Takes(0, "a page, the address of a task, or a case file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/"
			if len(args) > 0 && IsFile(args[0]) {
				return play(cmd.Context(), a, args[0], printOnly)
			}
			switch {
			case len(args) > 0 && slices.Contains(pages, args[0]):
				path = "/" + args[0]
			case len(args) > 0:
				task, err := cli.Address("task", args[0])
				if err != nil {
					return err
				}
				path = "/case/" + task.String()
			}
			dir, err := a.HomeDir()
			if err != nil {
				return err
			}
			n, err := api.Open(dir)
			if err != nil {
				return err
			}
			return show(cmd.Context(), a, n.URL()+path, printOnly)
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the address and open nothing")
	return cmd
}

// show prints an address, and opens it in a browser if there is one.
func show(ctx context.Context, a *cli.App, address string, printOnly bool) error {
	done := opened{URL: address}
	if program := browser(); len(program) > 0 && !printOnly {
		done.Browser = start(ctx, append(program, done.URL)) == nil
	}
	return a.Show(done, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, done.URL)
		return err
	})
}

// Tell prints the address of the pages of the node that starts on a home, as soon as it serves
// them. The caller has the home, and the node does not serve yet: an address that is there is that
// of a node which was killed. Call the returned function when the node ends. A node without an API
// has no pages.
func Tell(ctx context.Context, a *cli.App, home string) (end func()) {
	if err := os.Remove(filepath.Join(home, "api")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return func() {} // the node will say what is wrong with the file
	}
	ctx, cancel := context.WithCancel(ctx)
	var waits sync.WaitGroup
	waits.Go(func() {
		address, err := Await(ctx, home)
		if err != nil || a.Quiet {
			return
		}
		if _, err := fmt.Fprintf(a.Err, "See the court in a browser: %s/\n", address); err != nil {
			cancel() // nobody reads what the node says
		}
	})
	return func() { cancel(); waits.Wait() }
}

// Await returns the address of the pages of the node that starts on a home, as soon as it serves
// them.
func Await(ctx context.Context, home string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	for {
		n, err := api.Open(home)
		if err == nil {
			return n.URL(), nil
		}
		if !errors.Is(err, api.ErrNotRunning) {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", errors.Join(err, ctx.Err())
		case <-time.After(awaitStep):
		}
	}
}

const (
	awaitTime = 30 * time.Second
	awaitStep = 50 * time.Millisecond
)

// browser returns the command that opens an address on this machine; empty if there is none.
func browser() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if program, err := exec.LookPath("xdg-open"); err == nil {
		return []string{program}
	}
	return nil
}

// start runs a program that only tells another one what to do, and waits for its end.
func start(ctx context.Context, command []string) error {
	return exec.CommandContext(ctx, command[0], command[1:]...).Run()
}
