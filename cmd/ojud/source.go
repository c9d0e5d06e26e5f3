package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/config"
	"ojud/node/client"
	"ojud/node/shelf"
)

func newSource(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "source",
		Short: "Offer data to judges: MCP servers, HTTP APIs, files, SQLite, Solana",
		Long: `A source is something that a node can look up and tell: a tool of an MCP server, an HTTP API, files, a SQLite database, an
account or a transaction of Solana. These commands are about the sources of a home; a node that runs there follows them by itself.
Only query and payments ask that node for something: to get data from peers, and what was paid.
docs/data-sources.md goes through it step by step.`,
		Example: `  ojud source add site.post --http 'https://api.site.example/posts/{id}'
  ojud source list
  ojud source test site.post '{"id":"7"}'
  ojud source query site.post '{"id":"7"}'
  ojud source log --since 1h`,
	})
	cmd.PersistentFlags().StringVar(&a.config, "config", "", "settings file (default ojud.toml in the home, if there is one)")
	cmd.AddCommand(newSourceAdd(a), newSourceList(a), newSourceShow(a), newSourceTest(a), newSourceQuery(a), newSourceLog(a), newSourcePayments(a), newSourceRemove(a))
	return cmd
}

// shelf is the sources of the home.
func (a *app) shelf(ctx context.Context) (*shelf.Shelf, error) {
	home, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(config.Sources{Home: home, File: a.config, Env: a.environ})
	if err != nil {
		return nil, err
	}
	deps := shelf.Deps{Home: home, RPC: cfg.Node.Ledger.RPC, LookupEnv: a.lookup}
	if deps.RPC == "" || deps.RPC == config.Default().Node.Ledger.RPC {
		if deps.RPC, err = courtRPC(ctx, home); err != nil {
			return nil, err
		}
	}
	if a.logLevel != "" {
		if deps.Log, err = a.logger(); err != nil {
			return nil, usage("%v", err)
		}
	}
	return shelf.New(cfg.Node.Sources, deps)
}

// courtRPC is the RPC node of the home's court, as the node takes it; empty if the home has none yet.
func courtRPC(ctx context.Context, home string) (string, error) {
	d, err := client.LoadNetwork(ctx, filepath.Join(home, "network.json"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return d.RPC, err
}

// lookup reads an environment variable.
func (a *app) lookup(name string) (string, bool) {
	for _, v := range a.environ {
		if strings.HasPrefix(v, name+"=") {
			return a.getenv(name), true
		}
	}
	return "", false
}

// sourceError makes an error of what was typed one of the command line.
func sourceError(cmd *cobra.Command, err error) error {
	var wrong *shelf.Wrong
	switch {
	case errors.As(err, &wrong):
		return usage("%s", plain(wrong)).next("see: " + cmd.CommandPath() + " --help")
	case errors.Is(err, shelf.ErrUnknown):
		return fail("%v", err).next(`"ojud source list" shows those that there are`)
	}
	return err
}
