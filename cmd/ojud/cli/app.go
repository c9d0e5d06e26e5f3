package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ojud/cmd/ojud/view"
	"ojud/config"
	"ojud/node"
	"ojud/node/api"
	"ojud/node/client"
)

// App is shared by all commands. It says where to read and write, and has the flags of the program.
type App struct {
	Environ  []string
	Out, Err io.Writer // they escape the text that is written to them
	raw      io.Writer // standard output as it is
	TTY      bool      // standard output is a terminal
	ErrTTY   bool      // standard error is a terminal

	Root *cobra.Command // the command tree

	Home     string   // --home; HomeDir finds the directory
	Config   string   // --config
	Network  string   // --network
	Key      string   // --key
	RPC      []string // --rpc
	JSON     bool     // --json
	Quiet    bool     // --quiet
	LogLevel string   // --log-level; if empty, the configured one, or warn for commands that end

	Stays   atomic.Bool  // the command runs until a signal stops it, and its exit status is then 0
	EndTime atomic.Int64 // a time.Duration: the limit for a command to end after a signal

	Transport http.RoundTripper // nil means the network; tests set a chain in this process
	Libp2p    []libp2p.Option
	Slow      time.Duration // after this time a command says what it waits for
}

// slowAfter is the default of App.Slow.
const slowAfter = time.Second

// New returns an App that reads these variables and writes to out and err.
func New(environ []string, out, err io.Writer) *App {
	return &App{Environ: environ, Out: view.Escaper(out), Err: view.Escaper(err), raw: out, TTY: isTerminal(out), ErrTTY: isTerminal(err), Slow: slowAfter}
}

// isTerminal reports whether a person sits there. /dev/null is no terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Getenv returns the value of an environment variable, or an empty text.
func (a *App) Getenv(name string) string {
	value, _ := a.LookupEnv(name)
	return value
}

// LookupEnv returns the value of an environment variable, and reports whether it is set.
func (a *App) LookupEnv(name string) (value string, set bool) {
	for _, v := range slices.Backward(a.Environ) {
		if value, set = strings.CutPrefix(v, name+"="); set {
			return value, true
		}
	}
	return "", false
}

// HomeDir returns the node's directory.
func (a *App) HomeDir() (string, error) { return config.Home(a.Home, a.Getenv) }

// Node finds the node that runs on the home.
func (a *App) Node() (*api.Node, error) {
	home, err := a.HomeDir()
	if err != nil {
		return nil, err
	}
	return api.Open(home)
}

// First returns the first text that is not empty.
func First(texts ...string) string { return cmp.Or(texts...) }

// NetworkRef returns the place of network.json: --network, $OJUD_NETWORK, or the home's file.
func (a *App) NetworkRef() (string, error) {
	if ref := First(a.Network, a.Getenv(config.NetworkVariable)); ref != "" {
		return ref, nil
	}
	home, err := a.HomeDir()
	return filepath.Join(home, "network.json"), err
}

// KeyPath returns the place of the key: --key, $OJUD_KEY, or the home's authority.json. It reports
// whether one was named.
func (a *App) KeyPath() (path string, named bool, err error) {
	if path := First(a.Key, a.Getenv(config.KeyVariable)); path != "" {
		return path, true, nil
	}
	home, err := a.HomeDir()
	return filepath.Join(home, "authority.json"), false, err
}

// LoadNetwork reads the court's network.json.
func (a *App) LoadNetwork(ctx context.Context) (node.Descriptor, error) {
	ref, err := a.NetworkRef()
	if err != nil {
		return node.Descriptor{}, err
	}
	d, err := client.LoadNetwork(ctx, ref, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return d, Fail("which court? There is no %s", ref).Next("name one with --network URL or FILE, or make a home with: ojud init --network URL")
	}
	return d, err
}

// Logger returns a log on standard error. Without --log-level it logs only warnings, because each
// command reports its own results.
func (a *App) Logger() (*slog.Logger, error) {
	return a.LoggerTo(a.Err, "warn")
}

// LoggerTo returns a log on a writer with a level for a command line without --log-level.
func (a *App) LoggerTo(w io.Writer, level string) (*slog.Logger, error) {
	log, err := a.NodeLog(w, config.Logging{Level: First(a.LogLevel, level), Format: "auto"})
	if err != nil {
		return nil, Usage("%v", err)
	}
	return log, nil
}

// Need says whether a command needs a key.
type Need bool

// Whether a command needs a key.
const (
	WithKey    Need = true
	PerhapsKey Need = false // if there is a key, it is used for defaults
)

// Open connects to the court with the key, if there is one.
func (a *App) Open(ctx context.Context, n Need) (*client.Client, error) {
	path, named, err := a.KeyPath()
	if err != nil {
		return nil, err
	}
	key, err := client.LoadKey(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named && n == PerhapsKey:
		key = nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, Fail("there is no key file %s", path).Next("name one with --key FILE, or a judge's home with --home DIR; a new key is made by: ojud agent register --create-key --key FILE")
	case err != nil:
		return nil, err
	}
	return a.OpenAs(ctx, key)
}

// OpenAs connects to the court with a key, or with none if it is nil.
func (a *App) OpenAs(ctx context.Context, key *client.Keypair) (*client.Client, error) {
	network, err := a.LoadNetwork(ctx)
	if err != nil {
		return nil, err
	}
	log, err := a.Logger()
	if err != nil {
		return nil, err
	}
	return client.Open(ctx, network, key, a.ClientConfig(), client.Deps{Logger: log, Transport: a.Transport, Libp2p: a.Libp2p})
}

// ClientConfig returns the settings for a command that asks the court itself.
func (a *App) ClientConfig() client.Config {
	cfg := client.DefaultConfig()
	cfg.Ledger.RPC, cfg.Ledger.MoreRPC = a.nodes()
	return cfg
}

// nodes returns the RPC nodes that the flags or the environment name. An empty first one is the
// court's.
func (a *App) nodes() (first string, more []string) {
	all := a.RPC
	if len(all) == 0 {
		all = []string{a.Getenv(config.Variable("ledger.rpc"))}
		if more := a.Getenv(config.Variable("ledger.more_rpc")); more != "" {
			all = append(all, strings.Split(more, ",")...)
		}
	}
	return client.URL(all[0]), config.URLs(all[1:])
}

// With opens a client, does the work of a command with it, and closes it.
func (a *App) With(cmd *cobra.Command, n Need, work func(context.Context, *client.Client) error) (err error) {
	c, err := a.Open(cmd.Context(), n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return work(cmd.Context(), c)
}

// CreateKey makes the key file if there is none, and says so.
func (a *App) CreateKey() error {
	path, _, err := a.KeyPath()
	if err != nil {
		return err
	}
	key, created, err := client.LoadOrCreateKey(path)
	if err != nil || !created {
		return err
	}
	_, err = fmt.Fprintf(a.Err, "made the key %s in %s; keep this file, because without it the funds of the key are lost\n", key.Address(), path)
	return err
}
