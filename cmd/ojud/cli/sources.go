package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"ojud/node/client"
	"ojud/node/sources"
)

// Sources opens the data sources of the home.
func (a *App) Sources(ctx context.Context) (*sources.Home, error) {
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	deps := sources.Deps{Dir: cfg.Home, RPC: cfg.Node.Ledger.RPC, LookupEnv: a.LookupEnv}
	if deps.RPC == "" {
		if deps.RPC, err = courtRPC(ctx, cfg.Home); err != nil {
			return nil, err
		}
	}
	if a.LogLevel != "" {
		if deps.Log, err = a.Logger(); err != nil {
			return nil, err
		}
	}
	return sources.New(cfg.Node.Sources, deps)
}

// courtRPC returns the RPC node of the home's court, in the form that the node uses. It is empty if
// the home has no court yet.
func courtRPC(ctx context.Context, home string) (string, error) {
	d, err := client.LoadNetwork(ctx, filepath.Join(home, "network.json"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return d.RPC, err
}
