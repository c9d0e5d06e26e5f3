package floor

import (
	"io"
	"sync/atomic"
	"testing"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
)

// direct is the lower floor: one stream for each ordered pair, which is kept.
type direct struct {
	*Tally
	hosts   []host.Host
	streams [][]network.Stream // opened by the first round: one that is negotiated and not used is given up
	size    atomic.Int64       // of a vote, bytes
}

// NewDirect connects n hosts that listen on addr with bare streams. All votes have to be of the size of the first.
func NewDirect(t testing.TB, n int, addr string) Exchange {
	t.Helper()
	d := &direct{Tally: NewTally(t), hosts: hosts(t, n, addr)}
	for _, h := range d.hosts {
		h.SetStreamHandler("/bare/1", d.read)
	}
	return d
}

// read takes the votes of one stream until it ends.
func (d *direct) read(s network.Stream) {
	for {
		v := make([]byte, d.size.Load())
		if _, err := io.ReadFull(s, v); err != nil {
			return // the host is closed; a vote that is missing shows in Wait
		}
		d.Add(v)
	}
}

func (d *direct) open(from host.Host) (out []network.Stream) {
	d.t.Helper()
	for _, to := range d.hosts {
		if from == to {
			continue
		}
		s, err := from.NewStream(d.t.Context(), to.ID(), "/bare/1")
		if err != nil {
			d.t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func (*direct) Name() string { return "direct" }
func (*direct) Settle()      {}

func (d *direct) Round(votes [][]byte) {
	d.t.Helper()
	if d.streams == nil {
		d.size.Store(int64(len(votes[0])))
		for _, h := range d.hosts {
			d.streams = append(d.streams, d.open(h))
		}
	}
	d.Expect(len(votes))
	for i, v := range votes {
		go func() {
			for _, s := range d.streams[i] {
				if _, err := s.Write(v); err != nil {
					d.Fail(err)
				}
			}
		}()
	}
	d.Wait()
}
