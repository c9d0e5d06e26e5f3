package bank

import (
	"fmt"
	"sync"
	"sync/atomic"

	"ojud/ledger/svm/accounts"
)

// entry is one step of the chain. It is written whole or not at all.
type entry struct {
	accounts      []accounts.Keyed // an account without lamports is deleted
	sequence      uint64
	record        []byte // nil: no transaction
	block         *Block
	head          *head
	genesis       []byte
	dropSequences []uint64
	dropSlots     []uint64
	events        []Event
}

// journal makes entries durable in order, and only then reports them. Callers that wait at the same
// time share a write: the first one writes the whole queue.
type journal struct {
	store   store
	publish func(Event)

	queue  []entry
	queued atomic.Uint64 // entries ever added
	err    error         // why the journal takes nothing more
	mu     sync.Mutex    // of queue and err; locked after the bank's

	writing   sync.Mutex
	closed    bool
	committed atomic.Uint64 // entries ever written and reported
}

// add queues an entry. The caller holds the bank's lock, so the order is the chain's.
func (j *journal) add(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queue = append(j.queue, e)
	j.queued.Add(1)
}

// failure returns why the journal takes nothing more, or nil while it works.
func (j *journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// fail stops the journal permanently. The first reason stays.
func (j *journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

func (j *journal) take() []entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	batch := j.queue
	j.queue = nil
	return batch
}

// sync returns when everything that was queued before the call is durable and reported.
func (j *journal) sync() error {
	target := j.queued.Load()
	if j.committed.Load() >= target {
		return j.failure()
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.committed.Load() >= target {
		return j.failure()
	}
	if err := j.failure(); err != nil {
		return err
	}
	batch := j.take()
	if err := j.store.commit(batch); err != nil {
		err = fmt.Errorf("%w: write the chain: %w", ErrBroken, err)
		j.fail(err)
		return err
	}
	for _, e := range batch {
		for _, event := range e.events {
			j.publish(event)
		}
	}
	j.committed.Add(uint64(len(batch)))
	return nil
}

// close writes the queue and refuses everything after it. A second call returns ErrClosed.
func (j *journal) close() error {
	err := j.sync()
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.closed {
		return ErrClosed
	}
	j.closed = true
	j.fail(ErrClosed)
	if closing := j.store.close(); err == nil && closing != nil {
		err = fmt.Errorf("bank: close the store: %w", closing)
	}
	return err
}
