package floor

import (
	"bufio"
	"encoding/binary"
	"io"
	"testing"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
)

// direct is the lower floor: one kept stream for each ordered pair.
type direct struct {
	*Tally
	hosts   []host.Host
	streams [][]network.Stream // opened by the first round, because a negotiated stream is closed if unused
}

// NewDirect connects n hosts that listen on addr with bare streams. Two bytes before a
// vote have its size.
func NewDirect(t testing.TB, n int, addr string, opts ...libp2p.Option) Exchange {
	t.Helper()
	d := &direct{Tally: NewTally(t), hosts: hosts(t, n, addr, opts...)}
	for _, h := range d.hosts {
		h.SetStreamHandler("/bare/1", d.read)
	}
	return d
}

// read takes the votes of one stream until it ends.
func (d *direct) read(s network.Stream) {
	r := bufio.NewReaderSize(s, 2<<10)
	for {
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return // the host is closed
		}
		v := make([]byte, binary.LittleEndian.Uint16(size[:]))
		if _, err := io.ReadFull(r, v); err != nil {
			return // the host is closed; Wait notices a missing vote
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

// Round implements Exchange. It may have several votes of a judge, which sends them without
// waiting: vote i is that of judge i modulo n.
func (d *direct) Round(votes [][]byte) {
	d.t.Helper()
	if d.streams == nil {
		for _, h := range d.hosts {
			d.streams = append(d.streams, d.open(h))
		}
	}
	d.ExpectAll(len(votes), len(d.hosts)-1)
	for i := range d.streams {
		go func() {
			for k := i; k < len(votes); k += len(d.streams) {
				d.send(d.streams[i], votes[k])
			}
		}()
	}
	d.Wait()
}

func (d *direct) send(to []network.Stream, v []byte) {
	v = append(binary.LittleEndian.AppendUint16(nil, uint16(len(v))), v...)
	for _, s := range to {
		if _, err := s.Write(v); err != nil {
			d.Fail(err)
		}
	}
}
