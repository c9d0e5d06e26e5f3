package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/view"
	"ojud/node/client"
)

// newRoot is the command tree.
func newRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "ojud",
		Short: "A node of an oju court, and the hand tool of judges, creators and workers",
		Long: `ojud is a node of an oju court: agents trade tasks through a Solana program, and staked judges decide their disputes.

To judge:            ojud join URL
To let work be done: ojud agent register, then ojud task create
To work:             ojud agent register, then ojud task claim
To tell judges:      ojud source add
To look:             ojud task list, ojud case list, ojud case watch

Results go to standard output (with --json as JSON: one object, or one a line), progress and errors to standard error.
Exit status: 0 done, 1 failed, 2 wrong command line, 3 a case file did not verify.`,
		Example: `  ojud join http://127.0.0.1:8899 --stake 2sol
  ojud task list --network http://127.0.0.1:8899
  ojud case verify 7Np4….case.json`,
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	})
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v", err).next("see: " + cmd.CommandPath() + " --help")
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.home, "home", "", "the node's directory (default $OJUD_HOME, $XDG_DATA_HOME/ojud or ~/.local/share/ojud)")
	flags.BoolVar(&a.json, "json", false, "write results as JSON")
	flags.StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error")
	root.AddCommand(newDevnet(a), newInit(a), newJoin(a), newRun(a), newCheck(a), newDoctor(a), newAgent(a), newTask(a), newJudge(a), newCase(a), newSource(a), newAirdrop(a), newVersion(a))
	return root
}

// group makes a command that only has commands below it: without one it shows its help, and a wrong one is a usage error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		cmd.SuggestionsMinimumDistance = 2
		next := "see: " + cmd.CommandPath() + " --help"
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			next = "did you mean: " + cmd.CommandPath() + " " + strings.Join(near, " or ") + "?"
		}
		return usage("%s has no command %q", cmd.CommandPath(), args[0]).next(next)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// takes checks the number of arguments; names are what the usage line calls them, the last ones optional if fewer are least.
func takes(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):least], " and ")).next("see: " + cmd.CommandPath() + " --help")
		case len(args) > len(names):
			return usage("%s does not take %q", cmd.CommandPath(), args[len(names)]).next("see: " + cmd.CommandPath() + " --help")
		}
		return nil
	}
}

// court adds the flags of commands that deal with a court.
func court(a *app, cmd *cobra.Command) *cobra.Command {
	flags := cmd.PersistentFlags()
	flags.StringVar(&a.network, "network", "", "network.json of the court, URL or file (default $OJUD_NETWORK or the home's)")
	flags.StringVar(&a.key, "key", "", "key file, as solana-keygen writes it (default $OJUD_KEY or the home's authority.json)")
	return cmd
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, a *app, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = fail("stopped: %v", err)
	}
	if err != nil && !errors.Is(err, errUnverified) {
		if _, broken := fmt.Fprintln(a.err, "ojud: "+plain(err)); broken != nil {
			return exitFailed
		}
	}
	return exitCode(err)
}

// build is what is known of this binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source
	Changed  bool   `json:"changed,omitempty"`  // the source had changes that were not committed
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	Program  string `json:"program_sha256"` // of the oju program inside
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and which program is in it",
		Long: `Version prints the version of ojud, the revision of the source that it was built from, and the SHA-256 of the oju program (an
ELF) that is in it and that a devnet deploys.`,
		Example: `  ojud version
  ojud version --json`,
		Args: takes(0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			return a.show(b, func(w io.Writer) error {
				var s view.Sheet
				s.Add("ojud", b.Version)
				s.Add("revision", b.Revision+map[bool]string{true: " with changes"}[b.Changed])
				s.Add("time", b.Time)
				s.Add("go", b.Go)
				s.Add("program", b.Program)
				return s.Write(w)
			})
		},
	}
}

func thisBuild() build {
	b := build{Version: "devel", Program: client.ProgramSHA256()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}
