package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"

	"ojud/datasource/exchange"
	"ojud/node/evidence"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
)

// impostor is a host without a stake that claims to hold every source.
type impostor struct {
	*p2p.Host
}

// impostors join the network of a world through its nodes. They announce the source, renew provider
// records for it, offer it to each node that may look for it, and never answer.
func (w *world) impostors(n int, source string) []*impostor {
	w.t.Helper()
	boot, err := w.nodes[0].Addrs()
	w.must(err)
	var out []*impostor
	for i := range n {
		h := w.net.Node(func(c *p2p.Config, _ *p2p.Deps) {
			c.Bootstrap, c.Listen = boot, []string{fmt.Sprintf("/ip4/203.0.%d.%d/udp/4600/quic-v1", 114+i/250, 1+i%250)}
		})
		raw := make([]byte, 32)
		_, err := rand.Read(raw)
		w.must(err)
		w.must(h.Directory().Announce(directory.Profile{Authority: base58.Encode(raw), ModelFamily: "none", Dimension: "facts", Version: "test", RPCURLs: []string{"http://192.0.2.1:8899"},
			Sources: []directory.Source{{Name: source, Kind: "tool", SchemaHash: strings.Repeat("ab", 32)}}}))
		for _, m := range w.nodes {
			if err := h.Connect(w.t.Context(), p2ptest.Info(w.t, m.host)); err != nil {
				w.t.Logf("an impostor is not let in: %v", err)
			}
		}
		if err := h.Provide(w.t.Context(), evidence.SourceKey(source)); err != nil && !errors.Is(err, p2p.ErrAlone) {
			w.t.Log(err)
		}
		out = append(out, &impostor{Host: h})
	}
	return out
}

// offers makes the impostors offer the source to a node without pause until ctx ends.
func offers(ctx context.Context, all []*impostor, to peer.ID, source string) {
	raw, err := network.Encode(map[string]string{"data_source": source, "card": strings.Repeat("ab", 32)}, 4<<10)
	for i := 0; err == nil && ctx.Err() == nil; i++ {
		_, _ = all[i%len(all)].Request(ctx, to, "have", raw) // in most cases no search waits for it
		work.Pause(ctx, 20*time.Millisecond)
	}
}

// found asks for the holders of a source. It reports whether the real holder is among the first
// candidates, as many as an inquiry asks.
func found(t *testing.T, holders <-chan exchange.Candidate, want string, tries int) (bool, int) {
	t.Helper()
	place := 0
	for c := range holders {
		if place++; c.Peer.String() == want {
			return true, place
		}
		if place == tries {
			return false, place
		}
	}
	return false, place
}

// TestHolderEclipsed: a hundred sybils announce the source of one judge, fill its provider records,
// and offer it to the nodes that look for it. Each search still finds the judge among the
// candidates that an inquiry tries (R11). The control, the DHT alone, believes every peer and does
// not find it.
func TestHolderEclipsed(t *testing.T) {
	longtest.Only(t)
	const source = "site.post"
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(3, nil)
		w.joinWith(func(m *member) { hold(t, m, "hello world") })
		asker, holder := w.nodes[1], w.nodes[3]
		did, err := holder.home.Keys.Identity.DID()
		w.must(err)
		sybils := w.impostors(*flagSybils, source)
		time.Sleep(2 * time.Minute)
		p2ptest.Eventually(t, time.Minute, "the asker knows the roster", func() bool { return asker.roster.Has(holder.host.ID()) })
		t.Logf("the directory of the asker has %d holders", len(asker.host.Directory().Holders(source)))
		missed, blind, worst := 0, 0, 0
		for range *flagFinds {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			done := make(chan struct{})
			go func() { defer close(done); offers(ctx, sybils, asker.host.ID(), source) }()
			ok, place := found(t, asker.evidence.Finder(evidence.All).Holders(ctx, source), did, asker.cfg.Data.Requester.MaxHolders)
			if worst = max(worst, place); !ok {
				missed++
			}
			cancel()
			<-done
			ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
			if ok, _ := found(t, asker.evidence.Finder(evidence.DHT).Holders(ctx, source), did, asker.cfg.Data.Requester.MaxHolders); !ok {
				blind++
			}
			cancel()
		}
		t.Logf("%d searches among %d sybils: %d missed the holder, which came at place %d at the latest; the DHT alone missed it %d times", *flagFinds, *flagSybils, missed, worst, blind)
		if missed > 0 {
			t.Errorf("%d of %d searches missed the holder", missed, *flagFinds)
		}
		if blind == 0 {
			t.Error("the DHT alone found the holder every time: the control of this test does not hold")
		}
	})
}
