package main

import (
	"strings"

	"github.com/spf13/cobra"

	"ojud/config"
	"ojud/node"
)

// nodeFlags are the flags of commands that run a node: settings of config by key.
type nodeFlags struct {
	listen, announce []string
	rpc, api, format string
	set              []string
}

func (f *nodeFlags) add(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	flags.StringArrayVar(&f.listen, "listen", nil, "libp2p multiaddr to listen on (repeat for more)")
	flags.StringArrayVar(&f.announce, "announce", nil, "multiaddr to tell others instead, for a node behind a translation")
	flags.StringVar(&f.rpc, "rpc", "", "URL of a Solana RPC node (default the court's)")
	flags.StringVar(&f.api, "api", "", `host:port of the HTTP API, or "off"`)
	flags.StringVar(&f.format, "log-format", "", "text or json")
	flags.StringArrayVar(&f.set, "set", nil, "any setting, as section.field=value (repeat for more)")
}

// values are the flags that were given, by key.
func (f *nodeFlags) values(a *app) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range map[string]string{"ledger.rpc": f.rpc, "api.listen": f.api, "log.format": f.format, "log.level": a.logLevel} {
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
