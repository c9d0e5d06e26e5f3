package looks

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/rpc"
)

// Clock keeps the chain's time. It follows the Clock sysvar of confirmed blocks, even if that
// jumps, and never uses this machine's time, because all deadlines are the chain's.
type Clock struct {
	mu     sync.Mutex
	slot   uint64
	unix   int64
	since  time.Time // when unix was first seen; monotonic
	seen   time.Time // when a block was last seen
	rested time.Time // when nobody looked, on purpose
	known  bool
	gauges Gauges

	doubt   int64     // what a clock said that jumps
	doubted time.Time // when; zero: none does
}

// Gauges show a Clock to operators.
type Gauges struct {
	Slot prometheus.Gauge // of the newest confirmed block
	Unix prometheus.Gauge // its time
	Skew prometheus.Gauge
}

// NewClock makes a clock that knows no time yet.
func NewClock(g Gauges) *Clock { return &Clock{gauges: g} }

// Moment is a time of the chain: the clock of a block of that slot.
type Moment struct {
	Slot uint64
	Unix int64 // seconds
}

// maxJump is the largest difference in seconds between a block's clock and the estimate that is
// accepted at once. Acts that depend on the time cannot be undone, such as revealing a vote. If the
// chain's clock really jumps, after an outage or a devnet's warp, a second answer confirms it.
const maxJump = 30

// ErrJump is the answer to a clock that is off by more, the first time.
var ErrJump = fmt.Errorf("%w: the chain's clock jumps; asking again", rpc.ErrAnswer)

// Plausible reports whether a block's clock is near the estimate, or confirms an earlier answer. A
// single garbled answer must not move the time.
func (c *Clock) Plausible(m Moment) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	near := func(unix int64, since time.Time) bool {
		d := m.Unix - unix - int64(now.Sub(since)/time.Second)
		return -maxJump <= d && d <= maxJump
	}
	if !c.known || near(c.unix, c.since) || !c.doubted.IsZero() && near(c.doubt, c.doubted) {
		c.doubted = time.Time{}
		return true
	}
	c.doubt, c.doubted = m.Unix, now
	return false
}

// Observe learns a block's clock. Blocks older than the newest known one say nothing new.
func (c *Clock) Observe(m Moment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known && m.Slot < c.slot {
		return
	}
	now := time.Now()
	if !c.known || m.Unix != c.unix {
		c.unix, c.since = m.Unix, now
	}
	if !c.known || m.Slot > c.slot {
		c.seen = now
	}
	c.slot, c.known = m.Slot, true
	c.gauges.Slot.Set(float64(m.Slot))
	c.gauges.Unix.Set(float64(m.Unix))
	c.gauges.Skew.Set(now.Sub(time.Unix(m.Unix, 0)).Seconds())
}

// Last returns the time of the newest confirmed block; ok is false before the first one. Use it for
// voting's events, because a vote is revealed by it.
func (c *Clock) Last() (m Moment, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Moment{Slot: c.slot, Unix: c.unix}, c.known
}

// Estimate returns the probable time of the chain now, in Unix seconds: the time of the newest
// confirmed block plus the time since it was first seen, by this machine's monotonic clock.
func (c *Clock) Estimate() (unix int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return 0, false
	}
	return c.unix + int64(time.Since(c.since)/time.Second), true
}

// Age returns the time since the last new confirmed block, or since the last Rest. It grows if the
// chain stands still or the node does not answer.
func (c *Clock) Age() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return 0
	}
	return min(time.Since(c.seen), time.Since(c.rested))
}

// Rest says that the clock is not read now, on purpose. That nothing is seen then means nothing.
func (c *Clock) Rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rested = time.Now()
}

// Fresh reports whether the last new confirmed block was seen less than that ago.
func (c *Clock) Fresh(limit time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known && time.Since(c.seen) < limit
}

// Skew is this machine's clock minus the estimate of the chain's. It is good to a second or so.
func (c *Clock) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return 0
	}
	return c.since.Round(0).Sub(time.Unix(c.unix, 0))
}

// ClockSize is the size in bytes of the Clock sysvar: slot, epoch start, epoch, leader schedule
// epoch, Unix time.
const ClockSize = 40

// DecodeClock reads the Clock sysvar's account.
func DecodeClock(data []byte) (Moment, error) {
	if len(data) != ClockSize {
		return Moment{}, fmt.Errorf("the Clock sysvar has %d bytes, not %d", len(data), ClockSize)
	}
	return Moment{
		Slot: binary.LittleEndian.Uint64(data),
		Unix: int64(binary.LittleEndian.Uint64(data[32:])),
	}, nil
}
