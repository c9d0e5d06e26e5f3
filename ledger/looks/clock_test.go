package looks

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func testClock() *Clock {
	gauge := func() prometheus.Gauge { return prometheus.NewGauge(prometheus.GaugeOpts{}) }
	return NewClock(Gauges{gauge(), gauge(), gauge()})
}

// TestClock: the estimate goes on between blocks, follows jumps both ways, ignores old blocks, and
// is never ahead of the newest block by more than the time since it was seen.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testClock()
		if _, ok := c.Estimate(); ok {
			t.Error("an estimate of nothing")
		}
		want := func(last Moment, estimate int64, age time.Duration) {
			t.Helper()
			m, ok := c.Last()
			e, ok2 := c.Estimate()
			if !ok || !ok2 || m != last || e != estimate || c.Age() != age {
				t.Errorf("last %v, estimate %d, age %v; want %v, %d, %v", m, e, c.Age(), last, estimate, age)
			}
		}
		c.Observe(Moment{10, 1000})
		want(Moment{10, 1000}, 1000, 0)
		time.Sleep(900 * time.Millisecond)
		want(Moment{10, 1000}, 1000, 900*time.Millisecond)
		c.Observe(Moment{12, 1000}) // the same second: it is 900 ms old
		time.Sleep(200 * time.Millisecond)
		want(Moment{12, 1000}, 1001, 200*time.Millisecond)
		c.Observe(Moment{13, 1000})
		want(Moment{13, 1000}, 1001, 0)
		c.Observe(Moment{11, 5000}) // an old block
		want(Moment{13, 1000}, 1001, 0)
		c.Observe(Moment{72_013, 1000 + 28_800}) // eight hours at once
		want(Moment{72_013, 29_800}, 29_800, 0)
		c.Observe(Moment{72_014, 29_700}) // a newer block with an earlier time
		want(Moment{72_014, 29_700}, 29_700, 0)
		time.Sleep(10 * time.Second)
		want(Moment{72_014, 29_700}, 29_710, 10*time.Second)
	})
}

// TestSkew: this machine's clock is compared with the chain's.
func TestSkew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testClock()
		if c.Skew() != 0 {
			t.Error(c.Skew())
		}
		now := time.Now().Unix()
		c.Observe(Moment{10, now - 600})
		if c.Skew() != 10*time.Minute {
			t.Error(c.Skew())
		}
		time.Sleep(time.Hour) // the chain stands still: that is no skew
		if c.Skew() != 10*time.Minute {
			t.Error(c.Skew())
		}
		c.Observe(Moment{11, time.Now().Unix() + 5})
		if c.Skew() != -5*time.Second {
			t.Error(c.Skew())
		}
	})
}
