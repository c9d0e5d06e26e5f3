package sources

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

// Options say how to add a source.
type Options struct {
	Replace bool   // a source of that name may exist
	Untried bool   // write the source without trying it
	Request []byte // the request to try; if empty, one is made up that only reads
}

// Added is the outcome of Add.
type Added struct {
	Name    string          `json:"name"`
	File    string          `json:"file"`
	Result  string          `json:"result"` // added, changed or unchanged
	Card    Card            `json:"card"`   // public part
	Hash    casefile.Digest `json:"card_hash"`
	Trial   *Trial          `json:"test,omitempty"`
	Secrets []Secret        `json:"secrets,omitempty"`
}

// startMost bounds how long Add waits for a server to start, which may have to be downloaded first.
const startMost = 5 * time.Minute

// Add makes a source of the draft, tries it, and writes its file. It asks a server that describes
// its own tools for the shape of the tool. Add does not write a source that does not answer. An
// error in the draft is a *kind.FlagError.
func (h *Home) Add(ctx context.Context, d Draft, o Options) (added Added, err error) {
	src, up, err := h.make(ctx, d, o)
	if err != nil {
		return Added{}, err
	}
	if up != nil {
		defer func() { err = errors.Join(err, up.Close()) }()
	}
	if added, err = h.added(src); err != nil {
		return Added{}, err
	}
	if added.Result, err = h.state(src, o); err != nil || added.Result == "unchanged" {
		return added, err
	}
	if !o.Untried {
		trial, err := h.try(ctx, src, up, o.Request)
		if err != nil {
			return Added{}, err
		}
		if added.Trial = &trial; !trial.OK {
			return added, fmt.Errorf("%s was not added, %w: %s; fix it, or add it as it is with --no-test", src.Name, ErrNoAnswer, trial.Problem)
		}
	}
	return added, datasource.Write(h.dir, src)
}

// make makes the source of a draft, and up if the upstream was asked. The caller closes up.
func (h *Home) make(ctx context.Context, d Draft, o Options) (src datasource.Source, up kind.Upstream, err error) {
	form, err := d.Form()
	if err != nil {
		return src, nil, err
	}
	if form == nil {
		src, err = d.whole()
		return src, nil, err
	}
	if !datasource.ValidName(d.Name) {
		return src, nil, wrong("NAME", "%.70q is not a name of a source: write 1 to 64 of the characters a-z 0-9 . _ : -", d.Name)
	}
	settings, err := form.Settings(d.Upstream)
	if err != nil {
		return src, nil, err
	}
	server, ok := settings.(kind.Discoverer)
	if !ok || o.Untried {
		src, err = d.compose(*form, settings, nil)
		return src, nil, err
	}
	return h.ask(ctx, d, *form, server)
}

// ask asks a server for the shape of its tool, after it has checked the rest of the draft.
func (h *Home) ask(ctx context.Context, d Draft, form kind.Form, server kind.Discoverer) (src datasource.Source, up kind.Upstream, err error) {
	asking, missing := server.Discovery()
	if missing == "" {
		if _, err := d.compose(form, server, nil); err != nil {
			return src, nil, err
		}
	}
	if err := asking.Validate(); err != nil {
		return src, nil, flagged(form, err)
	}
	tool, up, err := h.describe(ctx, asking)
	if missing != "" && errors.Is(err, kind.ErrTool) {
		err = wrong(missing, "%s", strings.TrimPrefix(err.Error(), kind.ErrTool.Error()+": "))
	}
	if err != nil {
		return src, nil, err
	}
	if src, err = d.compose(form, server, &tool); err != nil {
		return src, nil, errors.Join(err, up.Close())
	}
	return src, up, nil
}

// describe asks a server for its tool. Without an error, the caller closes the upstream.
func (h *Home) describe(ctx context.Context, settings kind.Settings) (tool kind.Tool, up kind.Upstream, err error) {
	if up, err = h.open(settings, datasource.DefaultLimits().Bytes); err != nil {
		return tool, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, startMost)
	defer cancel()
	describer, ok := up.(kind.Describer)
	if !ok {
		return tool, nil, errors.Join(errors.ErrUnsupported, up.Close())
	}
	tool, err = describer.Describe(limited)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return tool, nil, errors.Join(err, up.Close())
	}
	return tool, up, nil
}

func (h *Home) added(src datasource.Source) (Added, error) {
	hash, err := src.Card().Hash()
	if err != nil {
		return Added{}, err
	}
	secrets, err := h.secrets(src)
	return Added{Name: src.Name, File: h.Path(src.Name), Card: src.Card(), Hash: casefile.Digest(hash), Secrets: secrets}, err
}

func (h *Home) state(src datasource.Source, o Options) (string, error) {
	old, err := datasource.Read(h.Path(src.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return "added", nil
	}
	if same, bad := alike(old, src); err == nil && (same || bad != nil) {
		return "unchanged", bad
	}
	if !o.Replace {
		return "", wrong("NAME", "%s exists already and differs; replace it with --replace, or choose another name", src.Name)
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
