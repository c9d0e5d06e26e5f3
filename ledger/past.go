package ledger

import (
	"sync"

	"ojud/ledger/onchain"
)

// past keeps transactions that were read, up to so many bytes; the oldest go first.
type past struct {
	limit int

	mu    sync.Mutex
	size  int
	order []onchain.Signature
	known map[onchain.Signature]*transaction
}

func newPast(limit int) *past {
	return &past{limit: limit, known: make(map[onchain.Signature]*transaction)}
}

// bytes is about what a transaction takes.
func (t *transaction) bytes() int {
	n := len(t.raw) + 256
	for _, line := range t.logs {
		n += len(line) + 16
	}
	return n
}

// get returns a transaction if it is known as part of that slot: after a rollback it may be part of another.
func (p *past) get(l listed) *transaction {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.known[l.signature]; t != nil && t.slot == l.slot {
		return t
	}
	return nil
}

func (p *past) put(t *transaction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.known[t.signature]; old != nil {
		p.size -= old.bytes()
	} else {
		p.order = append(p.order, t.signature)
	}
	p.known[t.signature] = t
	p.size += t.bytes()
	for p.size > p.limit && len(p.order) > 0 {
		p.size -= p.known[p.order[0]].bytes()
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
}
