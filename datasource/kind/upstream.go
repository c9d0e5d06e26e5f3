package kind

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"unicode/utf8"
)

// Upstream answers requests. Many goroutines may call Answer at once. ctx bounds its time.
type Upstream interface {
	// Answer returns one JSON value, or an error of one of the classes of this package.
	Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error)
	// Close ends everything that the upstream started, and waits for it. Answers under way fail.
	Close() error
}

// Describer is an upstream that can describe its own tool. [Open] returns one. If its kind cannot
// describe it, Describe fails with errors.ErrUnsupported.
type Describer interface {
	Describe(ctx context.Context) (Tool, error)
}

// Discoverer is implemented by the settings of a server that can describe its tools.
type Discoverer interface {
	Settings
	// Discovery returns settings that ask for the description. If the server needs a flag that a
	// person left out, it returns that flag, or otherwise "". Describe then fails with ErrTool, and
	// the error lists the choices.
	Discovery() (settings Settings, missing string)
}

// Tool describes a tool of the Model Context Protocol.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"` // none: any value
}

// Settings are those of one kind. They hold references to secrets, never secrets.
type Settings interface {
	// Validate names the wrong field, its limit, and the fix.
	Validate() error
	// Shape describes requests and answers if the source's owner says nothing else.
	Shape() Shape
	// Sample invents a read-only request. An error says why the source cannot be read.
	Sample(env Env) (Sample, error)
	// open starts as little as possible. The first Answer does the rest.
	open(env Env, s *secrets) (Upstream, error)
}

// Env is the node's environment for an upstream.
type Env struct {
	// Log gets starts and ends of processes, and their stderr; nil discards them.
	Log *slog.Logger
	// Dir is the folder of relative paths in settings; empty: the working directory.
	Dir string
	// Work is the working directory of programs whose settings name none; Dir if empty. It should
	// hold no secrets, because some programs serve the files in it by default.
	Work string
	// RPC is the node's own Solana RPC URL, for sources that name none. It may hold a key.
	RPC string
	// MaxBytes bounds the decompressed bytes of one answer; 0: defaultMaxBytes.
	MaxBytes int
	// LookupEnv reads the environment; nil is os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// LookupIP resolves a host; nil is the system's resolver.
	LookupIP func(ctx context.Context, host string) ([]netip.Addr, error)
}

// defaultMaxBytes is the default of Env.MaxBytes, in bytes.
const defaultMaxBytes = 1 << 20

func (e Env) complete() Env {
	e.Log = cmp.Or(e.Log, slog.New(slog.DiscardHandler))
	if e.MaxBytes <= 0 {
		e.MaxBytes = defaultMaxBytes
	}
	if e.Work == "" {
		e.Work = e.Dir
	}
	if e.LookupEnv == nil {
		e.LookupEnv = os.LookupEnv
	}
	return e
}

// Open makes an upstream from settings. It bounds and cleans the kind's results.
func Open(s Settings, env Env) (Upstream, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	env = env.complete()
	secrets := &secrets{env: env}
	u, err := s.open(env, secrets)
	if err != nil {
		return nil, leave(context.Background(), secrets, err)
	}
	return &guarded{u, secrets, env.MaxBytes}, nil
}

// guarded enforces the promises of the package for every kind: size, one JSON value, no secrets.
type guarded struct {
	inner    Upstream
	secrets  *secrets
	maxBytes int
}

func (g *guarded) Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error) {
	raw, err := g.inner.Answer(ctx, request)
	if err != nil {
		return nil, leave(ctx, g.secrets, err)
	}
	if len(raw) > g.maxBytes {
		return nil, &fault{ErrLarge, fmt.Sprintf("%v: %d bytes; at most %d", ErrLarge, len(raw), g.maxBytes)}
	}
	doc, err := parse(raw, g.maxBytes)
	if err != nil {
		return nil, leave(ctx, g.secrets, err)
	}
	return encode(g.secrets.maskTree(doc))
}

func (g *guarded) Describe(ctx context.Context) (Tool, error) {
	d, ok := g.inner.(Describer)
	if !ok {
		return Tool{}, errors.ErrUnsupported
	}
	tool, err := d.Describe(ctx)
	if err != nil {
		return Tool{}, leave(ctx, g.secrets, err)
	}
	return tool, nil
}

func (g *guarded) Close() error {
	if err := g.inner.Close(); err != nil {
		return leave(context.Background(), g.secrets, err)
	}
	return nil
}

// leave prepares an error to leave the package. If the end of ctx caused it, its class says so.
func leave(ctx context.Context, s *secrets, err error) error {
	class := ClassOf(err)
	if errors.Is(class, ErrDown) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		class = ErrSlow
	}
	text := err.Error()
	if !errors.Is(err, class) {
		text = class.Error() + ": " + text
	}
	return &fault{class, bounded(s.mask(text), 600)}
}

// bounded cuts a text that may be as long as an answer.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
