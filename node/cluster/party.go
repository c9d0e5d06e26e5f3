package cluster

import (
	"context"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/examples"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
)

// The funds of the parties: in the wallet for fees and rent, in the vault for reward and bonds.
const (
	partyWallet = 10 * onchain.LamportsPerSOL
	partyVault  = client.Lamports(2 * onchain.LamportsPerSOL)
	reward      = client.Lamports(onchain.LamportsPerSOL)
	workSeconds = 3600
)

// party is an agent with a vault: the creator or the worker.
type party struct {
	name string
	key  *ledger.Keypair
	*client.Client
	vault client.Lamports // before the dispute
}

// party opens an agent's client and registers it.
func (c *Cluster) party(ctx context.Context, name string) (*party, error) {
	key, err := c.key(name)
	if err != nil {
		return nil, err
	}
	c.teller.name(key.Address(), "the "+name)
	if err := c.treasury.fund(ctx, key.Address(), partyWallet); err != nil {
		return nil, err
	}
	cfg := client.DefaultConfig()
	cfg.Ledger = c.cfg.Node.Ledger
	cfg.Ledger.RPC, cfg.Ledger.WS = "", "off"
	cfg.Content.Linger, cfg.Content.Copies = 500*time.Millisecond, min(3, len(c.running()))
	if cfg.Content.Patience = c.cfg.Patience; cfg.Content.Patience > 10*time.Minute {
		cfg.Content.Patience = 10 * time.Minute
	}
	p := &party{name: name, key: key}
	if p.Client, err = client.Open(ctx, c.descriptor, key, cfg, client.Deps{Transport: c.chain.server.Transport(), Logger: c.log}); err != nil {
		return nil, fmt.Errorf("cluster: the %s: %w", name, err)
	}
	return p, nil
}

// register makes a party an agent with so much in its vault.
func (p *party) register(ctx context.Context, vault client.Lamports) error {
	done, err := p.Register(ctx, client.Profile{}, vault)
	if err != nil {
		return fmt.Errorf("cluster: the %s: %w", p.name, err)
	}
	p.vault = done.Agent.Vault
	return nil
}

// papers are the documents of the dispute, and their words for people.
type papers struct {
	task, result, objection, counter library.Document
	words                            struct{ task, result, objection, counter string }
}

func example[T any](name string, parse func([]byte) (casefile.Doc[T], error)) (library.Document, error) {
	raw, err := examples.Read(name + ".json")
	if err != nil {
		return library.Document{}, fmt.Errorf("cluster: %w", err)
	}
	doc, err := parse(raw)
	if err != nil {
		return library.Document{}, fmt.Errorf("cluster: example %s: %w", name, err)
	}
	return library.Document{Content: doc.Raw, Hash: doc.Hash}, nil
}
