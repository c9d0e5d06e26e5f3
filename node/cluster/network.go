package cluster

import (
	"encoding/hex"
	"net/http"
	"sync/atomic"

	"ojud/node"
)

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
	genesis := c.Genesis()
	return node.Descriptor{
		Format: node.DescriptorFormat, Name: networkName, Network: hex.EncodeToString(genesis[:]), Program: programID().String(),
		RPC: c.rpc, WS: c.ws, Bootstrap: []string{}, Faucet: true,
	}
}
