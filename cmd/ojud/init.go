package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ojud/node"
	"ojud/node/client"
)

// homeMade is the result of init.
type homeMade struct {
	Home    string `json:"home"`
	Created bool   `json:"created"` // false: it was there
	Network string `json:"network"`
	Judge   string `json:"judge"`    // authority, base58
	NodeID  string `json:"agent_id"` // did:key
}

func newInit(a *app) *cobra.Command {
	var ref string
	var m mind
	cmd := &cobra.Command{
		Use:   "init --network URL|FILE",
		Short: "Make a home for a judge's node: keys, and which court it belongs to",
		Long: `Init makes the node's directory: node.key (its identity among peers), authority.json (its Solana key: stake, fees,
rewards) and network.json (which court). Keys that are there stay, so it may be repeated. Back both keys up: who has lost
authority.json has lost the stake, and a node.key that runs on two machines is slashed.

--persona and --model write ojud.toml, too: how this judge looks at cases, and which model it asks.`,
		Example: `  ojud init --network http://127.0.0.1:8899/network.json
  ojud init --network http://127.0.0.1:8899/network.json --persona literal-reader --model-url http://127.0.0.1:8080/v1 --model qwen3-8b
  ojud init --network court.json --home /srv/ojud`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ref == "" {
				return usage("init needs --network").next("name the network.json of the court, by URL or file")
			}
			h, created, err := a.makeHome(cmd.Context(), ref)
			if err != nil {
				return err
			}
			if err := m.write(h); err != nil {
				return err
			}
			made, err := describe(h, created)
			if err != nil {
				return err
			}
			return a.show(made, func(w io.Writer) error {
				return sheet{
					{"home", made.Home}, {"court", made.Network}, {"judge", made.Judge}, {"node", made.NodeID},
					{"next", fmt.Sprintf("give %s some SOL, then: ojud judge register --stake AMOUNT", made.Judge)},
				}.write(w)
			})
		},
	}
	m.add(cmd)
	cmd.Flags().StringVar(&ref, "network", "", "network.json of the court, URL or file")
	return cmd
}

// makeHome fetches network.json and makes or updates the home.
func (a *app) makeHome(ctx context.Context, ref string) (node.Home, bool, error) {
	dir, err := a.homeDir()
	if err != nil {
		return node.Home{}, false, err
	}
	network, err := client.LoadNetwork(ctx, ref, nil)
	if err != nil {
		return node.Home{}, false, err
	}
	return node.Init(dir, network)
}

func describe(h node.Home, created bool) (homeMade, error) {
	did, err := h.Keys.Identity.DID()
	if err != nil {
		return homeMade{}, fmt.Errorf("node key: %w", err)
	}
	return homeMade{Home: h.Dir, Created: created, Network: h.Descriptor.Name, Judge: h.Keys.Authority.Address().String(), NodeID: did}, nil
}
