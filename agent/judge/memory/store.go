package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/philippgille/chromem-go"
	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger/journal/durable"
)

// ErrNoCase says that the memory has nothing about a case.
var ErrNoCase = errors.New("memory: there is nothing of that case")

// Folder is the name of the memory folder in a home.
const Folder = "memory"

// Deps are optional dependencies of Learned.
type Deps struct {
	Log     *slog.Logger          // nil: no log
	Metrics prometheus.Registerer // nil: none
}

// Learned is the memory of one judge. Several goroutines may use it at once. It keeps no file open.
type Learned struct {
	dir     string
	cfg     Config
	log     *slog.Logger
	metrics *counts

	mu      sync.Mutex
	entries map[string]Lesson // by file
	broken  map[string]error  // by file
	index   *chromem.Collection
}

// Open reads the memory of a judge in a home. There need not be one yet.
func Open(home string, judge casefile.Address, c Config, d Deps) (*Learned, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	d.Log = cmp.Or(d.Log, slog.New(slog.DiscardHandler))
	index, err := chromem.NewDB().CreateCollection(judge.String(), nil, sketched)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	s := &Learned{dir: filepath.Join(home, Folder, judge.String()), cfg: c, log: d.Log, entries: map[string]Lesson{}, broken: map[string]error{}, index: index}
	if s.metrics, err = newCounts(d.Metrics); err != nil {
		return nil, err
	}
	return s, s.refresh(context.Background())
}

// Dir is the folder of the judge's lessons.
func (s *Learned) Dir() string { return s.dir }

// Learn stores a lesson of a new case or round, and removes the oldest if there are too many.
func (s *Learned) Learn(ctx context.Context, e Lesson) error {
	raw, err := e.encode()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return err
	}
	if _, ok := s.entries[e.file()]; ok {
		return nil
	}
	if err := durable.MakeDir(s.dir); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(s.dir, e.file()), raw); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := s.add(ctx, e); err != nil {
		return err
	}
	return s.trim(ctx)
}

// trim removes the oldest lessons beyond the limit.
func (s *Learned) trim(ctx context.Context) error {
	for _, e := range s.sorted()[:max(0, len(s.entries)-s.cfg.Keep)] {
		if err := s.remove(ctx, e.file()); err != nil {
			return err
		}
	}
	s.metrics.entries.Set(float64(len(s.entries)))
	return nil
}

// List returns all lessons, the oldest first, and the files that cannot be read, with the reason.
func (s *Learned) List(ctx context.Context) ([]Lesson, map[string]error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return nil, nil, err
	}
	broken := make(map[string]error, len(s.broken))
	for name, err := range s.broken {
		broken[filepath.Join(s.dir, name)] = err
	}
	return s.sorted(), broken, nil
}

func (s *Learned) sorted() []Lesson {
	out := make([]Lesson, 0, len(s.entries))
	for _, e := range s.entries {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Lesson) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.file(), b.file())) })
	return out
}

// Forget removes and counts the lessons of a case. The error is ErrNoCase if there are none.
func (s *Learned) Forget(ctx context.Context, task casefile.Address) (int, error) {
	n, err := s.drop(ctx, func(e Lesson) bool { return e.Case == task })
	if err == nil && n == 0 {
		return 0, fmt.Errorf("%w: %s", ErrNoCase, task)
	}
	return n, err
}

// Clear removes everything, including unreadable files, and returns the number of files.
func (s *Learned) Clear(ctx context.Context) (int, error) {
	n, err := s.drop(ctx, func(Lesson) bool { return true })
	if err != nil {
		return n, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.broken {
		if err := unlink(filepath.Join(s.dir, name)); err != nil {
			return n, err
		}
		delete(s.broken, name)
		n++
	}
	return n, nil
}

func (s *Learned) drop(ctx context.Context, picked func(Lesson) bool) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(ctx); err != nil {
		return 0, err
	}
	for _, e := range s.sorted() {
		if !picked(e) {
			continue
		}
		if err := s.remove(ctx, e.file()); err != nil {
			return n, err
		}
		n++
	}
	s.metrics.entries.Set(float64(len(s.entries)))
	return n, nil
}

// remove removes a lesson from disk and index.
func (s *Learned) remove(ctx context.Context, name string) error {
	if err := unlink(filepath.Join(s.dir, name)); err != nil {
		return err
	}
	return s.lose(ctx, name)
}

func unlink(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
