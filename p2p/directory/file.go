package directory

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

	"ojud/ledger/journal/durable"
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
func (d *Directory) load() error {
	if d.cfg.Path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(d.cfg.Path), 0o700); err != nil {
		return fmt.Errorf("directory: folder of the registry: %w", err)
	}
	f, err := os.Open(d.cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("directory: reading the registry: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(len(registryHeader)+wire.MaxDigest*maxLine)))
	if err != nil {
		return fmt.Errorf("directory: reading the registry: %w", err)
	}
	body, ok := bytes.CutPrefix(text, []byte(registryHeader))
	bad := 0
	if !ok {
		body, bad = nil, 1
	}
	for line := range bytes.Lines(body) {
		if d.loadLine(line) != nil {
			bad++
		}
	}
	d.news = false
	if bad == 0 {
		d.dirty = false
		return nil
	}
	return d.setAside(bad)
}

func (d *Directory) loadLine(line []byte) error {
	if len(line) > maxLine {
		return wire.ErrAnnouncement
	}
	var l registryLine
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	seen := time.Unix(l.Seen, 0)
	if now := d.Now(); seen.After(now) {
		seen = now
	}
	return d.put(l.Announcement, seen)
}

func (d *Directory) setAside(bad int) error {
	aside := fmt.Sprintf("%s.damaged-%d", d.cfg.Path, time.Now().Unix())
	if err := os.Rename(d.cfg.Path, aside); err != nil {
		return fmt.Errorf("directory: setting a damaged registry aside: %w", err)
	}
	d.dirty = true
	d.Log.Warn("the registry file was damaged; it is set aside and rebuilt from other nodes",
		"file", aside, "bad_lines", bad, "kept", len(d.entries))
	return nil
}

// Save writes the file if something changed, whole or not at all.
func (d *Directory) Save() error {
	d.mu.Lock()
	if d.cfg.Path == "" || !d.dirty {
		d.mu.Unlock()
		return nil
	}
	out := []byte(registryHeader)
	var err error
	for _, e := range d.entries {
		var line []byte
		if line, err = json.Marshal(registryLine{e.judge.Seen.Unix(), e.raw}); err != nil {
			break
		}
		out = append(append(out, line...), '\n')
	}
	d.dirty = false
	d.mu.Unlock()
	if err == nil {
		err = durable.WriteFile(d.cfg.Path, out)
	}
	if err != nil {
		d.mu.Lock()
		d.dirty = true
		d.mu.Unlock()
		return fmt.Errorf("directory: saving the registry: %w", err)
	}
	return nil
}
