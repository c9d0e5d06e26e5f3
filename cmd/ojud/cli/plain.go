package cli

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"ojud/cmd/ojud/view"
	"ojud/config"
)

// NodeLog returns a log that writes to w as the settings say. The format auto is plain if standard
// error is a terminal, and otherwise text.
func (a *App) NodeLog(w io.Writer, l config.Logging) (*slog.Logger, error) {
	if l.Format != "plain" && (l.Format != "auto" || !a.ErrTTY) {
		return l.Logger(w)
	}
	if err := l.Validate(); err != nil {
		return nil, err
	}
	var level slog.Level
	err := level.UnmarshalText([]byte(l.Level))
	return slog.New(newPlain(w, level)), err
}

// plain writes a log for people: the time, and the message. A sentence, which ends with a full
// stop, stands without its attributes unless it is a warning or an error.
type plain struct {
	slog.Handler // writes the attributes to out.attrs
	out          *plainOut
}

type plainOut struct {
	mu    sync.Mutex
	attrs bytes.Buffer
	w     io.Writer
}

func newPlain(w io.Writer, level slog.Level) plain {
	out := &plainOut{w: w}
	return plain{slog.NewTextHandler(&out.attrs, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutBuiltin}), out}
}

// withoutBuiltin leaves out what Handle writes itself.
func withoutBuiltin(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}

// WithAttrs implements slog.Handler.
func (p plain) WithAttrs(attrs []slog.Attr) slog.Handler {
	return plain{p.Handler.WithAttrs(attrs), p.out}
}

// WithGroup implements slog.Handler.
func (p plain) WithGroup(name string) slog.Handler { return plain{p.Handler.WithGroup(name), p.out} }

// Handle implements slog.Handler.
func (p plain) Handle(ctx context.Context, r slog.Record) error {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	p.out.attrs.Reset()
	if err := p.Handler.Handle(ctx, r); err != nil {
		return err
	}
	text := r.Message
	if r.Level >= slog.LevelWarn {
		text = map[bool]string{true: "error: ", false: "warning: "}[r.Level >= slog.LevelError] + text
	}
	if attrs := strings.TrimSpace(p.out.attrs.String()); attrs != "" && (r.Level >= slog.LevelWarn || !strings.HasSuffix(text, ".")) {
		text += " (" + attrs + ")"
	}
	const gap = "  "
	at := r.Time.UTC().Format(time.TimeOnly) + gap
	_, err := io.WriteString(p.out.w, at+view.Wrap(text, len(at))+"\n")
	return err
}
