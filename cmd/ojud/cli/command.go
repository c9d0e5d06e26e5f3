package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Group returns a command that only has subcommands. Without one it shows its help. An unknown
// subcommand is an error.
func Group(cmd *cobra.Command) *cobra.Command {
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
			return Usage("%s has no command %q", shortPath(cmd), args[0]).Next(next)
		}
		return Usage("there is no command %q", args[0]).Next(next)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// shortPath returns the words of a command without the "ojud" at their start.
func shortPath(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Takes checks the number of arguments. The first least names are required, the others optional.
func Takes(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return Usage("%s needs %s", shortPath(cmd), strings.Join(names[len(args):least], " and ")).Next("see: " + cmd.CommandPath() + " --help")
		case len(args) > len(names):
			return Usage("%s does not take %q", shortPath(cmd), args[len(names)]).Next("see: " + cmd.CommandPath() + " --help")
		}
		return nil
	}
}

// Court adds the flags of commands that ask a court.
func Court(a *App, cmd *cobra.Command) *cobra.Command {
	flags := cmd.PersistentFlags()
	flags.StringVar(&a.Network, "network", "", "network.json of the court: file, URL or HOST:PORT (default $OJUD_NETWORK or the home's)")
	flags.StringVar(&a.Key, "key", "", "key file, as solana-keygen writes it (default $OJUD_KEY or the home's authority.json)")
	addRPC(a, flags)
	return cmd
}
