package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ojud/node/cluster"
)

// teller writes a devnet's story to standard output: lines with the time since the start, or with --json one object a line.
type teller struct {
	app   *app
	began time.Time

	mu  sync.Mutex
	err error // the first that a write had; nothing is written after it
}

func newTeller(a *app) *teller { return &teller{app: a, began: time.Now()} }

// tell writes one line.
func (t *teller) tell(l cluster.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	if t.app.json {
		t.err = t.app.line(l)
		return
	}
	_, t.err = fmt.Fprintf(t.app.out, "[%5.1fs] %s\n", time.Since(t.began).Seconds(), l.Text)
}

// say tells something before the cluster is there, or after.
func (t *teller) say(format string, args ...any) {
	t.tell(cluster.Line{Event: cluster.EventNote, Text: fmt.Sprintf(format, args...)})
}

// demo settles one dispute and shows the report.
func (t *teller) demo(ctx context.Context, c *cluster.Cluster) error {
	r, err := c.Play(ctx)
	if err != nil && (r.Case == "" || !errors.Is(err, cluster.ErrVerify)) {
		return err
	}
	if r.LamportsBefore != r.LamportsAfter {
		err = errors.Join(err, fail("the chain had %d lamports before and %d after", r.LamportsBefore, r.LamportsAfter))
	}
	if t.app.json {
		t.tell(cluster.Line{Event: cluster.EventReport, Text: r.Sentence(), Data: r})
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, wrote := r.WriteTo(t.app.out)
	return errors.Join(err, wrote)
}

// fault is the first error of a write.
func (t *teller) fault() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
