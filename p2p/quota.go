package p2p

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"golang.org/x/time/rate"
)

// limiters keeps a token bucket for each peer. A bucket that has filled up again
// is the same as a new one and is forgotten.
type limiters struct {
	rate  float64
	burst int

	mu    sync.Mutex
	peers map[peer.ID]*rate.Limiter
	sweep int // size at which full buckets are looked for
}

// minSweep is the least number of buckets worth sweeping.
const minSweep = 256

func newLimiters(r float64, burst int) *limiters {
	return &limiters{rate: r, burst: burst, peers: map[peer.ID]*rate.Limiter{}, sweep: minSweep}
}

func (l *limiters) of(p peer.ID) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	lim, ok := l.peers[p]
	if !ok {
		lim = rate.NewLimiter(rate.Limit(l.rate), l.burst)
		l.peers[p] = lim
		l.forget()
	}
	return lim
}

func (l *limiters) forget() {
	if len(l.peers) < l.sweep {
		return
	}
	now := time.Now()
	for p, lim := range l.peers {
		if lim.TokensAt(now) >= float64(l.burst) {
			delete(l.peers, p)
		}
	}
	l.sweep = max(minSweep, 2*len(l.peers))
}

// quota bounds what the peers may gossip to us.
type quota struct {
	*limiters
	ignoreCost int
}

func newQuota(g Gossip) *quota {
	return &quota{newLimiters(g.RatePerPeer, g.BurstPerPeer), g.IgnoreCost}
}

// take asks for n messages of p.
func (q *quota) take(p peer.ID, n int) bool { return q.of(p).AllowN(time.Now(), n) }

// ignored charges p for a message our validator ignored. Signed messages that
// nobody wants still fill the memory of messages seen for SeenTTL; dropping them
// unread costs an honest sender nothing, since they would be ignored again.
func (q *quota) ignored(p peer.ID) { q.of(p).ReserveN(time.Now(), q.ignoreCost-1) }
