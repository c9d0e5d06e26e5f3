package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/spf13/cobra"

	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/node"
	"ojud/node/client"
)

// app is what all commands share: where to read and write, and the flags of the root.
type app struct {
	environ  []string
	out, err io.Writer // escape what they write
	raw      io.Writer // standard output as it is
	tty      bool      // standard output is a terminal

	home     string // --home; homeDir finds the directory
	config   string // --config
	network  string // --network
	key      string // --key
	rpc      string // --rpc
	json     bool   // --json
	logLevel string // --log-level; empty: as configured, or warn for commands that end

	stays atomic.Bool // the command runs until it is stopped, so that a signal is its good end

	transport http.RoundTripper // nil: the network. Tests put a chain in this process here
	libp2p    []libp2p.Option
	slow      time.Duration // after which something that takes long is told to the person who waits
}

// slowAfter is how long a person waits without a word.
const slowAfter = time.Second

func newApp(environ []string, out, err io.Writer) *app {
	return &app{environ: environ, out: view.Escaper(out), err: view.Escaper(err), raw: out, tty: isTerminal(out), slow: slowAfter}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// getenv is the value of an environment variable, or empty.
func (a *app) getenv(name string) string {
	value := ""
	for _, v := range a.environ {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// homeDir is the node's directory.
func (a *app) homeDir() (string, error) { return config.Home(a.home, a.getenv) }

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// networkRef is where network.json is: --network, $OJUD_NETWORK, or the home's.
func (a *app) networkRef() (string, error) {
	if ref := first(a.network, a.getenv(config.NetworkVariable)); ref != "" {
		return ref, nil
	}
	home, err := a.homeDir()
	return filepath.Join(home, "network.json"), err
}

// keyPath is where the key is: --key, $OJUD_KEY, or the home's authority.
func (a *app) keyPath() (path string, named bool, err error) {
	if path := first(a.key, a.getenv(config.KeyVariable)); path != "" {
		return path, true, nil
	}
	home, err := a.homeDir()
	return filepath.Join(home, "authority.json"), false, err
}

// loadNetwork reads the court's network.json.
func (a *app) loadNetwork(ctx context.Context) (node.Descriptor, error) {
	ref, err := a.networkRef()
	if err != nil {
		return node.Descriptor{}, err
	}
	d, err := client.LoadNetwork(ctx, ref, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return d, fail("which court? There is no %s", ref).next("name one with --network URL or FILE, or make a home with: ojud init --network URL")
	}
	return d, err
}

// logger writes to standard error. Without --log-level it only warns: a command that ends says what it did by itself.
func (a *app) logger() (*slog.Logger, error) {
	return config.Log{Level: first(a.logLevel, "warn"), Format: "text"}.Logger(a.err)
}

// need says whether a command can do without a key.
type need bool

const (
	withKey    need = true
	perhapsKey need = false // the key is used if there is one, for defaults
)

// open connects to the court, as the key if there is one.
func (a *app) open(ctx context.Context, n need) (*client.Client, error) {
	path, named, err := a.keyPath()
	if err != nil {
		return nil, err
	}
	key, err := client.LoadKey(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named && n == perhapsKey:
		key = nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail("there is no key file %s", path).next("name one with --key FILE, or a judge's home with --home DIR; a new key is made by: ojud agent register --create-key --key FILE")
	case err != nil:
		return nil, err
	}
	network, err := a.loadNetwork(ctx)
	if err != nil {
		return nil, err
	}
	log, err := a.logger()
	if err != nil {
		return nil, usage("%v", err)
	}
	cfg := client.DefaultConfig()
	cfg.Ledger.RPC = client.URL(first(a.rpc, a.getenv(config.Variable("ledger.rpc"))))
	return client.Open(ctx, network, key, cfg, client.Deps{Logger: log, Transport: a.transport, Libp2p: a.libp2p})
}

// with opens a client for a command's work and closes it.
func (a *app) with(cmd *cobra.Command, n need, work func(context.Context, *client.Client) error) (err error) {
	c, err := a.open(cmd.Context(), n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return work(cmd.Context(), c)
}
