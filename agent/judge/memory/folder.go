package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/philippgille/chromem-go"

	"ojud/agent/likeness"
)

// refresh brings the index up to date with the folder, because another process or a person may have
// removed files. Names suffice, because a file never changes. The caller holds mu, except for Open.
func (s *Learned) refresh(ctx context.Context) error {
	found, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("memory: %w", err)
	}
	there := make(map[string]bool, len(found))
	for _, f := range found {
		if fileName.MatchString(f.Name()) {
			there[f.Name()] = true
			if err := s.meet(ctx, f.Name()); err != nil {
				return err
			}
		}
	}
	for name := range s.entries {
		if !there[name] {
			if err := s.lose(ctx, name); err != nil {
				return err
			}
		}
	}
	maps.DeleteFunc(s.broken, func(name string, _ error) bool { return !there[name] })
	s.metrics.entries.Set(float64(len(s.entries)))
	return nil
}

// meet reads a new file.
func (s *Learned) meet(ctx context.Context, name string) error {
	_, known := s.entries[name]
	if _, bad := s.broken[name]; known || bad {
		return nil
	}
	raw, err := read(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since
	}
	var e Lesson
	if err == nil {
		e, err = decode(name, raw)
	}
	if err != nil {
		s.broken[name] = err
		s.log.Warn("a file of the judge's memory cannot be read and is left out", "file", filepath.Join(s.dir, name), "err", err)
		return nil
	}
	return s.add(ctx, e)
}

// read reads a file up to the size limit of a lesson.
func read(path string) (raw []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxEntry+1))
}

// add adds a lesson to the index. A lesson that resembles nothing is kept but never found.
func (s *Learned) add(ctx context.Context, e Lesson) error {
	s.entries[e.file()] = e
	vector, ok := e.Embedding.Vector()
	if !ok {
		return nil
	}
	d := chromem.Document{ID: e.file(), Metadata: map[string]string{"class": string(e.Class)}, Embedding: vector}
	if err := s.index.AddDocument(ctx, d); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}

// lose removes a lesson from the index.
func (s *Learned) lose(ctx context.Context, name string) error {
	delete(s.entries, name)
	if err := s.index.Delete(ctx, nil, nil, name); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}

// sketched is the index's embedding function. All entries have an embedding already.
func sketched(_ context.Context, text string) ([]float32, error) {
	vector, _ := likeness.Draw(text).Vector()
	return vector, nil
}
