package floor

import (
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
)

// Meter counts the bytes that hosts write to their streams, all protocols together: what is above encryption and multiplexing. The
// library's own counter is a second late.
type Meter struct{ sent atomic.Int64 }

var _ metrics.Reporter = (*Meter)(nil)

// Option has a host count. One meter may serve several hosts, whose sum it is then.
func (m *Meter) Option() libp2p.Option { return libp2p.BandwidthReporter(m) }

// Bytes is what the hosts have written so far.
func (m *Meter) Bytes() float64 { return float64(m.sent.Load()) }

// LogSentMessage implements metrics.Reporter.
func (m *Meter) LogSentMessage(n int64) { m.sent.Add(n) }

// LogRecvMessage implements metrics.Reporter: what somebody has written is counted already.
func (*Meter) LogRecvMessage(int64) {}

// LogSentMessageStream implements metrics.Reporter: LogSentMessage is called beside it.
func (*Meter) LogSentMessageStream(int64, protocol.ID, peer.ID) {}

// LogRecvMessageStream implements metrics.Reporter.
func (*Meter) LogRecvMessageStream(int64, protocol.ID, peer.ID) {}

// GetBandwidthForPeer implements metrics.Reporter: it is not counted.
func (*Meter) GetBandwidthForPeer(peer.ID) (s metrics.Stats) { return s }

// GetBandwidthForProtocol implements metrics.Reporter: it is not counted.
func (*Meter) GetBandwidthForProtocol(protocol.ID) (s metrics.Stats) { return s }

// GetBandwidthTotals implements metrics.Reporter.
func (m *Meter) GetBandwidthTotals() metrics.Stats { return metrics.Stats{TotalOut: m.sent.Load()} }

// GetBandwidthByPeer implements metrics.Reporter: it is not counted.
func (*Meter) GetBandwidthByPeer() map[peer.ID]metrics.Stats { return nil }

// GetBandwidthByProtocol implements metrics.Reporter: it is not counted.
func (*Meter) GetBandwidthByProtocol() map[protocol.ID]metrics.Stats { return nil }

// Reset implements metrics.Reporter: a count goes on as long as its hosts.
func (*Meter) Reset() {}

// TrimIdle implements metrics.Reporter: nothing is kept that could be idle.
func (*Meter) TrimIdle(time.Time) {}
