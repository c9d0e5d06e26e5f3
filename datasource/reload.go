package datasource

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Reload checks the folder now and reads changed files. If a file is broken, its last good version
// stays in force. The error is that of the folder itself.
func (b *Book) Reload() error {
	b.loading.Lock()
	defer b.loading.Unlock()
	if b.life.Err() != nil {
		return b.life.Err()
	}
	files, err := sourceFiles(b.dir)
	if err != nil {
		return err
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if b.stamps[name] != files[name] {
			changed = b.load(name) || changed
		}
	}
	for name := range b.stamps {
		if _, there := files[name]; !there {
			changed = b.forget(name) || changed
		}
	}
	b.stamps = files
	if changed {
		select {
		case b.changes <- struct{}{}:
		default: // it is told already
		}
	}
	return nil
}

// load reads a file and puts its source in force. It reports whether it did.
func (b *Book) load(name string) bool {
	s, err := Read(filepath.Join(b.dir, name))
	var e *entry
	if err == nil {
		b.version++
		e, err = newEntry(s, b.version)
	}
	if err != nil {
		b.deps.Log.Error("source file cannot be used", "file", name, "err", err)
		b.mu.Lock()
		b.broken[name] = err
		b.mu.Unlock()
		return false
	}
	b.swap(name, e)
	b.deps.Log.Info("data source is ready", "source", s.Name, "price", uint64(s.Terms.Price), "who", s.Terms.Who.Class)
	return true
}

func (b *Book) forget(name string) bool {
	b.deps.Log.Info("source removed", "file", name)
	return b.swap(name, nil)
}

// swap replaces an entry. The old one retires in the background, after its requests.
func (b *Book) swap(file string, e *entry) bool {
	name := strings.TrimSuffix(file, suffix)
	b.mu.Lock()
	old := b.entries[name]
	if old != nil && e != nil { // who edits a source does not call it more often
		e.pace = old.pace
		e.pace.set(e.Limits.MaxRate)
	}
	delete(b.entries, name)
	if delete(b.broken, file); e != nil {
		b.entries[name] = e
	}
	b.metrics.sources.Set(float64(len(b.entries)))
	b.mu.Unlock()
	if old != nil {
		b.work.Go(func() {
			if err := old.retire(); err != nil {
				b.deps.Log.Warn("source not closed cleanly", "source", name, "err", err)
			}
		})
	}
	return old != nil || e != nil
}
