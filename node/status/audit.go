package status

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/node/why"
	"ojud/node/work"
	"ojud/voting"
)

// auditStore keeps the audit trail on disk.
type auditStore interface {
	Diary(task voting.Key) ([]byte, error)
	PutDiary(task voting.Key, at int64, raw []byte) error
	TrimDiaries(keep int) error
	Watch() ([]byte, error)
	PutWatch(raw []byte) error
}

// keepCases is the number of cases that the node can explain later.
const keepCases = 1000

// Audit records the node's actions in each case, and the times when it ran and saw the chain.
type Audit struct {
	store auditStore
	clock func() int64 // Unix seconds of the chain
	log   *slog.Logger

	mu    sync.Mutex
	watch why.Watch // of this run
}

// NewAudit returns an audit trail that is kept in a store.
func NewAudit(store auditStore, clock func() int64, log *slog.Logger) *Audit {
	return &Audit{store: store, clock: clock, log: log}
}

// Note adds an entry to the trail of a case. It returns the error of the disk.
func (a *Audit) Note(task voting.Key, e why.Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, err := a.diary(task)
	if err != nil {
		return err
	}
	now := a.clock()
	if !d.Note(now, e) {
		return nil
	}
	raw, err := d.Encode()
	if err != nil {
		return err
	}
	return a.store.PutDiary(task, now, raw)
}

// diary reads the trail of a case. A trail that cannot be decoded starts again, because no vote
// rests on it.
func (a *Audit) diary(task voting.Key) (why.Diary, error) {
	raw, err := a.store.Diary(task)
	if err != nil {
		return why.Diary{}, err
	}
	d, err := why.DecodeDiary(raw)
	if err != nil {
		a.log.Warn("the trail of a case starts again", "case", casefile.Address(task), "err", err)
	}
	return d, nil
}

// Run records that the node runs and sees the chain, until ctx ends.
func (a *Audit) Run(ctx context.Context) error {
	if err := a.store.TrimDiaries(keepCases); err != nil {
		return err
	}
	raw, err := a.store.Watch()
	if err != nil {
		return err
	}
	w, err := why.DecodeWatch(raw)
	if err != nil {
		a.log.Warn("the record of when this node ran starts again", "err", err)
	}
	w.Begin(a.clock())
	for running := true; ; w.Tick(a.clock()) {
		if err := a.put(w); err != nil || !running {
			return err
		}
		running = work.Pause(ctx, why.WatchEvery*time.Second)
	}
}

func (a *Audit) put(w why.Watch) error {
	a.mu.Lock()
	a.watch = w
	a.mu.Unlock()
	raw, err := w.Encode()
	if err != nil {
		return err
	}
	return a.store.PutWatch(raw)
}

// Own returns the trail of a case and of the node itself, while the node runs.
func (a *Audit) Own(task voting.Key) (why.Own, error) {
	own, err := ReadOwn(a.store, task)
	own.Running = true
	a.mu.Lock()
	own.Watch = a.watch
	a.mu.Unlock()
	own.Watch.Spans = append([]why.Span(nil), own.Watch.Spans...)
	own.Watch.Tick(a.clock())
	return own, err
}

// ReadOwn reads the trail of a case and of the node itself from the disk.
func ReadOwn(store auditStore, task voting.Key) (own why.Own, err error) {
	raw, err := store.Diary(task)
	if err != nil {
		return own, err
	}
	if own.Diary, err = why.DecodeDiary(raw); err != nil {
		return own, err
	}
	if raw, err = store.Watch(); err != nil {
		return own, err
	}
	own.Watch, err = why.DecodeWatch(raw)
	return own, err
}
