package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/agents"
	"ojud/cmd/ojud/backup"
	"ojud/cmd/ojud/brain"
	"ojud/cmd/ojud/browse"
	"ojud/cmd/ojud/chain"
	"ojud/cmd/ojud/check"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/configure"
	"ojud/cmd/ojud/desk"
	"ojud/cmd/ojud/dispute"
	"ojud/cmd/ojud/mcp"
	"ojud/cmd/ojud/source"
	"ojud/cmd/ojud/talk"
	"ojud/cmd/ojud/view"
	"ojud/cmd/ojud/webhook"
)

// app holds what all commands share. Its methods are parts that several commands need.
type app struct{ *cli.App }

func newApp(environ []string, out, err io.Writer) *app { return &app{cli.New(environ, out, err)} }

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
	root := cli.Group(&cobra.Command{
		Use:   "ojud",
		Short: "Run a node of an oju court, or use a court as a judge or as a party",
		Long: `ojud is a node of an oju court. In a court, agents trade tasks through a Solana program, and judges
with a stake decide the disputes.

A command writes its result to standard output, with --json as JSON: one object, or one on each
line. It writes progress and errors to standard error. Exit status: 0 done, 1 failed, 2 wrong
command line, 3 a case file is not verified.`,
		Example: `  ojud devnet --demo --fast
  ojud join http://127.0.0.1:8899 --stake 2sol
  ojud task list --network http://127.0.0.1:8899
  ojud case verify 7Np4….case.json`,
		Version:       cli.ThisBuild().Line(),
		SilenceErrors: true, SilenceUsage: true,
	})
	a.Root = root
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.Usage("%v", err).Next("see: " + cmd.CommandPath() + " --help")
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.Home, "home", "", "the node's directory (default $OJUD_HOME, $XDG_DATA_HOME/ojud or ~/.local/share/ojud)")
	flags.BoolVar(&a.JSON, "json", false, "write results as JSON")
	flags.BoolVar(&a.Quiet, "quiet", false, "write no progress, only results and errors")
	flags.StringVar(&a.LogLevel, "log-level", "", "debug, info, warn or error")
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{forTrying, "To try it on this machine:", []*cobra.Command{newDevnet(a), chain.Command(a.App), newAirdrop(a), newSim(a)}},
		{forJudges, "For judges:", []*cobra.Command{newJoin(a), newInit(a), newRun(a), newJudge(a), newCourt(a), newDoctor(a), backup.Command(a.App), configure.Command(a.App), webhook.Command(a.App)}},
		{forParties, "For people who post work or do it:", []*cobra.Command{newAgent(a), agents.Command(a.App), newTask(a), check.Command(a.App), newEngine(a), dispute.Command(a.App), talk.Agreements(a.App), desk.Command(a.App), brain.Command(a.App)}},
		{forHolders, "For people who have data:", []*cobra.Command{source.Command(a.App)}},
		{forReaders, "For everybody:", []*cobra.Command{newCase(a), browse.Command(a.App), mcp.Command(a.App), mcp.A2A(a.App)}},
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

// usageTemplate replaces the list of the flags that all commands have by one line.
func usageTemplate(text string) string {
	before, rest, found := strings.Cut(text, "{{if .HasAvailableInheritedFlags}}")
	_, after, ended := strings.Cut(rest, "{{end}}")
	if !found || !ended {
		return text // another version of cobra; TestHelp finds it
	}
	before = strings.ReplaceAll(before, ".LocalFlags.FlagUsages", fmt.Sprintf("(.LocalFlags.FlagUsagesWrapped %d)", view.Width))
	return before + `{{if .HasAvailableInheritedFlags}}

Flags of all commands, and of this group: ojud help flags{{end}}` + after
}

// newFlagsTopic returns the page "ojud help flags".
func newFlagsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "flags",
		Short: "The flags that many commands have",
		Long: `All commands have these flags:

  --home DIR         the node's directory
                     (default $OJUD_HOME, $XDG_DATA_HOME/ojud or ~/.local/share/ojud)
  --json             write results as JSON: one object, or one on each line
  --quiet            write no progress, only results and errors; output has no colours
  --log-level LEVEL  debug, info, warn or error

The commands that ask a court (agent, task, desk, case, judge, court, airdrop) have these flags, too:

  --network REF      network.json of the court: a file, a URL or HOST:PORT
                     (default $OJUD_NETWORK or the home's)
  --key FILE         key file, as solana-keygen writes it
                     (default $OJUD_KEY or the home's authority.json)
  --rpc URL          URL or HOST:PORT of a Solana RPC node (repeat for more to compare)
                     (default $OJUD_LEDGER__RPC or the court's)

The commands that read the settings of a node (join, run, check, doctor, source, config) have
--config FILE (default ojud.toml in the home). Those that run a node or look at it have --set
SECTION.FIELD=VALUE for any setting; docs/settings.md lists the settings.

Amounts have a unit: 1sol, 0.5sol, 1000lamports. Times are such as 90s, 30m, 8h or 2d.`,
	}
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, a *app, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = cli.Fail("stopped")
	}
	if err != nil && !errors.Is(err, cli.ErrUnverified) {
		if _, broken := fmt.Fprintln(a.Err, "ojud: "+a.Typed(cli.Plain(err))); broken != nil {
			return cli.ExitFailed
		}
	}
	return cli.ExitCode(err)
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and which program is in it",
		Long: `Version prints the version of ojud, the revision of the source that it was built from, and the
SHA-256 of the oju program (an ELF) that is in it and that a devnet deploys.`,
		Example: `  ojud version
  ojud version --json`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ThisBuild()
			return a.Show(b, func(w io.Writer) error {
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
