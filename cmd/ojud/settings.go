package main

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
	"github.com/spf13/pflag"

	"ojud/config"
	"ojud/node"
	"ojud/node/client"
)

// nodeFlags are the flags of commands that run a node: settings of config by key.
type nodeFlags struct {
	listen, announce []string
	api, format      string
	set              []string
}

func (f *nodeFlags) add(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	flags.StringArrayVar(&f.listen, "listen", nil, "libp2p multiaddr to listen on (repeat for more)")
	flags.StringArrayVar(&f.announce, "announce", nil, "multiaddr to tell others instead, for a node behind a translation")
	addRPC(a, flags)
	flags.StringVar(&f.api, "api", "", `host:port of the HTTP API, or "off"`)
	flags.StringVar(&f.format, "log-format", "", "text or json")
	flags.StringArrayVar(&f.set, "set", nil, "any setting, as section.field=value (repeat for more)")
}

// addRPC adds the flag that says which RPC node to ask.
func addRPC(a *app, flags *pflag.FlagSet) {
	flags.StringVar(&a.rpc, "rpc", "", "URL or HOST:PORT of a Solana RPC node (default $OJUD_LEDGER__RPC or the court's)")
}

// values are the flags that were given, by key.
func (f *nodeFlags) values(a *app) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range map[string]string{"ledger.rpc": client.URL(a.rpc), "api.listen": f.api, "log.format": f.format, "log.level": a.logLevel} {
		if value != "" {
			out[key] = value
		}
	}
	for key, values := range map[string][]string{"p2p.listen": f.listen, "p2p.announce": f.announce} {
		if len(values) > 0 {
			out[key] = values
		}
	}
	for _, assignment := range f.set {
		key, value, ok := strings.Cut(assignment, "=")
		if !ok || key == "" {
			return nil, usage("--set %q has no value", assignment).next("write section.field=value, such as ledger.send.priority_fee=auto")
		}
		out[key] = value
	}
	return out, nil
}

// load gathers the settings of a node.
func (f *nodeFlags) load(a *app, h node.Home) (config.Config, error) {
	flags, err := f.values(a)
	if err != nil {
		return config.Config{}, err
	}
	defaults, err := config.DefaultFor(h.Descriptor)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(config.Sources{Home: h.Dir, File: a.config, Env: a.environ, Flags: flags, Defaults: &defaults})
}

func newConfig(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config",
		Short: "Show and change the settings of a node",
		Long: `Config shows and changes the settings of the home's node. A setting comes from the command line, the environment, the settings file
or a default; the first of these that has it wins. docs/settings.md describes all settings.`,
		Example: `  ojud config show --changed
  ojud config get ledger.rpc
  ojud config set judge.parallel 2`,
	})
	cmd.PersistentFlags().StringVar(&a.config, "config", "", "settings file (default ojud.toml in the home)")
	cmd.AddCommand(newConfigShow(a), newConfigGet(a), newConfigSet(a))
	return cmd
}

// settingSources returns the places of the settings. The defaults are those of the home's court, if the home has one.
func (a *app) settingSources() (config.Sources, error) {
	home, err := a.homeDir()
	if err != nil {
		return config.Sources{}, err
	}
	s := config.Sources{Home: home, File: a.config, Env: a.environ}
	network, err := client.LoadNetwork(context.Background(), filepath.Join(home, "network.json"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defaults, err := config.DefaultFor(network)
	s.Defaults = &defaults
	return s, err
}

func newConfigShow(a *app) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use:   "show [SECTION]",
		Short: "Show the settings, their values and where these come from",
		Long: `Show prints each setting with its value and its source: "default", the line of the settings file, or the environment variable. It shows
only scheme and host of URLs, because the rest may hold a key. With --json each line is an object.`,
		Example: `  ojud config show
  ojud config show ledger
  ojud config show --changed --json`,
		Args: takes(0, "a section"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.settingSources()
			if err != nil {
				return err
			}
			all, err := config.Describe(s)
			if err != nil {
				return err
			}
			section := first(args...)
			all = slices.DeleteFunc(all, func(at config.Setting) bool {
				return changed && at.Source == "default" || section != "" && at.Key != section && !strings.HasPrefix(at.Key, section+".")
			})
			return list(a, all, "there is no such setting", []string{"SETTING", "VALUE", "SOURCE"}, func(at config.Setting) []string {
				return []string{at.Key, at.Value, at.Source}
			})
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only settings that do not have their default value")
	return cmd
}

func newConfigGet(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "get KEY",
		Short:   "Print the value of one setting",
		Long:    `Get prints the value of one setting, such as ledger.rpc. With --json it prints the default and the source, too.`,
		Example: `  ojud config get api.listen`,
		Args:    takes(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.settingSources()
			if err != nil {
				return err
			}
			at, err := config.Get(s, args[0])
			if err != nil {
				return err
			}
			return a.show(at, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, at.Value)
				return err
			})
		},
	}
}

func newConfigSet(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Write one setting into the settings file",
		Long: `Set writes a setting into ojud.toml in the home, or into the file of --config. It keeps all other lines and comments. It refuses a
value that the node would refuse. A running node reads its settings when it starts.`,
		Example: `  ojud config set judge.parallel 2
  ojud config set p2p.listen /ip4/0.0.0.0/tcp/4600,/ip4/0.0.0.0/udp/4600/quic-v1`,
		Args: takes(2, "a key", "a value"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.settingSources()
			if err != nil {
				return err
			}
			path, err := config.Set(s, args[0], args[1])
			if err != nil {
				return err
			}
			set := map[string]string{"key": args[0], "value": args[1], "file": path}
			return a.show(set, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s = %s in %s; the node reads it when it starts\n", args[0], args[1], path)
				return err
			})
		},
	}
}
