package sources

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

// Deps are the dependencies of a Home.
type Deps struct {
	Dir string // the node's directory
	RPC string // the node's Solana RPC URL, for sources that name none
	// LookupEnv reads the environment, for secrets; nil is os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	Log       *slog.Logger // gets the upstreams' messages; nil discards them
}

// Home is the sources of a node's home.
type Home struct {
	cfg  datasource.Config
	deps Deps
	dir  string
}

var (
	// ErrUnknown: the home has no source of that name.
	ErrUnknown = datasource.ErrUnknown
	// ErrNoAnswer: the source does not answer. The error quotes its server.
	ErrNoAnswer = errors.New("because it does not answer")
)

// New checks the settings. It reads and makes nothing.
func New(cfg datasource.Config, deps Deps) (*Home, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.LookupEnv == nil {
		deps.LookupEnv = os.LookupEnv
	}
	h := &Home{cfg: cfg, deps: deps, dir: cfg.Dir}
	if !filepath.IsAbs(h.dir) {
		h.dir = filepath.Join(deps.Dir, h.dir)
	}
	return h, nil
}

// Path returns the path of the file of a source.
func (h *Home) Path(name string) string { return datasource.Path(h.dir, name) }

// Remove removes a source. A node that runs on the home stops offering it by itself.
func (h *Home) Remove(name string) error {
	if err := datasource.Remove(h.dir, name); err != nil {
		return h.explain(name, err)
	}
	return nil
}

func (h *Home) read(name string) (datasource.Source, error) {
	if !datasource.ValidName(name) {
		return datasource.Source{}, h.explain(name, ErrUnknown)
	}
	src, err := datasource.Read(h.Path(name))
	if err != nil {
		return src, h.explain(name, err)
	}
	return src, nil
}

func (h *Home) explain(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnknown) {
		return fmt.Errorf("%w %.64q in %s", ErrUnknown, name, h.dir)
	}
	return fmt.Errorf("%s: %w", h.Path(name), err)
}

// names returns the names of the source files, in order.
func (h *Home) names() ([]string, error) {
	entries, err := os.ReadDir(h.dir)
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

func (h *Home) open(settings kind.Settings, bytes int) (kind.Upstream, error) {
	if err := os.MkdirAll(h.dir, 0o700); err != nil { // programs work there
		return nil, fmt.Errorf("sources: %w", err)
	}
	return kind.Open(settings, h.env(bytes))
}

// env returns the upstream's environment from the node.
func (h *Home) env(bytes int) kind.Env {
	return kind.Env{Log: h.deps.Log, Dir: h.deps.Dir, Work: h.dir, RPC: h.deps.RPC, MaxBytes: bytes, LookupEnv: h.deps.LookupEnv}
}
