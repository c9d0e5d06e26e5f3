package floor

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/ipfs/go-cid"
	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	mh "github.com/multiformats/go-multihash"
)

// Lookup finds who has something with kad-dht alone, and gets one byte from it over a bare stream.
type Lookup struct {
	t     testing.TB
	hosts []host.Host
	nodes []*dht.IpfsDHT
}

const (
	protocolByte = "/bare-byte/1"
	// tableLeast is how many peers a routing table has before anything is measured: a whole bucket of kad-dht.
	tableLeast = 20
)

// NewLookup makes a DHT of hosts that listen on addr: full of them are connected with each other, as judges are, and more have joined
// through the first. Together they have to be more than 20.
func NewLookup(t testing.TB, full, more int, addr string) *Lookup {
	t.Helper()
	l := &Lookup{t: t, hosts: hosts(t, full, addr)}
	for range more {
		h := newHost(t, addr)
		connect(t, h, l.hosts[0])
		l.hosts = append(l.hosts, h)
	}
	for _, h := range l.hosts {
		h.SetStreamHandler(protocolByte, l.echo)
		l.nodes = append(l.nodes, l.node(h))
	}
	l.fill()
	return l
}

// node makes a host a server of the DHT, set up as those of ojud: no values, the library's sizes.
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

// fill waits until every table has as many peers as a lookup looks at.
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

// echo gives back one byte.
func (l *Lookup) echo(s network.Stream) {
	if _, err := io.CopyN(s, s, 1); err != nil {
		return // who asked is gone, and fails itself
	}
	if err := s.Close(); err != nil {
		l.t.Error(err)
	}
}

// Provide has the host of a number say that it has what the key names.
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

// First has the host of a number find the first that has what the key names, and get one byte from it. It returns how long it took to
// know who has it, and to have the byte.
func (l *Lookup) First(asker int, key []byte) (found, first time.Duration) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	start, id := time.Now(), l.cid(key)
	holder, ok := <-l.nodes[asker].FindProvidersAsync(ctx, id, 1)
	if found = time.Since(start); !ok {
		l.t.Fatal("floor: nobody has it")
	}
	if err := getByte(ctx, l.hosts[asker], holder.ID); err != nil {
		l.t.Fatal(err)
	}
	return found, time.Since(start)
}

// getByte sends one byte and waits for it to come back.
func getByte(ctx context.Context, from host.Host, to peer.ID) error {
	s, err := from.NewStream(ctx, to, protocolByte)
	if err != nil {
		return err
	}
	one := make([]byte, 1)
	if _, err = s.Write(one); err == nil {
		_, err = io.ReadFull(s, one)
	}
	return errors.Join(err, s.Close())
}
