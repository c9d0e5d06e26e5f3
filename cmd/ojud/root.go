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

// The groups of commands in the help of the program.
const (
	forJudges  = "judges"
	forParties = "parties"
	forHolders = "holders"
	forReaders = "readers"
	forTrying  = "trying"
	forAll     = "all"
)

// newRoot returns the command tree.
func newRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "ojud",
		Short: "Run a node of an oju court, or use a court as a judge or as a party",
		Long: `ojud is a node of an oju court. In a court, agents trade tasks through a Solana program, and judges with a stake decide the disputes.

A command writes its result to standard output, with --json as JSON: one object, or one on each line. It writes progress and errors to
standard error. Exit status: 0 done, 1 failed, 2 wrong command line, 3 a case file is not verified.`,
		Example: `  ojud devnet --demo --fast
  ojud join http://127.0.0.1:8899 --stake 2sol
  ojud task list --network http://127.0.0.1:8899
  ojud case verify 7Np4….case.json`,
		Version:       thisBuild().line(),
		SilenceErrors: true, SilenceUsage: true,
	})
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v", err).next("see: " + cmd.CommandPath() + " --help")
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.home, "home", "", "the node's directory (default $OJUD_HOME, $XDG_DATA_HOME/ojud or ~/.local/share/ojud)")
	flags.BoolVar(&a.json, "json", false, "write results as JSON")
	flags.StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error")
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{forTrying, "To try it on this machine:", []*cobra.Command{newDevnet(a), newAirdrop(a)}},
		{forJudges, "For judges:", []*cobra.Command{newJoin(a), newInit(a), newRun(a), newJudge(a), newDoctor(a), newConfig(a)}},
		{forParties, "For people who post work or do it:", []*cobra.Command{newAgent(a), newTask(a)}},
		{forHolders, "For people who have data:", []*cobra.Command{newSource(a)}},
		{forReaders, "For everybody:", []*cobra.Command{newCase(a)}},
		{forAll, "About the program:", []*cobra.Command{newVersion(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(forAll)
	root.SetCompletionCommandGroupID(forAll)
	root.AddCommand(newFlagsTopic())
	return root
}

// usageTemplate puts one line in the place of the flags that all commands have.
func usageTemplate(text string) string {
	before, rest, found := strings.Cut(text, "{{if .HasAvailableInheritedFlags}}")
	_, after, ended := strings.Cut(rest, "{{end}}")
	if !found || !ended {
		return text // another version of cobra; TestHelp notices
	}
	return before + `{{if .HasAvailableInheritedFlags}}

Flags of all commands, and of this group: ojud help flags{{end}}` + after
}

// newFlagsTopic returns the page "ojud help flags".
func newFlagsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "flags",
		Short: "The flags that many commands have",
		Long: `All commands have these flags:

  --home DIR         the node's directory (default $OJUD_HOME, $XDG_DATA_HOME/ojud or ~/.local/share/ojud)
  --json             write results as JSON: one object, or one on each line
  --log-level LEVEL  debug, info, warn or error

The commands that ask a court (agent, task, case, judge, airdrop) have these flags, too:

  --network REF      network.json of the court: a file, a URL or HOST:PORT (default $OJUD_NETWORK or the home's)
  --key FILE         key file, as solana-keygen writes it (default $OJUD_KEY or the home's authority.json)
  --rpc URL          URL or HOST:PORT of a Solana RPC node (default $OJUD_LEDGER__RPC or the court's)

The commands that read the settings of a node (join, run, check, doctor, source, config) have --config FILE (default ojud.toml in the
home). Those that run a node or look at it have --set SECTION.FIELD=VALUE for any setting; docs/settings.md lists the settings.

Amounts have a unit: 1sol, 0.5sol, 1000lamports. Times are such as 90s, 30m, 8h or 2d.`,
	}
}

// group returns a command that only has commands below it. Alone it shows its help; a command that does not exist is an error.
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
		if cmd.HasParent() {
			return usage("%s has no command %q", shortPath(cmd), args[0]).next(next)
		}
		return usage("there is no command %q", args[0]).next(next)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// shortPath returns the words of a command without "ojud", which begins every error.
func shortPath(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// takes checks the number of arguments. Only the first least of the names are required.
func takes(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s needs %s", shortPath(cmd), strings.Join(names[len(args):least], " and ")).next("see: " + cmd.CommandPath() + " --help")
		case len(args) > len(names):
			return usage("%s does not take %q", shortPath(cmd), args[len(names)]).next("see: " + cmd.CommandPath() + " --help")
		}
		return nil
	}
}

// court adds the flags of commands that ask a court.
func court(a *app, cmd *cobra.Command) *cobra.Command {
	flags := cmd.PersistentFlags()
	flags.StringVar(&a.network, "network", "", "network.json of the court: file, URL or HOST:PORT (default $OJUD_NETWORK or the home's)")
	flags.StringVar(&a.key, "key", "", "key file, as solana-keygen writes it (default $OJUD_KEY or the home's authority.json)")
	addRPC(a, flags)
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

// line describes the build on one line.
func (b build) line() string {
	text := "ojud " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision + map[bool]string{true: " with changes"}[b.Changed] + ")"
	}
	return text
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
