package floor

import (
	"sync/atomic"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// Meter counts the bytes that hosts write to their streams, all protocols together, above
// encryption and multiplexing. The library's own counter is a second late, so it gets nothing to
// count.
type Meter struct {
	metrics.BandwidthCounter
	sent atomic.Int64
}

var _ metrics.Reporter = (*Meter)(nil)

// Option makes a host count. If several hosts share a meter, it counts their sum.
func (m *Meter) Option() libp2p.Option { return libp2p.BandwidthReporter(m) }

// Bytes returns the bytes that the hosts have written so far.
func (m *Meter) Bytes() float64 { return float64(m.sent.Load()) }

// LogSentMessage implements metrics.Reporter.
func (m *Meter) LogSentMessage(n int64) { m.sent.Add(n) }

// LogRecvMessage implements metrics.Reporter. The sender has counted the bytes.
func (*Meter) LogRecvMessage(int64) {}

// LogSentMessageStream implements metrics.Reporter. LogSentMessage is called, too.
func (*Meter) LogSentMessageStream(int64, protocol.ID, peer.ID) {}

// LogRecvMessageStream implements metrics.Reporter.
func (*Meter) LogRecvMessageStream(int64, protocol.ID, peer.ID) {}
