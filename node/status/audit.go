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

// auditStore keeps the event logs and the uptime on disk.
type auditStore interface {
	EventLog(task voting.Key) ([]byte, error)
	PutEventLog(task voting.Key, at int64, raw []byte) error
	TrimEventLogs(keep int) error
	Uptime() ([]byte, error)
	PutUptime(raw []byte) error
}

// keepCases is the number of cases that the node can explain later.
const keepCases = 1000

// Audit records the node's actions in each case, and the times when it ran and saw the chain.
type Audit struct {
	store auditStore
	clock func() int64 // Unix seconds of the chain
	log   *slog.Logger

	mu     sync.Mutex
	uptime why.Uptime // of this run
}

// NewAudit returns an Audit that keeps its records in a store.
func NewAudit(store auditStore, clock func() int64, log *slog.Logger) *Audit {
	return &Audit{store: store, clock: clock, log: log}
}

// Note adds an entry to the event log of a case. It returns the error of the disk.
func (a *Audit) Note(task voting.Key, e why.LogEntry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, err := a.eventLog(task)
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
	return a.store.PutEventLog(task, now, raw)
}

// eventLog reads the event log of a case. One that cannot be decoded starts again, because no vote
// rests on it.
func (a *Audit) eventLog(task voting.Key) (why.EventLog, error) {
	raw, err := a.store.EventLog(task)
	if err != nil {
		return why.EventLog{}, err
	}
	d, err := why.DecodeEventLog(raw)
	if err != nil {
		a.log.Warn("the event log of a case starts again", "case", casefile.Address(task), "err", err)
	}
	return d, nil
}

// Run records that the node runs and sees the chain, until ctx ends.
func (a *Audit) Run(ctx context.Context) error {
	if err := a.store.TrimEventLogs(keepCases); err != nil {
		return err
	}
	raw, err := a.store.Uptime()
	if err != nil {
		return err
	}
	w, err := why.DecodeUptime(raw)
	if err != nil {
		a.log.Warn("the record of when this node ran starts again", "err", err)
	}
	w.Begin(a.clock())
	for running := true; ; w.Tick(a.clock()) {
		if err := a.put(w); err != nil || !running {
			return err
		}
		running = work.Pause(ctx, why.UptimeEvery*time.Second)
	}
}

func (a *Audit) put(w why.Uptime) error {
	a.mu.Lock()
	a.uptime = w
	a.mu.Unlock()
	raw, err := w.Encode()
	if err != nil {
		return err
	}
	return a.store.PutUptime(raw)
}

// Own returns the event log of a case and when the node ran, while the node runs.
func (a *Audit) Own(task voting.Key) (why.Own, error) {
	own, err := ReadOwn(a.store, task)
	own.Running = true
	a.mu.Lock()
	own.Uptime = a.uptime
	a.mu.Unlock()
	own.Uptime.Spans = append([]why.Span(nil), own.Uptime.Spans...)
	own.Uptime.Tick(a.clock())
	return own, err
}

// ReadOwn reads the event log of a case and when the node ran from the disk.
func ReadOwn(store auditStore, task voting.Key) (own why.Own, err error) {
	raw, err := store.EventLog(task)
	if err != nil {
		return own, err
	}
	if own.Log, err = why.DecodeEventLog(raw); err != nil {
		return own, err
	}
	if raw, err = store.Uptime(); err != nil {
		return own, err
	}
	own.Uptime, err = why.DecodeUptime(raw)
	return own, err
}
