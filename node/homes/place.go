package homes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/config"
	"ojud/datasource"
	"ojud/ledger/journal/durable"
	"ojud/node"
	"ojud/node/client"
)

// Home is a judge's home that Make made, or found.
type Home struct {
	Name    string           `json:"name"`
	Home    string           `json:"home"`
	Created bool             `json:"created"`  // false: it was there
	Added   []string         `json:"added"`    // files that were missing in the home
	Judge   string           `json:"judge"`    // authority, base58
	NodeID  string           `json:"agent_id"` // did:key
	Persona string           `json:"persona,omitempty"`
	Models  []string         `json:"models,omitempty"`
	Sources []string         `json:"sources,omitempty"`
	Stake   *client.Lamports `json:"stake,omitempty"`
	// State says what Enter did: "joined", "is on the roster", or nothing if Enter was not called.
	State string `json:"state,omitempty"`

	keys node.Keys
}

// Make makes the home of each judge in a folder, as DIR/NAME. It looks at all homes before it makes
// the first one, so a home that says something else than the file stops it before it begins.
func (p Drafts) Make(dir string, d node.Descriptor) (out []Home, err error) {
	for _, j := range p {
		for _, f := range j.files(filepath.Join(dir, j.Name)) {
			if _, err := f.missing(); err != nil {
				return nil, err
			}
		}
	}
	for _, j := range p {
		h, created, err := node.Init(filepath.Join(dir, j.Name), d)
		if err != nil {
			return out, fmt.Errorf("homes: %s: %w", j.Name, err)
		}
		made := Home{Name: j.Name, Home: h.Dir, Created: created, Judge: h.Keys.Authority.Address().String(), Persona: j.Persona.Name, Models: j.Models, Stake: j.Stake, keys: h.Keys}
		if made.NodeID, err = h.Keys.Identity.DID(); err != nil {
			return out, fmt.Errorf("homes: %s: %w", j.Name, err)
		}
		for _, s := range j.sources {
			made.Sources = append(made.Sources, s.Name)
		}
		if made.Added, err = j.Place(h.Dir); err != nil {
			return out, err
		}
		out = append(out, made)
	}
	return out, nil
}

// file is a file of a home that the judge's entry determines.
type file struct {
	path string
	text func() ([]byte, error)
}

func (j Draft) files(home string) []file {
	out := []file{{filepath.Join(home, config.FileName), func() ([]byte, error) { return j.settings, nil }}}
	if j.own != "" {
		out = append(out, file{filepath.Join(home, j.personaRef()), func() ([]byte, error) { return readFile(j.own) }})
	}
	for _, s := range j.sources {
		out = append(out, file{datasource.Path(filepath.Join(home, datasource.DefaultConfig().Dir), s.Name), s.Encode})
	}
	return out
}

// missing returns the content that a file should get, or nil if it has it. A file that says
// something else is an error.
func (f file) missing() ([]byte, error) {
	want, err := f.text()
	if err != nil {
		return nil, err
	}
	have, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return want, nil
	case err != nil:
		return nil, err
	case !bytes.Equal(have, want):
		return nil, fmt.Errorf("%w: %s is there and says something else than the file of judges; it was not changed. "+
			"Move it away to get what the file says, or write into the file what it says", errFile, f.path)
	}
	return nil, nil
}

// Place writes the judge's settings, its persona and its sources into a home, and returns the names
// of the files that were missing. It changes no file.
func (j Draft) Place(home string) (added []string, err error) {
	for _, f := range j.files(home) {
		text, err := f.missing()
		if err != nil {
			return added, err
		}
		if text == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return added, err
		}
		if err := durable.WriteFile(f.path, text); err != nil {
			return added, err
		}
		name, err := filepath.Rel(home, f.path)
		if err != nil {
			return added, err
		}
		added = append(added, name)
	}
	return added, nil
}

// Kept returns the number of judges whose homes are in the folder of a devnet from an earlier
// start.
func Kept(devnet string) (int, error) {
	if devnet == "" {
		return 0, nil
	}
	there, err := os.ReadDir(filepath.Join(devnet, "nodes"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(there), err
}
