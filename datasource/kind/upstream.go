package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"unicode/utf8"
)

// Upstream answers requests. Answer may be called by many goroutines at once; ctx bounds its time.
type Upstream interface {
	// Answer returns one JSON value, or an error of one of the classes of this package.
	Answer(ctx context.Context, request json.RawMessage) (json.RawMessage, error)
	// Close ends what the upstream started, and waits for it. Answers under way fail.
	Close() error
}

// Describer is an upstream that can tell the shape of its tool itself. What [Open] returns is one;
// if its kind cannot tell, Describe fails with errors.ErrUnsupported.
type Describer interface {
	Describe(ctx context.Context) (Tool, error)
}

// Discoverer is implemented by the settings of a server that knows the shape of its tools.
type Discoverer interface {
	Settings
	// Discovery returns the settings with which to ask for the shape, and the flag that a person
	// left out although the server needs it, or "". Describe then fails with ErrTool, and the error
	// lists the choices.
	Discovery() (settings Settings, missing string)
}

// Tool has the shape of a tool of the Model Context Protocol.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"` // none: any value
}

// Settings are those of one kind, as [Decode] reads them. They hold references to secrets, never
// secrets.
type Settings interface {
	// Validate names the field that is wrong, its limit, and what to do.
	Validate() error
	// Shape returns what the source takes and answers if its owner says nothing else.
	Shape() Shape
	// Sample makes up a request that only reads. An error says why the source cannot be read.
	Sample(env Env) (Sample, error)
	// open starts as little as possible: what can wait is done at the first Answer.
	open(env Env, s *secrets) (Upstream, error)
}

// Env is what an upstream gets from the node.
type Env struct {
	// Log gets what an operator wants to know: starts and ends of processes, what they say on
	// stderr. Nil discards it.
	Log *slog.Logger
	// Dir is the folder at which relative paths in settings begin. Empty: the working directory.
	Dir string
	// Work is the working directory of programs whose settings name none; Dir if empty. It should
	// hold nothing that is not to be told: some programs give out the files in it unless they are
	// told otherwise.
	Work string
	// RPC is the node's own Solana RPC URL, for sources of kind solana that name none. It may hold
	// a key.
	RPC string
	// MaxBytes bounds what is read from the upstream for one answer, after decompression;
	// defaultMaxBytes if 0.
	MaxBytes int
	// LookupEnv reads the environment; nil is os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// LookupIP resolves a host; nil is the system's resolver.
	LookupIP func(ctx context.Context, host string) ([]netip.Addr, error)
}

// defaultMaxBytes is the default of Env.MaxBytes, in bytes.
const defaultMaxBytes = 1 << 20

func (e Env) complete() Env {
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
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

// Open makes an upstream of settings. What it returns bounds and cleans what the kind returns.
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

// guarded holds every kind to the promises of the package: size, one JSON value, no secrets.
type guarded struct {
	inner    Upstream
	secrets  *secrets
	maxBytes int
}

// Answer implements Upstream.
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

// Describe implements Describer.
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

// Close implements Upstream.
func (g *guarded) Close() error {
	if err := g.inner.Close(); err != nil {
		return leave(context.Background(), g.secrets, err)
	}
	return nil
}

// leave makes an error fit to leave the package. An error that came of the end of ctx belongs to
// that end.
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
