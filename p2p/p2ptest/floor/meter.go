package floor

import (
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// Meter counts the bytes that hosts write to their streams, all protocols together, above
// encryption and multiplexing. The library's own counter is a second late.
type Meter struct{ sent atomic.Int64 }

var _ metrics.Reporter = (*Meter)(nil)

// Option makes a host count. If several hosts share a meter, it counts their sum.
func (m *Meter) Option() libp2p.Option { return libp2p.BandwidthReporter(m) }

// Bytes returns the bytes that the hosts have written so far.
func (m *Meter) Bytes() float64 { return float64(m.sent.Load()) }

// LogSentMessage implements metrics.Reporter.
func (m *Meter) LogSentMessage(n int64) { m.sent.Add(n) }

// LogRecvMessage implements metrics.Reporter. It counts nothing, because the sender has counted the
// bytes.
func (*Meter) LogRecvMessage(int64) {}

// LogSentMessageStream implements metrics.Reporter. It counts nothing, because LogSentMessage is
// called too.
func (*Meter) LogSentMessageStream(int64, protocol.ID, peer.ID) {}

// LogRecvMessageStream implements metrics.Reporter.
func (*Meter) LogRecvMessageStream(int64, protocol.ID, peer.ID) {}

// GetBandwidthForPeer implements metrics.Reporter. It is not counted.
func (*Meter) GetBandwidthForPeer(peer.ID) (s metrics.Stats) { return s }

// GetBandwidthForProtocol implements metrics.Reporter. It is not counted.
func (*Meter) GetBandwidthForProtocol(protocol.ID) (s metrics.Stats) { return s }

// GetBandwidthTotals implements metrics.Reporter.
func (m *Meter) GetBandwidthTotals() metrics.Stats { return metrics.Stats{TotalOut: m.sent.Load()} }

// GetBandwidthByPeer implements metrics.Reporter. It is not counted.
func (*Meter) GetBandwidthByPeer() map[peer.ID]metrics.Stats { return nil }

// GetBandwidthByProtocol implements metrics.Reporter. It is not counted.
func (*Meter) GetBandwidthByProtocol() map[protocol.ID]metrics.Stats { return nil }

// Reset implements metrics.Reporter. It does nothing, because a count goes on as long as its hosts.
func (*Meter) Reset() {}

// TrimIdle implements metrics.Reporter. It does nothing, because nothing can become idle.
func (*Meter) TrimIdle(time.Time) {}
