package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// Identity names the owner of a journal: a program on a network. It is written when the journal is
// made and never changes.
type Identity struct {
	Network voting.Hash // genesis hash of the cluster
	Program voting.Key
}

// identityFile is how an identity is kept.
type identityFile struct {
	Format  string          `json:"format"`
	Network onchain.Hash    `json:"network"`
	Program onchain.Address `json:"program"`
}

const (
	identityFamily = "oju-journal/"
	identityFormat = identityFamily + "1"
	identityName   = "identity.json" // beside the second copy of own votes
)

func (id Identity) encode() ([]byte, error) {
	return json.Marshal(identityFile{identityFormat, onchain.Hash(id.Network), onchain.Address(id.Program)})
}

func decodeIdentity(b []byte) (Identity, error) {
	var f identityFile
	if err := json.Unmarshal(b, &f); err != nil {
		return Identity{}, fmt.Errorf("identity: %w", err)
	}
	if f.Format != identityFormat && strings.HasPrefix(f.Format, identityFamily) {
		return Identity{}, fmt.Errorf("%w: format %.40q, this ojud knows %q", errLater, f.Format, identityFormat)
	}
	if f.Format != identityFormat {
		return Identity{}, fmt.Errorf("format %.40q, this ojud knows %q", f.Format, identityFormat)
	}
	return Identity{voting.Hash(f.Network), voting.Key(f.Program)}, nil
}

// identify checks that the journal is of that chain, and writes so into a new one: into the
// database, and beside the second copy of own votes, which may outlive it.
func (j *Journal) identify(want Identity) error {
	if want.Network.IsZero() || want.Program.IsZero() {
		return fmt.Errorf("%w: identity without a network or program", ErrInvalid)
	}
	text, err := want.encode()
	if err != nil {
		return fmt.Errorf("journal: identity: %w", err)
	}
	path := filepath.Join(j.own.dir, identityName)
	copied, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: identity: %w", err)
	}
	kept, err := j.read([]byte{identityKind})
	if err != nil {
		return corrupt(j.cfg.Dir, err)
	}
	for _, b := range [][]byte{kept, copied} {
		if err := want.check(b, j.cfg.Dir); err != nil {
			return err
		}
	}
	if copied == nil {
		if err := durable.WriteFile(path, text); err != nil {
			return fmt.Errorf("journal: identity: %w", err)
		}
	}
	if kept == nil {
		return j.write("identity", item{[]byte{identityKind}, text})
	}
	return nil
}

// checkCopy compares with the identity that is kept beside the database in dir, if there is one.
func (id Identity) checkCopy(dir string) error {
	copied, err := os.ReadFile(filepath.Join(dir, ownDir, identityName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: identity: %w", err)
	}
	return id.check(copied, dir)
}

// check compares with the kept identity, if there is one.
func (id Identity) check(kept []byte, dir string) error {
	if kept == nil {
		return nil
	}
	have, err := decodeIdentity(kept)
	if errors.Is(err, errLater) {
		return fmt.Errorf("%w (%s); nothing in it was changed: use the ojud that you used before, or a later one", err, dir)
	}
	if err != nil {
		return corrupt(dir, err)
	}
	return have.match(id, dir)
}

func (id Identity) match(want Identity, dir string) error {
	if id.Network != want.Network {
		return fmt.Errorf("%w: the journal in %s belongs to network %s, the RPC serves %s; use an RPC of that network, or another directory",
			errOtherChain, dir, onchain.Hash(id.Network), onchain.Hash(want.Network))
	}
	if id.Program != want.Program {
		return fmt.Errorf("%w: the journal in %s belongs to program %s, this node is set to %s; use that program, or another directory",
			errOtherChain, dir, onchain.Address(id.Program), onchain.Address(want.Program))
	}
	return nil
}
