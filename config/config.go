package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"

	"ojud/node"
	"ojud/node/library"
)

// errConfig is wrapped by every error of this package.
var errConfig = errors.New("settings")

// Config holds all settings of an operator. The sections of a node stand beside Log at the top of
// the file.
type Config struct {
	// Home is the node's directory. It is not a key of the file, which is found there.
	Home string  `koanf:"-"`
	Log  Logging `koanf:"log"`
	// Node has a section for each of its parts: p2p, ledger, journal, blobs, judge, models,
	// sources, data, payment, crank, voting, api, sync, webhooks.
	Node node.Config `koanf:",squash"`
}

// Logging sets the log on standard error.
type Logging struct {
	// Level is debug, info, warn or error.
	Level string `koanf:"level"`
	// Format is plain (time and sentence, for people), text (key=value) or json, both for
	// collectors. auto is plain on a terminal, and text elsewhere.
	Format string `koanf:"format"`
}

// Default returns the values of settings that are not set.
func Default() Config {
	return Config{Log: Logging{Level: "info", Format: "auto"}, Node: node.DefaultConfig()}
}

// DefaultFor returns the defaults for a node of a court. If the court's nodes have private
// addresses, the node tells others its private addresses too. If they are all on this machine, the
// node takes free ports on loopback.
func DefaultFor(network node.Descriptor) (Config, error) {
	c := Default()
	if len(network.Bootstrap) == 0 {
		return c, nil // the first node of a court
	}
	local, private, err := library.Near(network)
	if err != nil {
		return c, err
	}
	if private {
		c.Node.P2P.Addresses, c.Node.P2P.ObserveAddrs, c.Node.Ledger.VisitPrivate = "private", false, true
	}
	if local {
		c.Node.P2P.Listen = []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}
	}
	return c, nil
}

// Validate returns an error that names the first field outside its range. The node checks the
// values from the home (network, bootstrap, directories) when it opens.
func (c Config) Validate() error {
	if err := c.Log.Validate(); err != nil {
		return err
	}
	if err := c.Node.Validate(); err != nil {
		return fmt.Errorf("%w: %w", errConfig, err)
	}
	p2p := c.Node.P2P
	if p2p.Network == "" {
		p2p.Network = "court" // the home fills in the name
	}
	if err := p2p.Validate(); err != nil {
		return fmt.Errorf("%w: %w", errConfig, err)
	}
	return nil
}

// Validate returns an error that names the wrong field.
func (l Logging) Validate() error {
	if _, err := l.level(); err != nil {
		return fmt.Errorf("%w: log.level is %q, must be debug, info, warn or error", errConfig, l.Level)
	}
	if !slices.Contains([]string{"auto", "plain", "text", "json"}, l.Format) {
		return fmt.Errorf("%w: log.format is %q, must be auto, plain, text or json", errConfig, l.Format)
	}
	return nil
}

func (l Logging) level() (level slog.Level, err error) {
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, l.Level) {
		return 0, errConfig
	}
	return level, level.UnmarshalText([]byte(l.Level))
}

// Logger returns a log that writes to w: lines of JSON, or for all other formats of key=value. The
// settings must be valid.
func (l Logging) Logger(w io.Writer) (*slog.Logger, error) {
	level, err := l.level()
	if err != nil {
		return nil, l.Validate()
	}
	options := &slog.HandlerOptions{Level: level}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options)), nil
	}
	return slog.New(slog.NewTextHandler(w, options)), nil
}

// Environment variables that are not settings. Each stands for a flag of the command line.
const (
	homeVariable    = "OJUD_HOME"    // --home
	NetworkVariable = "OJUD_NETWORK" // --network
	KeyVariable     = "OJUD_KEY"     // --key
)

// Home finds the node's directory: the --home flag, $OJUD_HOME, $XDG_DATA_HOME/ojud,
// ~/.local/share/ojud. getenv is os.Getenv.
func Home(flag string, getenv func(string) string) (string, error) {
	if flag != "" {
		return filepath.Abs(flag)
	}
	if home := getenv(homeVariable); home != "" {
		return filepath.Abs(home)
	}
	// The XDG specification tells programs to ignore a path that is not absolute.
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "ojud"), nil
	}
	if user := getenv("HOME"); user != "" {
		return filepath.Join(user, ".local", "share", "ojud"), nil
	}
	return "", fmt.Errorf("%w: there is no home: set --home DIR or %s", errConfig, homeVariable)
}
