package node

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	"ojud/node/network"
	"ojud/p2p/identity"
	"ojud/voting"
)

// Home is a node's directory: its keys and the court that it belongs to.
type Home struct {
	Dir        string
	Keys       Keys
	Descriptor Descriptor
}

// Path returns the path of a file of the home.
func (h Home) Path(name string) string { return filepath.Join(h.Dir, name) }

// Init makes a home for a court. It makes keys that are missing and leaves those that are there. It
// refuses to move a home to another court.
func Init(dir string, d Descriptor) (h Home, created bool, err error) {
	raw, err := d.Encode()
	if err != nil {
		return Home{}, false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", errHome, err)
	}
	if err := sameCourt(dir, d); err != nil {
		return Home{}, false, err
	}
	_, fresh, err := identity.LoadOrCreate(filepath.Join(dir, nodeKeyFile))
	if err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", errHome, err)
	}
	if _, _, err := transact.LoadOrCreateKeypair(filepath.Join(dir, authorityFile)); err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", errHome, err)
	}
	if err := durable.WriteFile(filepath.Join(dir, descriptorFile), raw); err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", errHome, err)
	}
	h, err = OpenHome(dir)
	return h, fresh, err
}

// These are the files of a home.
const (
	nodeKeyFile    = "node.key"
	authorityFile  = "authority.json"
	descriptorFile = "network.json"
	journalDir     = "journal"
	blobsDir       = "blobs"
	registryFile   = "registry.json"
)

// sameCourt refuses a descriptor if the home belongs to another court.
func sameCourt(dir string, d Descriptor) error {
	old, err := readDescriptor(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if old.Network != d.Network || old.Program != d.Program {
		return fmt.Errorf("%w: %s belongs to court %q (genesis %s, program %s), not to %q (genesis %s, program %s); use another directory",
			errHome, dir, old.Name, old.Network, old.Program, d.Name, d.Network, d.Program)
	}
	return keepsSigner(dir, old, d)
}

func readDescriptor(dir string) (Descriptor, error) {
	path := filepath.Join(dir, descriptorFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return Descriptor{}, fmt.Errorf("%w: %w", errHome, err)
	}
	d, err := ParseDescriptor(raw)
	if err != nil {
		return d, fmt.Errorf("%w: %s: %w", errHome, path, err)
	}
	return d, nil
}

// OpenHome reads a home. The error says which file is missing or wrong, and what to do.
func OpenHome(dir string) (Home, error) {
	d, err := readDescriptor(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Home{}, fmt.Errorf("%w: %s has no %s; run \"ojud init\" or \"ojud join URL\" first", errHome, dir, descriptorFile)
	}
	if err != nil {
		return Home{}, err
	}
	keys, err := LoadKeys(dir)
	if err != nil {
		return Home{}, err
	}
	return Home{Dir: dir, Keys: keys, Descriptor: d}, nil
}

// fill completes settings from the home and its descriptor.
func (h Home) fill(cfg Config) Config {
	set := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	set(&cfg.P2P.Network, h.Descriptor.Name)
	set(&cfg.P2P.Registry.Path, h.Path(registryFile))
	set(&cfg.Journal.Dir, h.Path(journalDir))
	set(&cfg.Blobs.Dir, h.Path(blobsDir))
	if cfg.Ledger.RPC == "" {
		cfg.Ledger.RPC, cfg.Ledger.Told = h.Descriptor.RPC, true
		set(&cfg.Ledger.WS, h.Descriptor.WS)
	}
	if len(cfg.P2P.Bootstrap) == 0 {
		cfg.P2P.Bootstrap = h.Descriptor.Bootstrap
	}
	return cfg
}

// DescriptorFormat names the form of network.json (protocol section 11).
const DescriptorFormat = "oju-network/2"

// oldFormat names the form that courts of version 1 of the protocol had.
const oldFormat = "oju-network/1"

// MaxDescriptor bounds network.json, in bytes.
const MaxDescriptor = 64 << 10

const (
	maxBootstrap = 64
	maxIssued    = 1<<53 - 1
)

var errDescriptor = errors.New("node: network descriptor")

var networkName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Descriptor says which court a node belongs to and how to reach it: the file network.json that a
// devnet serves and that an operator publishes (protocol section 11). Everything else is read from
// the chain.
type Descriptor struct {
	Format    string         `json:"format"`
	Name      string         `json:"name"`             // of the libp2p network
	Network   string         `json:"network"`          // genesis hash of the cluster, hex
	Program   string         `json:"program"`          // address of the oju program, base58
	RPC       string         `json:"rpc"`              // URL of a Solana JSON-RPC node
	WS        string         `json:"ws,omitempty"`     // URL of its websocket; empty: derived from RPC
	Bootstrap []string       `json:"bootstrap"`        // multiaddrs ending in /p2p/<peer ID>
	Faucet    bool           `json:"faucet,omitempty"` // requestAirdrop gives lamports
	Issued    int64          `json:"issued,omitempty"` // Unix seconds: when it was signed; a later one replaces an earlier one
	Signed    *FileSignature `json:"signed,omitempty"` // nil: nobody signed it
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
	case d.Format == oldFormat:
		return fault("format", "%q is that of a court of version 1 of the protocol, and this ojud speaks version 2; nothing of it was changed: "+
			"go on with the ojud that you used before, or join a court of version 2 with a new home (--home DIR)", d.Format)
	case strings.HasPrefix(d.Format, "oju-network/") && d.Format != DescriptorFormat:
		return fault("format", "%q is that of a later version of ojud, and this one reads %q; nothing was changed: "+
			"use the ojud that you used before, or a later one", d.Format, DescriptorFormat)
	case d.Format != DescriptorFormat:
		return fault("format", "%q, this program reads %q", d.Format, DescriptorFormat)
	case !networkName.MatchString(d.Name):
		return fault("name", "%q, must be 1 to 32 of a-z, 0-9 and -, not beginning with -", d.Name)
	case len(d.Bootstrap) > maxBootstrap:
		return fault("bootstrap", "%d addresses, at most %d", len(d.Bootstrap), maxBootstrap)
	case d.Issued < 0 || d.Issued > maxIssued:
		return fault("issued", "%d, must be Unix seconds from 0 to %d", d.Issued, int64(maxIssued))
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
	return d.checkSignature()
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
