package shelf

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// Deps are what a shelf needs to know.
type Deps struct {
	Home string // the node's directory
	RPC  string // the node's Solana RPC URL, for sources that name none
	// LookupEnv reads the environment, for secrets; nil is os.LookupEnv. The node has an environment of its own.
	LookupEnv func(name string) (string, bool)
	Log       *slog.Logger // what upstreams say; nil: silence
}

// Shelf is the sources of a home.
type Shelf struct {
	cfg  datasource.Config
	deps Deps
	dir  string
}

// ErrUnknown: the home has no source of that name.
var ErrUnknown = datasource.ErrUnknown

// New checks the settings. It reads and makes nothing.
func New(cfg datasource.Config, deps Deps) (*Shelf, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.LookupEnv == nil {
		deps.LookupEnv = os.LookupEnv
	}
	s := &Shelf{cfg: cfg, deps: deps, dir: cfg.Dir}
	if !filepath.IsAbs(s.dir) {
		s.dir = filepath.Join(deps.Home, s.dir)
	}
	return s, nil
}

// Path is where the file of a source stands.
func (s *Shelf) Path(name string) string { return datasource.Path(s.dir, name) }

// Remove takes a source away. A node that runs on the home stops to offer it by itself.
func (s *Shelf) Remove(name string) error {
	if err := datasource.Remove(s.dir, name); err != nil {
		return s.explain(name, err)
	}
	return nil
}

// read reads a source.
func (s *Shelf) read(name string) (datasource.Source, error) {
	if !datasource.ValidName(name) {
		return datasource.Source{}, s.explain(name, ErrUnknown)
	}
	src, err := datasource.Read(s.Path(name))
	if err != nil {
		return src, s.explain(name, err)
	}
	return src, nil
}

// explain says of which source an error is.
func (s *Shelf) explain(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnknown) {
		return fmt.Errorf("%w %.64q in %s", ErrUnknown, name, s.dir)
	}
	return fmt.Errorf("%s: %w", s.Path(name), err)
}

// names are those of the source files, in order.
func (s *Shelf) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sources: %w", err)
	}
	suffix := filepath.Base(datasource.Path("", ""))
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && name != "" {
			out = append(out, name)
		}
	}
	return out, nil
}

// open opens what stands behind a source, as the node does.
func (s *Shelf) open(settings kind.Settings, bytes int) (kind.Upstream, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil { // programs work there
		return nil, fmt.Errorf("sources: %w", err)
	}
	return kind.Open(settings, kind.Env{Log: s.deps.Log, Dir: s.deps.Home, Work: s.dir, RPC: s.deps.RPC, MaxBytes: bytes, LookupEnv: s.deps.LookupEnv})
}
