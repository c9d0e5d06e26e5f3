package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/ledger/journal/durable"
	"ojud/ledger/transact"
	"ojud/p2p/identity"
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
	if err := sameCourt(filepath.Join(dir, descriptorFile), d); err != nil {
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
func sameCourt(path string, d Descriptor) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errHome, err)
	}
	old, err := ParseDescriptor(raw)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errHome, path, err)
	}
	if old.Network != d.Network || old.Program != d.Program {
		return fmt.Errorf("%w: %s belongs to court %q (genesis %s, program %s), not to %q (genesis %s, program %s); use another directory",
			errHome, filepath.Dir(path), old.Name, old.Network, old.Program, d.Name, d.Network, d.Program)
	}
	return nil
}

// OpenHome reads a home. The error says which file is missing or wrong, and what to do.
func OpenHome(dir string) (Home, error) {
	raw, err := os.ReadFile(filepath.Join(dir, descriptorFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Home{}, fmt.Errorf("%w: %s has no %s; run \"ojud init\" or \"ojud join URL\" first", errHome, dir, descriptorFile)
	}
	if err != nil {
		return Home{}, fmt.Errorf("%w: %w", errHome, err)
	}
	d, err := ParseDescriptor(raw)
	if err != nil {
		return Home{}, fmt.Errorf("%w: %s: %w", errHome, filepath.Join(dir, descriptorFile), err)
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
		cfg.Ledger.RPC = h.Descriptor.RPC
		set(&cfg.Ledger.WS, h.Descriptor.WS)
	}
	if len(cfg.P2P.Bootstrap) == 0 {
		cfg.P2P.Bootstrap = h.Descriptor.Bootstrap
	}
	return cfg
}
