package direct

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/test"
	ma "github.com/multiformats/go-multiaddr"
)

func newKey(t *testing.T) Key {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return Key{public, func(m []byte) [ed25519.SignatureSize]byte {
		return [ed25519.SignatureSize]byte(ed25519.Sign(private, m))
	}}
}

// TestAttackSilentStreams: one machine has as many connections as one may have, each with a new
// key, opens more streams on each than one peer may have, and says nothing. Callers are still
// served.
func TestAttackSilentStreams(t *testing.T) {
	t.Parallel()
	p := Calls(1 << 20)
	at, _, err := Listen(t.Context(), newKey(t), p, "/ip4/127.0.0.1/tcp/0", func(ctx context.Context, k *Talk) {
		if err := k.Write(ctx, []byte("hello")); err != nil {
			t.Log(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func() error {
		k, err := Dial(t.Context(), newKey(t), p, at[0])
		if err != nil {
			return err
		}
		if _, err := k.Read(t.Context()); err != nil {
			return err
		}
		return k.Close()
	}
	if err := call(); err != nil {
		t.Fatal(err)
	}
	to, err := parse(at[0])
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for range connsPerPlace {
		h, err := libp2p.New(libp2p.NoListenAddrs, libp2p.ResourceManager(&network.NullResourceManager{}))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if err := h.Connect(t.Context(), *to); err != nil {
			t.Fatal(err)
		}
		var silent []network.Stream
		for range 70 {
			s, err := h.Network().NewStream(t.Context(), to.ID)
			if err != nil {
				t.Fatal(err)
			}
			silent = append(silent, s)
		}
		for _, s := range silent { // the station speaks first, or refuses
			if _, err := s.Read(make([]byte, 1)); err == nil {
				held++
			}
		}
	}
	if held == 0 || held > connsPerPlace*p.Each {
		t.Errorf("one machine holds %d streams", held)
	}
	for range 3 {
		if err := call(); err != nil {
			t.Errorf("after the silent streams: %v", err)
		}
	}
}

func managed(t *testing.T, b bounds) network.ResourceManager {
	t.Helper()
	b.each = Calls(1).Each
	m, err := b.manager()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func somebody(t *testing.T) peer.ID {
	t.Helper()
	id, err := test.RandPeerID()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// arrive has a new peer connect from an address.
func arrive(t *testing.T, m network.ResourceManager, from string) (network.ConnManagementScope, error) {
	t.Helper()
	at, err := ma.NewMultiaddr(from)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.OpenConnection(network.DirInbound, true, at)
	if err != nil {
		return nil, err
	}
	return c, c.SetPeer(somebody(t))
}

// TestManyCalls: one machine may make call after call, each with a new key. At once it has as many
// connections as one place may have; a network of IPv6 is one place.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(i int) string{
		"IPv4": func(i int) string { return fmt.Sprintf("/ip4/192.0.2.7/tcp/%d", 4000+i) },
		"IPv6": func(i int) string { return fmt.Sprintf("/ip6/2001:db8:7:%x::1/tcp/4001", i) },
	} {
		m := managed(t, bounds{})
		for i := range 2 * connsPerPlace {
			c, err := arrive(t, m, from(i))
			if err != nil {
				t.Fatalf("%s: call %d: %v", name, i+1, err)
			}
			c.Done()
		}
		for i := range connsPerPlace {
			if _, err := arrive(t, m, from(i)); err != nil {
				t.Fatalf("%s: connection %d at once: %v", name, i+1, err)
			}
		}
		if _, err := arrive(t, m, from(connsPerPlace)); err == nil {
			t.Errorf("%s: one place has more than %d connections", name, connsPerPlace)
		}
		if _, err := arrive(t, m, "/ip4/192.0.2.8/tcp/1"); err != nil {
			t.Errorf("%s: another is kept out: %v", name, err)
		}
	}
}

// TestLinks: a peer behind a relay has linksOfPeer links at once, each with all streams that one
// peer may have, and the relay carries them. Whoever only says that it is a relay has no more than
// others of its address.
func TestLinks(t *testing.T) {
	t.Parallel()
	relay, hidden := somebody(t), somebody(t)
	open := func(m network.ResourceManager, p peer.ID, dir network.Direction) {
		t.Helper()
		s, err := m.OpenStream(p, dir)
		if err == nil {
			err = s.ReserveMemory(256<<10, network.ReservationPriorityAlways)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	carrying, carried := managed(t, bounds{carries: map[peer.ID]bool{hidden: true}}), managed(t, bounds{relays: map[peer.ID]bool{relay: true}})
	for range linksOfPeer {
		open(carrying, somebody(t), network.DirInbound)
		open(carrying, hidden, network.DirOutbound)
		open(carried, relay, network.DirInbound)
		at, err := ma.NewMultiaddr("/ip4/192.0.2.1/tcp/4001/p2p/" + relay.String() + "/p2p-circuit")
		if err != nil {
			t.Fatal(err)
		}
		c, err := carried.OpenConnection(network.DirInbound, true, at)
		if err != nil {
			t.Fatal(err)
		}
		guest := somebody(t)
		if err := c.SetPeer(guest); err != nil {
			t.Fatal(err)
		}
		for range Calls(1).Each {
			open(carried, guest, network.DirInbound)
		}
	}
	if _, err := arrive(t, carried, "/ip4/192.0.2.1/tcp/4001"); err != nil {
		t.Errorf("the address of the relay is full: %v", err)
	}
	liar := "/ip4/192.0.2.2/tcp/4001/p2p/" + somebody(t).String() + "/p2p-circuit"
	n := 0
	for ; n < linksOfPeer; n++ {
		if _, err := arrive(t, carried, liar); err != nil {
			break
		}
	}
	if n != connsPerPlace {
		t.Errorf("a false relay has %d links", n)
	}
}

// TestRenew: a place is asked for again before the relay ends it, and not at once, whatever the
// clock of the relay says.
func TestRenew(t *testing.T) {
	t.Parallel()
	for granted, want := range map[time.Duration]time.Duration{
		placeTime: placeTime * 3 / 4, placeTime / 2: placeTime * 3 / 8,
		placeTime + 20*time.Minute: placeTime * 3 / 4, time.Second: placePause, -placeTime: placePause,
	} {
		if got := renew(granted); got != want {
			t.Errorf("granted %v: renewed after %v, not %v", granted, got, want)
		}
	}
}
