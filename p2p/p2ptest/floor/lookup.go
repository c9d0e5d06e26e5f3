package floor

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ipfs/go-cid"
	"github.com/libp2p/go-libp2p"
	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	mh "github.com/multiformats/go-multihash"
)

// Lookup finds a holder with kad-dht alone, and gets its content over a bare stream.
type Lookup struct {
	t      testing.TB
	hosts  []host.Host
	nodes  []*dht.IpfsDHT
	answer int // bytes that a holder gives
}

const (
	protocolGet = "/bare-get/1"
	// tableLeast is the least number of peers in a routing table before a measurement: a whole
	// bucket of kad-dht.
	tableLeast = 20
)

// NewLookup makes a DHT of hosts that listen on addr. The number full of them are connected with
// each other, as judges are, and more have joined through the first. Together they must be more
// than 20.
func NewLookup(t testing.TB, full, more int, addr string) *Lookup {
	t.Helper()
	l := &Lookup{t: t, hosts: hosts(t, full, addr), answer: 1}
	for range more {
		h := newHost(t, addr)
		connect(t, h, l.hosts[0])
		l.hosts = append(l.hosts, h)
	}
	l.begin()
	return l
}

// NewLookupAt makes a DHT of n hosts, each at its own place, for a simulated wire. Each is
// connected with so many earlier ones, and with those that kad-dht connects. Holders give that many
// bytes.
func NewLookupAt(t testing.TB, n, links, answer int, place func(i int) (addr string, opts []libp2p.Option)) *Lookup {
	t.Helper()
	l := &Lookup{t: t, answer: answer}
	for i := range n {
		addr, opts := place(i)
		h := newHost(t, addr, opts...)
		for _, other := range l.hosts[max(0, i-links):] {
			connect(t, h, other)
		}
		l.hosts = append(l.hosts, h)
	}
	l.begin()
	return l
}

func (l *Lookup) begin() {
	l.t.Helper()
	for _, h := range l.hosts {
		h.SetStreamHandler(protocolGet, l.give)
		l.nodes = append(l.nodes, l.node(h))
	}
	l.fill()
}

// node makes a host a server of the DHT with the setup of ojud: no values, the library's sizes.
func (l *Lookup) node(h host.Host) *dht.IpfsDHT {
	l.t.Helper()
	first := l.hosts[0]
	d, err := dht.New(l.t.Context(), h, dht.Mode(dht.ModeServer), dht.ProtocolPrefix("/bare"), dht.DisableValues(),
		dht.BootstrapPeers(peer.AddrInfo{ID: first.ID(), Addrs: first.Addrs()}))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			l.t.Error(err)
		}
	})
	return d
}

// fill waits until every table has as many peers as a lookup needs.
func (l *Lookup) fill() {
	l.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		short := 0
		for _, d := range l.nodes {
			if d.RoutingTable().Size() < min(tableLeast, len(l.hosts)-1) {
				short++
				d.RefreshRoutingTable()
			}
		}
		if short == 0 {
			return
		}
		if time.Now().After(end) {
			l.t.Fatalf("floor: %d routing tables are not filled within %s", short, patience)
		}
	}
}

// give answers one byte with the holder's content. It ignores errors, because the asker notices
// them and may be gone after it has the content.
func (l *Lookup) give(s network.Stream) {
	_, err := io.ReadFull(s, make([]byte, 1))
	if err == nil {
		_, err = s.Write(make([]byte, l.answer))
	}
	if err = errors.Join(err, s.Close()); err != nil {
		l.t.Logf("floor: a holder: %v", err)
	}
}

// Provide lets the host of a number announce that it holds the key.
func (l *Lookup) Provide(holder int, key []byte) {
	l.t.Helper()
	if err := l.nodes[holder].Provide(l.t.Context(), l.cid(key), true); err != nil {
		l.t.Fatal(err)
	}
}

func (l *Lookup) cid(key []byte) cid.Cid {
	l.t.Helper()
	sum, err := mh.Sum(key, mh.SHA2_256, -1)
	if err != nil {
		l.t.Fatal(err)
	}
	return cid.NewCidV1(cid.Raw, sum)
}

// First lets the host of a number find the first holder of the key, and get the content. It returns
// how long it took to know the holder, and to have the whole content.
func (l *Lookup) First(asker int, key []byte) (found, first time.Duration) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	start, id := time.Now(), l.cid(key)
	holder, ok := <-l.nodes[asker].FindProvidersAsync(ctx, id, 1)
	if found = time.Since(start); !ok {
		l.t.Fatal("floor: nobody has it")
	}
	if err := l.get(ctx, l.hosts[asker], holder.ID); err != nil {
		l.t.Fatal(err)
	}
	return found, time.Since(start)
}

// get sends one byte and waits for the holder's content.
func (l *Lookup) get(ctx context.Context, from host.Host, to peer.ID) error {
	s, err := from.NewStream(ctx, to, protocolGet)
	if err != nil {
		return err
	}
	_, err = s.Write(make([]byte, 1))
	err = errors.Join(err, s.CloseWrite()) // before the holder closes, which ends what we write
	if err == nil {
		_, err = io.ReadFull(s, make([]byte, l.answer))
	}
	return errors.Join(err, s.CloseRead())
}
