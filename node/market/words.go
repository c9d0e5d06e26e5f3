package market

import (
	"context"
	"strings"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// Words remembers what the documents of tasks say. It is safe for concurrent use.
type Words struct {
	fetch func(ctx context.Context, hash voting.Hash) ([]byte, error)

	mu    sync.Mutex
	known map[voting.Hash]words
}

// words are what a document of a task says.
type words struct {
	subject string
	sources []string
	missing time.Time // when nobody sent the document; zero: it was read
}

// NewWords returns Words that gets a document by its hash with fetch.
func NewWords(fetch func(ctx context.Context, hash voting.Hash) ([]byte, error)) *Words {
	return &Words{fetch: fetch, known: map[voting.Hash]words{}}
}

// Of returns the subject of the task that a document orders, and the data that it names. read is
// false if the document is not here.
func (w *Words) Of(hash voting.Hash) (subject string, sources []string, read bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.known[hash]
	return one.subject, one.sources, ok && one.missing.IsZero()
}

// Learn gets the first documents that are not known yet, a few of them in a short time.
func (w *Words) Learn(ctx context.Context, all []voting.Hash) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var wait sync.WaitGroup
	defer wait.Wait()
	room := make(chan struct{}, atOnce)
	for _, hash := range w.unknown(all) {
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			raw, err := w.fetch(ctx, hash)
			if err != nil {
				return
			}
			said := read(raw)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.known[hash] = said
		})
	}
}

// unknown returns the documents to ask for, and notes them as missing until they come.
func (w *Words) unknown(all []voting.Hash) (out []voting.Hash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.known) > maxKept {
		clear(w.known)
	}
	for _, hash := range all {
		one, known := w.known[hash]
		if known && (one.missing.IsZero() || time.Since(one.missing) < retry) {
			continue
		}
		w.known[hash] = words{missing: time.Now()}
		if out = append(out, hash); len(out) == maxFetch {
			break
		}
	}
	return out
}

// read reads the document of a task. One that judges cannot read has no words.
func read(raw []byte) words {
	doc, err := casefile.ParseTask(raw)
	if err != nil || len(doc.Value.Instruction) == 0 {
		return words{}
	}
	return words{subject: strings.Join(strings.Fields(doc.Value.Instruction[0]), " "), sources: doc.Value.DataSources}
}
