// Package configure has the commands that show and change the settings of a node.
package configure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/cmd/ojud/cli"
	"ojud/config"
	"ojud/node/client"
)

// Command returns the command config.
func Command(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "config",
		Short: "Show and change the settings of a node",
		Long: `Config shows and changes the settings of the home's node. A setting comes from the command line, the
environment, the settings file or a default; the first of these that has it wins. docs/settings.md
describes all settings.`,
		Example: `  ojud config show --changed
  ojud config get ledger.rpc
  ojud config set judge.max_parallel_cases 2`,
	})
	cmd.PersistentFlags().StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home)")
	cmd.AddCommand(show(a), get(a), set(a), unset(a))
	return cmd
}

// withSettings calls f with the places of the settings. If the home has a court, its defaults hold.
func withSettings[T any](a *cli.App, f func(config.Sources) (T, error)) (out T, err error) {
	s, err := a.Places()
	if err != nil {
		return out, err
	}
	network, err := client.LoadNetwork(context.Background(), filepath.Join(s.Home, "network.json"), nil)
	if err == nil {
		var defaults config.Config
		defaults, err = config.DefaultFor(network)
		s.Defaults = &defaults
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	return f(s)
}

func show(a *cli.App) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use:   "show [SECTION]",
		Short: "Show the settings, their values and where these come from",
		Long: `Show prints each setting with its value and its source: "default", the line of the settings file, or
the environment variable. It shows only scheme and host of URLs, because the rest may hold a key.
With --json each line is an object.`,
		Example: `  ojud config show
  ojud config show ledger
  ojud config show --changed --json`,
		Args: cli.Takes(0, "a section"),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := withSettings(a, config.Describe)
			if err != nil {
				return err
			}
			section := cli.First(args...)
			all = slices.DeleteFunc(all, func(at config.Setting) bool {
				return changed && at.Source == "default" || section != "" && at.Key != section && !strings.HasPrefix(at.Key, section+".")
			})
			none := "there is no such setting"
			if changed {
				none = "every setting has its default value"
			}
			return cli.List(a, all, none, []string{"SETTING", "VALUE", "SOURCE"}, func(at config.Setting) []string {
				return []string{at.Key, at.Value, at.Source}
			})
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only settings that do not have their default value")
	return cmd
}

func get(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of one setting",
		Long: `Get prints the value of one setting, such as ledger.rpc. With --json it prints the default and the
source, too.`,
		Example: `  ojud config get api.listen`,
		Args:    cli.Takes(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error {
			at, err := withSettings(a, func(s config.Sources) (config.Setting, error) { return config.Get(s, args[0]) })
			if err != nil {
				return err
			}
			return a.Show(at, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, at.Value)
				return err
			})
		},
	}
}

func set(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Write one setting into the settings file",
		Long: `Set writes a setting into ojud.toml in the home, or into the file of --config. It keeps all other
lines and comments. It refuses a value that the node would refuse. A running node reads its settings
when it starts.`,
		Example: `  ojud config set judge.max_parallel_cases 2
  ojud config set p2p.listen /ip4/0.0.0.0/tcp/4600,/ip4/0.0.0.0/udp/4600/quic-v1`,
		Args: cli.Takes(2, "a key", "a value"),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := withSettings(a, func(s config.Sources) (string, error) { return config.Set(s, args[0], args[1]) })
			if err != nil {
				return err
			}
			done := map[string]string{"key": args[0], "value": args[1], "file": path}
			return a.Show(done, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s = %s in %s; the node reads it when it starts\n", args[0], args[1], path)
				return err
			})
		},
	}
}

func unset(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "unset KEY",
		Short: "Take one setting out of the settings file",
		Long: `Unset takes a setting out of ojud.toml in the home, or out of the file of --config, so that its
default holds again. It keeps all other lines and comments. A running node reads its settings when
it starts.`,
		Example: `  ojud config unset judge.max_parallel_cases`,
		Args:    cli.Takes(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := withSettings(a, func(s config.Sources) (string, error) { return config.Unset(s, args[0]) })
			if errors.Is(err, config.ErrNotSet) {
				return cli.Fail("%s is not in the settings file", args[0]).Next("ojud config show --changed")
			}
			if err != nil {
				return err
			}
			return a.Show(map[string]string{"key": args[0], "file": path}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s is no longer in %s; the node reads that when it starts\n", args[0], path)
				return err
			})
		},
	}
}
