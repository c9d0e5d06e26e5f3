package p2p_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"ojud/p2p"
)

// few are limits small enough to reach. None of them hides another.
func few() p2p.Resources {
	return p2p.Resources{Conns: 300, ConnsPerPeer: 4, ConnsPerIPv4: 20, ConnsPerIPv6: 24, ConnRatePerIP: 2, Streams: 400, StreamsPerPeer: 40, MemoryMiB: 64}
}

// manager opens things until it is refused, and returns how many it had.
type manager struct {
	t *testing.T
	network.ResourceManager
}

// conns opens inbound connections with addresses from where and peers from who.
func (m *manager) conns(where func(i int) string, who func(i int) peer.ID) int {
	for i := range 2000 {
		c, err := m.OpenConnection(network.DirInbound, true, ma.StringCast(where(i)))
		if err == nil {
			err = c.SetPeer(who(i))
		}
		if err != nil {
			return i
		}
	}
	return -1
}

func (m *manager) streams(who func(i int) peer.ID) int {
	for i := range 2000 {
		if _, err := m.OpenStream(who(i), network.DirInbound); err != nil {
			return i
		}
		// A stream is transient until it has a protocol.
	}
	return -1
}

func everywhere(i int) string { return fmt.Sprintf("/ip4/192.%d.%d.1/udp/1/quic-v1", i/200, i%200) }
func anybody(i int) peer.ID   { return peer.ID(fmt.Sprint("peer ", i)) }
func somebody(int) peer.ID    { return "peer" }

// limitSettings measures the effect of each setting of Resources, after a change of it.
func limitSettings() map[string]struct {
	change  func(*p2p.Resources)
	measure func(*manager) int
	want    [2]int // with the limits of few, and after the change
} {
	type row = struct {
		change  func(*p2p.Resources)
		measure func(*manager) int
		want    [2]int
	}
	return map[string]row{
		"Conns":        {func(r *p2p.Resources) { r.Conns = 200 }, func(m *manager) int { return m.conns(everywhere, anybody) }, [2]int{300, 200}},
		"ConnsPerPeer": {func(r *p2p.Resources) { r.ConnsPerPeer = 6 }, func(m *manager) int { return m.conns(everywhere, somebody) }, [2]int{4, 6}},
		"ConnsPerIPv4": {func(r *p2p.Resources) { r.ConnsPerIPv4 = 30 }, func(m *manager) int {
			return m.conns(func(int) string { return "/ip4/192.0.2.1/udp/1/quic-v1" }, anybody)
		}, [2]int{20, 30}},
		"ConnsPerIPv6": {func(r *p2p.Resources) { r.ConnsPerIPv6 = 30 }, func(m *manager) int {
			return m.conns(func(i int) string { return fmt.Sprintf("/ip6/2001:db8::%x/udp/1/quic-v1", i+1) }, anybody)
		}, [2]int{24, 30}},
		"ConnRatePerIP":  {func(r *p2p.Resources) { r.ConnRatePerIP = 4 }, (*manager).perSecond, [2]int{2, 4}},
		"Streams":        {func(r *p2p.Resources) { r.Streams = 2400 }, func(m *manager) int { return m.streams(anybody) }, [2]int{256, 300}},
		"StreamsPerPeer": {func(r *p2p.Resources) { r.StreamsPerPeer = 60 }, func(m *manager) int { return m.streams(somebody) }, [2]int{40, 60}},
		"MemoryMiB":      {func(r *p2p.Resources) { r.MemoryMiB = 96 }, (*manager).memory, [2]int{8, 12}},
	}
}

// perSecond returns how many connections a second are accepted from one address, in the five
// seconds after it used up its burst and closed it.
func (m *manager) perSecond() int {
	open := func() (n int) {
		for {
			c, err := m.OpenConnection(network.DirInbound, true, ma.StringCast("/ip4/192.0.2.1/udp/1/quic-v1"))
			if err != nil {
				return n
			}
			c.Done()
			n++
		}
	}
	if burst := open(); burst != 20 {
		m.t.Errorf("a burst of %d", burst)
	}
	time.Sleep(5 * time.Second)
	return open() / 5
}

// memory returns how many MiB one peer may reserve.
func (m *manager) memory() int {
	c, err := m.OpenConnection(network.DirInbound, true, ma.StringCast("/ip4/192.0.2.1/udp/1/quic-v1"))
	if err := errors.Join(err, c.SetPeer("peer")); err != nil {
		m.t.Fatal(err)
	}
	for i := 0; ; i++ {
		if c.ReserveMemory(1<<20, network.ReservationPriorityAlways) != nil {
			return i
		}
	}
}

// TestLimitSettings: each setting of the resource manager bounds only the resource that it names.
func TestLimitSettings(t *testing.T) {
	rows := limitSettings()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[p2p.Resources]()) {
		row, ok := rows[f.Name]
		if !ok {
			t.Errorf("limits.%s has no test", f.Name)
			continue
		}
		for i, change := range []func(*p2p.Resources){func(*p2p.Resources) {}, row.change} {
			synctest.Test(t, func(t *testing.T) {
				r := few()
				change(&r)
				raw, err := p2p.NewResourceManager(r)
				if err != nil {
					t.Fatal(err)
				}
				m := &manager{t: t, ResourceManager: raw}
				if got := row.measure(m); got != row.want[i] {
					t.Errorf("limits.%s: %d, want %d", f.Name, got, row.want[i])
				}
				if err := raw.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
