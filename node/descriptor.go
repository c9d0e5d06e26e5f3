package node

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/ledger/onchain"
	"ojud/node/network"
	"ojud/voting"
)

// DescriptorFormat names the form of network.json (protocol section 11).
const DescriptorFormat = "oju-network/1"

// MaxDescriptor bounds network.json, in bytes.
const MaxDescriptor = 64 << 10

// maxBootstrap bounds the addresses to join through.
const maxBootstrap = 64

// errDescriptor is wrapped by every error of ParseDescriptor.
var errDescriptor = errors.New("node: network descriptor")

var networkName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Descriptor says which court a node belongs to and how to reach it: the file network.json that a
// devnet serves and that an operator publishes (protocol section 11). Everything else is read from
// the chain.
type Descriptor struct {
	Format    string   `json:"format"`
	Name      string   `json:"name"`             // of the libp2p network
	Network   string   `json:"network"`          // genesis hash of the cluster, hex
	Program   string   `json:"program"`          // address of the oju program, base58
	RPC       string   `json:"rpc"`              // URL of a Solana JSON-RPC node
	WS        string   `json:"ws,omitempty"`     // URL of its websocket; empty: derived from RPC
	Bootstrap []string `json:"bootstrap"`        // multiaddrs ending in /p2p/<peer ID>
	Faucet    bool     `json:"faucet,omitempty"` // requestAirdrop gives lamports
}

// ParseDescriptor reads network.json. The error names the wrong field and its requirement.
func ParseDescriptor(raw []byte) (Descriptor, error) {
	if len(raw) > MaxDescriptor {
		return Descriptor{}, fmt.Errorf("%w: %d bytes, limit %d", errDescriptor, len(raw), MaxDescriptor)
	}
	var d Descriptor
	if err := network.DecodeStrict(raw, &d); err != nil {
		return Descriptor{}, fmt.Errorf("%w: %w", errDescriptor, err)
	}
	return d, d.Validate()
}

// Validate names the first field that is wrong.
func (d Descriptor) Validate() error {
	fault := func(field, format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", errDescriptor, field, fmt.Sprintf(format, args...))
	}
	switch {
	case d.Format != DescriptorFormat:
		return fault("format", "%q, this program reads %q", d.Format, DescriptorFormat)
	case !networkName.MatchString(d.Name):
		return fault("name", "%q, must be 1 to 32 of a-z, 0-9 and -, not beginning with -", d.Name)
	case len(d.Bootstrap) > maxBootstrap:
		return fault("bootstrap", "%d addresses, at most %d", len(d.Bootstrap), maxBootstrap)
	}
	if raw, err := hex.DecodeString(d.Network); err != nil || len(raw) != len(voting.Hash{}) {
		return fault("network", "%q, must be the genesis hash as 64 hex digits", d.Network)
	}
	if _, err := onchain.ParseAddress(d.Program); err != nil {
		return fault("program", "%q, must be a base58 address", d.Program)
	}
	if err := checkURL(d.RPC, "http", "https"); err != nil {
		return fault("rpc", "%v", err)
	}
	if d.WS != "" {
		if err := checkURL(d.WS, "ws", "wss"); err != nil {
			return fault("ws", "%v", err)
		}
	}
	for i, addr := range d.Bootstrap {
		if _, err := peer.AddrInfoFromString(addr); err != nil {
			return fault(fmt.Sprintf("bootstrap[%d]", i), "%q, must be a multiaddr ending in /p2p/<peer ID>: %v", addr, err)
		}
	}
	return nil
}

func checkURL(raw, plain, secure string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != plain && u.Scheme != secure {
		return fmt.Errorf("must be a URL that begins with %s:// or %s://", plain, secure)
	}
	return nil
}

// Encode returns the descriptor as it is served and stored: indented JSON with a final newline.
func (d Descriptor) Encode() ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDescriptor, err)
	}
	return append(raw, '\n'), nil
}

// Domain returns the domain that binds signatures and commitments to this network. The descriptor
// must be valid.
func (d Descriptor) Domain() (voting.Domain, error) {
	raw, err := hex.DecodeString(d.Network)
	if err != nil || len(raw) != len(voting.Hash{}) {
		return voting.Domain{}, fmt.Errorf("%w: network: %q", errDescriptor, d.Network)
	}
	program, err := onchain.ParseAddress(d.Program)
	if err != nil {
		return voting.Domain{}, fmt.Errorf("%w: program: %w", errDescriptor, err)
	}
	return voting.Domain{Network: voting.Hash(raw), Program: voting.Key(program)}, nil
}
