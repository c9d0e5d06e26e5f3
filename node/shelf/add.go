package shelf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// Options say how a source is put on the shelf.
type Options struct {
	Replace bool   // one of that name may be there
	Untried bool   // it is written without having been tried
	Request []byte // with which it is tried; empty: one is made up, where that can do no harm
}

// Added is what came of Add.
type Added struct {
	Name    string          `json:"name"`
	File    string          `json:"file"`
	Result  string          `json:"result"` // added, changed or unchanged
	Card    Card            `json:"card"`   // what peers see
	Hash    casefile.Digest `json:"card_hash"`
	Trial   *Trial          `json:"test,omitempty"`
	Secrets []Secret        `json:"secrets,omitempty"`
}

// startMost bounds how long Add waits for a server of the Model Context Protocol, which may have to be downloaded first.
const startMost = 5 * time.Minute

// Add puts a source on the shelf: it makes a source of the draft, asks a server of the Model Context Protocol for the shape of its
// tool, tries the source, and writes the file. A source that does not answer is not written. Errors of the draft are a *Wrong.
func (s *Shelf) Add(ctx context.Context, d Draft, o Options) (added Added, err error) {
	src, up, err := s.make(ctx, d, o)
	if err != nil {
		return Added{}, err
	}
	if up != nil {
		defer func() { err = errors.Join(err, up.Close()) }()
	}
	if added, err = s.added(src); err != nil {
		return Added{}, err
	}
	if added.Result, err = s.state(src, o); err != nil || added.Result == "unchanged" {
		return added, err
	}
	if !o.Untried {
		trial, err := s.try(ctx, src, up, o.Request)
		if err != nil {
			return Added{}, err
		}
		if added.Trial = &trial; !trial.OK {
			return added, fmt.Errorf("%s was not added, for it does not answer: %s; mend it, or add it as it is with --no-test", src.Name, Visible(trial.Problem))
		}
	}
	return added, datasource.Write(s.dir, src)
}

// make makes the source of a draft. up is its upstream if that had to be asked; the caller closes it.
func (s *Shelf) make(ctx context.Context, d Draft, o Options) (src datasource.Source, up kind.Upstream, err error) {
	name, err := d.Kind()
	if err != nil {
		return src, nil, err
	}
	if name == "file" {
		src, err = d.whole()
		return src, nil, err
	}
	if !datasource.ValidName(d.Name) {
		return src, nil, wrong("NAME", "%.70q is no name of a source: 1 to 64 of the characters a-z 0-9 . _ : -", d.Name)
	}
	settings, err := d.settings()
	if err != nil {
		return src, nil, err
	}
	m, isMCP := settings.(*kind.MCP)
	if !isMCP || o.Untried {
		src, err = d.compose(settings, nil)
		return src, nil, err
	}
	return s.ask(ctx, d, m)
}

// ask asks a server for the shape of its tool, after everything else in the draft was looked at.
func (s *Shelf) ask(ctx context.Context, d Draft, m *kind.MCP) (src datasource.Source, up kind.Upstream, err error) {
	if m.Tool != "" {
		if _, err := d.compose(m, nil); err != nil {
			return src, nil, err
		}
	}
	tool, up, err := s.describe(ctx, m)
	if err != nil {
		return src, nil, err
	}
	if src, err = d.compose(m, &tool); err != nil {
		return src, nil, errors.Join(err, up.Close())
	}
	return src, up, nil
}

// describe starts a server and asks for its tool. The caller closes what is returned without an error.
func (s *Shelf) describe(ctx context.Context, m *kind.MCP) (kind.Tool, kind.Upstream, error) {
	asked := *m
	if asked.Tool == "" {
		asked.Tool = "?" // the answer lists those that there are
	}
	if err := asked.Validate(); err != nil {
		return kind.Tool{}, nil, (&Draft{MCPURL: m.URL}).flagged(err)
	}
	up, err := s.open(&asked, datasource.DefaultLimits().Bytes)
	if err != nil {
		return kind.Tool{}, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, startMost)
	defer cancel()
	describer, ok := up.(kind.Describer)
	if !ok {
		return kind.Tool{}, nil, errors.Join(errors.ErrUnsupported, up.Close())
	}
	tool, err := describer.Describe(limited)
	if ctx.Err() != nil {
		return kind.Tool{}, nil, errors.Join(ctx.Err(), up.Close())
	}
	if err != nil {
		if _, list, ok := strings.Cut(err.Error(), "it has "); ok && m.Tool == "" {
			err = wrong("tool", "which one? The server has %s", Visible(list))
		} else {
			err = errors.New(Visible(err.Error()))
		}
		return kind.Tool{}, nil, errors.Join(err, up.Close())
	}
	return tool, up, nil
}

func (s *Shelf) added(src datasource.Source) (Added, error) {
	hash, err := src.Card().Hash()
	if err != nil {
		return Added{}, err
	}
	secrets, err := s.secrets(src)
	return Added{Name: src.Name, File: s.Path(src.Name), Card: src.Card(), Hash: casefile.Digest(hash), Secrets: secrets}, err
}

// state says what writing the source would do.
func (s *Shelf) state(src datasource.Source, o Options) (string, error) {
	old, err := datasource.Read(s.Path(src.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return "added", nil
	}
	if same, bad := alike(old, src); err == nil && (same || bad != nil) {
		return "unchanged", bad
	}
	if !o.Replace {
		return "", wrong("NAME", "%s is there already, and is another source; replace it with --replace, or choose another name", src.Name)
	}
	return "changed", nil
}

// alike reports whether two sources have the same file.
func alike(a, b datasource.Source) (bool, error) {
	if a.Upstream == nil {
		return false, nil
	}
	before, err := a.Encode()
	if err != nil {
		return false, err
	}
	now, err := b.Encode()
	return bytes.Equal(before, now), err
}
