package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/ledger"
	"ojud/p2p"
)

// Home is a node's directory: its keys and the court that it belongs to.
type Home struct {
	Dir        string
	Keys       Keys
	Descriptor Descriptor
}

// Path is where a file of the home is.
func (h Home) Path(name string) string { return filepath.Join(h.Dir, name) }

// Init makes a home for a court: keys that are not there are made, keys that are there stay. It refuses to move a home that
// belongs to another court.
func Init(dir string, d Descriptor) (h Home, created bool, err error) {
	raw, err := d.Encode()
	if err != nil {
		return Home{}, false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", ErrHome, err)
	}
	if err := sameCourt(filepath.Join(dir, descriptorFile), d); err != nil {
		return Home{}, false, err
	}
	_, fresh, err := p2p.LoadOrCreateIdentity(filepath.Join(dir, nodeKeyFile))
	if err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", ErrHome, err)
	}
	if _, _, err := ledger.LoadOrCreateKeypair(filepath.Join(dir, authorityFile)); err != nil {
		return Home{}, false, fmt.Errorf("%w: %w", ErrHome, err)
	}
	if err := writeFile(filepath.Join(dir, descriptorFile), raw); err != nil {
		return Home{}, false, err
	}
	h, err = OpenHome(dir)
	return h, fresh, err
}

// The files of a home.
const (
	nodeKeyFile    = "node.key"
	authorityFile  = "authority.json"
	descriptorFile = "network.json"
	journalDir     = "journal"
	blobsDir       = "blobs"
	registryFile   = "registry.json"
	apiFile        = "api"
)

// sameCourt refuses a descriptor of another court than the one that is there.
func sameCourt(path string, d Descriptor) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrHome, err)
	}
	old, err := ParseDescriptor(raw)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrHome, path, err)
	}
	if old.Network != d.Network || old.Program != d.Program {
		return fmt.Errorf("%w: %s belongs to court %q (genesis %s, program %s), not to %q (genesis %s, program %s); use another directory",
			ErrHome, filepath.Dir(path), old.Name, old.Network, old.Program, d.Name, d.Network, d.Program)
	}
	return nil
}

// OpenHome reads a home. The error says which file is missing or wrong, and what to do.
func OpenHome(dir string) (Home, error) {
	raw, err := os.ReadFile(filepath.Join(dir, descriptorFile))
	if errors.Is(err, fs.ErrNotExist) {
		return Home{}, fmt.Errorf("%w: %s has no %s; run \"ojud init\" or \"ojud join URL\" first", ErrHome, dir, descriptorFile)
	}
	if err != nil {
		return Home{}, fmt.Errorf("%w: %w", ErrHome, err)
	}
	d, err := ParseDescriptor(raw)
	if err != nil {
		return Home{}, fmt.Errorf("%w: %s: %w", ErrHome, filepath.Join(dir, descriptorFile), err)
	}
	keys, err := LoadKeys(dir)
	if err != nil {
		return Home{}, err
	}
	return Home{Dir: dir, Keys: keys, Descriptor: d}, nil
}

// writeFile replaces a file whole.
func writeFile(path string, raw []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrHome, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("%w: %w", ErrHome, err)
	}
	return nil
}
