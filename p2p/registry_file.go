package p2p

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ojud/p2p/wire"
)

// The file has a line that names the format, then one JSON object a line.
const (
	registryHeader = "oju-registry 1\n"
	maxLine        = wire.MaxAnnouncement + 64
)

type registryLine struct {
	Seen         int64           `json:"seen"` // Unix seconds
	Announcement json.RawMessage `json:"announcement"`
}

// load reads the file. It sets a damaged file aside and keeps the whole lines of it. The rest comes
// back from other nodes, so damage is no reason to stop.
func (r *Registry) load() error {
	if r.cfg.Path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.cfg.Path), 0o700); err != nil {
		return fmt.Errorf("p2p: folder of the registry: %w", err)
	}
	text, err := readBounded(r.cfg.Path, len(registryHeader)+wire.MaxDigest*maxLine)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("p2p: reading the registry: %w", err)
	}
	body, ok := bytes.CutPrefix(text, []byte(registryHeader))
	bad := 0
	if !ok {
		body, bad = nil, 1
	}
	for line := range bytes.Lines(body) {
		if r.loadLine(line) != nil {
			bad++
		}
	}
	r.news = false
	if bad == 0 {
		r.dirty = false
		return nil
	}
	return r.setAside(bad)
}

func (r *Registry) loadLine(line []byte) error {
	if len(line) > maxLine {
		return wire.ErrAnnouncement
	}
	var l registryLine
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	seen := time.Unix(l.Seen, 0)
	if now := r.h.deps.Now(); seen.After(now) {
		seen = now
	}
	return r.put(l.Announcement, seen)
}

func (r *Registry) setAside(bad int) error {
	aside := fmt.Sprintf("%s.damaged-%d", r.cfg.Path, time.Now().Unix())
	if err := os.Rename(r.cfg.Path, aside); err != nil {
		return fmt.Errorf("p2p: setting a damaged registry aside: %w", err)
	}
	r.dirty = true
	r.log.Warn("the registry file was damaged; it is set aside and rebuilt from other nodes",
		"file", aside, "bad_lines", bad, "kept", len(r.entries))
	return nil
}

// readBounded reads at most the first limit bytes of a file.
func readBounded(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// save writes the file if something changed, whole or not at all.
func (r *Registry) save() error {
	r.mu.Lock()
	if r.cfg.Path == "" || !r.dirty {
		r.mu.Unlock()
		return nil
	}
	out := []byte(registryHeader)
	var err error
	for _, e := range r.entries {
		var line []byte
		if line, err = json.Marshal(registryLine{e.judge.Seen.Unix(), e.raw}); err != nil {
			break
		}
		out = append(append(out, line...), '\n')
	}
	r.dirty = false
	r.mu.Unlock()
	if err == nil {
		err = replaceFile(r.cfg.Path, out)
	}
	if err != nil {
		r.mu.Lock()
		r.dirty = true
		r.mu.Unlock()
		return fmt.Errorf("p2p: saving the registry: %w", err)
	}
	return nil
}
