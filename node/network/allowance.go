package network

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Allowance bounds how many bytes each peer may send for one purpose in an hour.
type Allowance struct {
	limit int

	mu    sync.Mutex
	since time.Time
	spent map[peer.ID]int
}

// NewAllowance allows each peer limit bytes in an hour.
func NewAllowance(limit int) *Allowance { return &Allowance{limit: limit, spent: map[peer.ID]int{}} }

// maxSpenders bounds the remembered peers. Beyond it no new peer may send until the hour is over.
const maxSpenders = 4096

// Spend reports whether a peer may send that many more bytes, and counts them if it may.
func (a *Allowance) Spend(p peer.ID, bytes int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.since) > time.Hour {
		a.since, a.spent = time.Now(), map[peer.ID]int{}
	}
	if _, known := a.spent[p]; !known && len(a.spent) >= maxSpenders || a.spent[p]+bytes > a.limit {
		return false
	}
	a.spent[p] += bytes
	return true
}
