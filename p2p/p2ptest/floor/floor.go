// Package floor does the network's work for judges with bare libraries, without ojud. It brings the
// votes of some judges to each other, over a libp2p stream for each pair or over gossipsub, finds
// holders with kad-dht, and asks and answers over streams. Benchmarks run it in turn with their own
// measurements, in the same process. A ratio to it says more than a time, which belongs to one
// machine.
//
// A benchmark makes its exchanges once. Then Voters sign new votes for every round, and the same
// votes run through each exchange. Between rounds the hosts stay, so subtract their cost while
// idle: see Idle.
package floor

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Exchange is one way to bring the votes of n judges to each other.
type Exchange interface {
	// Name returns a word for a table.
	Name() string
	// Round brings votes[i], of judge i, to all others, and returns when each of them has verified
	// it.
	Round(votes [][]byte)
	// Settle waits for the work that a round leaves for later, so that it does not burden the next
	// measurement.
	Settle()
}

// patience is how long a round may take before the benchmark fails.
const patience = time.Minute

// verified reports whether a vote begins with the judge that signed it.
func verified(v []byte) bool {
	if len(v) < MinVote {
		return false
	}
	body := len(v) - ed25519.SignatureSize
	return ed25519.Verify(v[:ed25519.PublicKeySize], v[:body], v[body:])
}

// hosts makes fully connected libp2p hosts, which end with the benchmark.
func hosts(t testing.TB, n int, addr string, opts ...libp2p.Option) []host.Host {
	t.Helper()
	var all []host.Host
	for range n {
		h := newHost(t, addr, opts...)
		for _, other := range all {
			connect(t, h, other)
		}
		all = append(all, h)
	}
	return all
}

// newHost makes a host with only the necessary parts.
func newHost(t testing.TB, addr string, opts ...libp2p.Option) host.Host {
	t.Helper()
	h, err := libp2p.New(append([]libp2p.Option{
		libp2p.ListenAddrStrings(addr), libp2p.ResourceManager(&network.NullResourceManager{}), libp2p.DisableRelay(),
		libp2p.DisableMetrics(), libp2p.DisableIdentifyAddressDiscovery(), libp2p.Ping(false)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func connect(t testing.TB, h, to host.Host) {
	t.Helper()
	if err := h.Connect(t.Context(), peer.AddrInfo{ID: to.ID(), Addrs: to.Addrs()}); err != nil {
		t.Fatal(err)
	}
}
