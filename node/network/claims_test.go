package network

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/mr-tron/base58"

	"ojud/p2p"
	"ojud/p2p/directory"
	"ojud/p2p/p2ptest"
)

// TestLinksForm: what a node tells is read as it was written, and nothing else is read.
func TestLinksForm(t *testing.T) {
	t.Parallel()
	var links []peer.ID
	for range maxClaims {
		links = append(links, p2ptest.Identity(t).Peer())
	}
	slices.Sort(links)
	raw := encodeLinks(links)
	got, err := decodeLinks(raw)
	if err != nil || !slices.Equal(got, links) {
		t.Fatalf("%d links: %v", len(got), err)
	}
	if none, err := decodeLinks(nil); err != nil || len(none) != 0 {
		t.Errorf("no links: %v, %v", none, err)
	}
	one := encodeLinks(links[:1])
	for name, bad := range map[string][]byte{
		"twice":       slices.Concat(one, one),
		"descending":  encodeLinks([]peer.ID{links[1], links[0]}),
		"too many":    slices.Concat(raw, encodeLinks([]peer.ID{"\xff"})),
		"cut":         raw[:len(raw)-1],
		"no length":   {0},
		"no peer ID":  {3, 1, 2, 3},
		"a long name": append([]byte{maxPeerID + 1}, bytes.Repeat([]byte{1}, maxPeerID+1)...),
	} {
		if _, err := decodeLinks(bad); !errors.Is(err, errLinks) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLinks: whatever a node tells, it is a bounded list of peer IDs.
func FuzzLinks(f *testing.F) {
	f.Add([]byte{3, 1, 2, 3})
	f.Add(encodeLinks([]peer.ID{p2ptest.Identity(f).Peer()}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		links, err := decodeLinks(raw)
		if err != nil {
			return
		}
		if len(links) > maxClaims || !bytes.Equal(encodeLinks(links), raw) {
			t.Fatalf("%d links", len(links))
		}
	})
}

// asked counts how often a node asks others.
type asked struct {
	gossip
	times int
}

func (a *asked) Peers() []peer.ID {
	a.times++
	return nil
}

func (*asked) Directory() *directory.Directory { return nil }

// TestClaimsRest: nobody is asked while nobody looks, and answers are kept for a while.
func TestClaimsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &asked{}
		c := NewClaims(host)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(time.Hour)
		synctest.Wait()
		if host.times != 0 {
			t.Errorf("asked %d times for nobody", host.times)
		}
		for range 20 { // looks at the page in 20 s
			c.Said()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if host.times != 2 {
			t.Errorf("asked %d times in 20 s, want 2", host.times)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestClaims: judges tell each other their links to judges, and who is no judge is told nothing.
func TestClaims(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		net := p2ptest.NewNet(t, p2ptest.Latency)
		var hosts []*p2p.Host
		var claims []*Claims
		for i := range 4 { // the last one is no judge
			h := net.Node()
			c := NewClaims(h)
			if err := c.Serve(); err != nil {
				t.Fatal(err)
			}
			hosts, claims = append(hosts, h), append(claims, c)
			if i == 3 {
				break
			}
			if err := h.Directory().Announce(directory.Profile{Authority: base58.Encode(bytes.Repeat([]byte{byte(i + 1)}, 32)), ModelFamily: "none", Dimension: "facts", Version: "test"}); err != nil {
				t.Fatal(err)
			}
		}
		p2ptest.Mesh(t, hosts)
		p2ptest.Eventually(t, time.Minute, "all know the three judges", func() bool {
			return !slices.ContainsFunc(hosts, func(h *p2p.Host) bool { return len(h.Directory().Judges()) < 3 })
		})
		said := claims[0].ask(t.Context())
		if len(said) != 2 {
			t.Fatalf("%d nodes tell", len(said))
		}
		for i, from := range hosts[1:3] {
			want := []peer.ID{hosts[0].ID(), hosts[2-i].ID()}
			slices.Sort(want)
			if !slices.Equal(said[from.ID()], want) {
				t.Errorf("node %d tells %v, want %v", i+1, said[from.ID()], want)
			}
		}
		if said := claims[3].ask(t.Context()); len(said) != 0 {
			t.Errorf("%d nodes tell a stranger", len(said))
		}
	})
}
