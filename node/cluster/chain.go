package cluster

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"

	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/cluster/genesis"
)

// Chain is the embedded chain with the program. It listens on the ports of Config.Chain.
type Chain struct {
	server  *devnet.Server
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // of Serve and Close, when done is closed
	rpc, ws string
}

// openChain starts the chain. It runs until close, even if ctx ends before.
func openChain(ctx context.Context, cfg Config, deployer *ledger.Keypair, network http.Handler, log *slog.Logger) (*Chain, error) {
	cfg.Chain.Chain.Dir = filepath.Join(cfg.Dir, "chain")
	tokens, err := genesis.Tokens()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	server, err := devnet.New(cfg.Chain, devnet.Deps{Logger: log, Network: network, Genesis: bank.Genesis{
		Programs: genesis.Programs(deployer.Address()), Accounts: tokens,
	}})
	if errors.Is(err, bank.ErrGenesis) {
		return nil, fmt.Errorf("cluster: %s was made with another version of the program, use another directory: %w", cfg.Dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	c := &Chain{server: server, done: make(chan struct{})}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	ready := make(chan struct{})
	go func() {
		defer close(c.done)
		c.err = server.Serve(life, func(rpc, ws net.Addr) {
			c.rpc, c.ws = "http://"+rpc.String(), "ws://"+ws.String()
			close(ready)
		})
		c.err = errors.Join(c.err, server.Close())
	}()
	select {
	case <-ready:
		return c, nil
	case <-c.done:
		cancel()
		return nil, fmt.Errorf("cluster: the chain did not start: %w", c.err)
	}
}

// close stops the chain.
func (c *Chain) close() error {
	c.cancel()
	<-c.done
	return c.err
}

// Server returns the chain's server: to read its bank, to warp, or to reach it without a network.
func (c *Chain) Server() *devnet.Server { return c.server }

// RPC returns the URL of the chain's JSON-RPC.
func (c *Chain) RPC() string { return c.rpc }

// Genesis returns the hash that names the cluster.
func (c *Chain) Genesis() onchain.Hash { return onchain.Hash(c.server.Bank().GenesisHash()) }

// Lamports returns the sum of all accounts, which never changes.
func (c *Chain) Lamports() (total uint64) {
	c.server.Bank().Read(bank.Processed, func(v *bank.View) { total = v.Capitalization() })
	return total
}

// networkName is the libp2p network of every devnet. The genesis hash keeps them apart.
const networkName = "devnet"

// board serves network.json when there is one.
type board struct{ raw atomic.Pointer[[]byte] }

// ServeHTTP answers GET /network.json.
func (b *board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw := b.raw.Load()
	if raw == nil {
		http.Error(w, "the first node is not up yet, try again in a moment", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(*raw); err != nil {
		return // the client went away
	}
}

func (b *board) show(d node.Descriptor) error {
	raw, err := d.Encode()
	if err == nil {
		b.raw.Store(&raw)
	}
	return err
}

// describe returns the court's descriptor (protocol section 11) without bootstrap nodes.
func (c *Chain) describe() node.Descriptor {
	hash := c.Genesis()
	return node.Descriptor{
		Format: node.DescriptorFormat, Name: networkName, Network: hex.EncodeToString(hash[:]), Program: genesis.Court().String(),
		RPC: c.rpc, WS: c.ws, Bootstrap: []string{}, Faucet: true,
	}
}
