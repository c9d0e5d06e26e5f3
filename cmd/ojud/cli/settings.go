package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ojud/config"
	"ojud/node"
	"ojud/node/client"
)

// NodeFlags are the flags of commands that run a node or look at its home. Each is a setting.
type NodeFlags struct {
	listen, announce []string
	api, format      string
	set              []string
}

// Add adds the flags to a command.
func (f *NodeFlags) Add(a *App, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.Config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	flags.StringArrayVar(&f.listen, "listen", nil, "libp2p multiaddr to listen on (repeat for more)")
	flags.StringArrayVar(&f.announce, "announce", nil, "multiaddr to announce instead, for a node behind NAT")
	addRPC(a, flags)
	flags.StringVar(&f.api, "api", "", `host:port of the HTTP API, or "off"`)
	flags.StringVar(&f.format, "log-format", "", "plain, text or json (default plain on a terminal, and text elsewhere)")
	flags.StringArrayVar(&f.set, "set", nil, "any setting, as section.field=value (repeat for more)")
}

// addRPC adds the flag --rpc.
func addRPC(a *App, flags *pflag.FlagSet) {
	flags.StringArrayVar(&a.RPC, "rpc", nil, "URL or HOST:PORT of a Solana RPC node (default $OJUD_LEDGER__RPC or the court's; repeat\nfor more: their answers are compared)")
}

// values returns the settings of the flags that were given, by key.
func (f *NodeFlags) values(a *App) (map[string]any, error) {
	out := map[string]any{}
	if len(a.RPC) > 0 { // all of them replace those of the settings
		out["ledger.rpc"], out["ledger.more_rpc"] = client.URL(a.RPC[0]), config.URLs(a.RPC[1:])
	}
	for key, value := range map[string]string{"api.listen": f.api, "log.format": f.format, "log.level": a.LogLevel} {
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
			return nil, Usage("--set %q has no value", assignment).Next("write section.field=value, such as ledger.send.priority_fee=auto")
		}
		out[key] = value
	}
	return out, nil
}

// Load gathers the settings of a node.
func (f *NodeFlags) Load(a *App, h node.Home) (config.Config, error) {
	flags, err := f.values(a)
	if err != nil {
		return config.Config{}, err
	}
	defaults, err := config.DefaultFor(h.Descriptor)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(config.Sources{Home: h.Dir, File: a.Config, Env: a.Environ, Flags: flags, Defaults: &defaults})
}

// Places returns where settings come from: the home, a file, and the environment.
func (a *App) Places() (config.Sources, error) {
	home, err := a.HomeDir()
	return config.Sources{Home: home, File: a.Config, Env: a.Environ}, err
}

// Settings gathers the settings of the home.
func (a *App) Settings() (config.Config, error) {
	s, err := a.Places()
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(s)
}
