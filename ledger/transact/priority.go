package transact

import (
	"slices"
	"sync"
	"time"
)

// Percentile is the smallest value that p percent of them do not exceed; 0 without any.
func Percentile(values []uint64, p int) uint64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[max((len(values)*p+99)/100-1, 0)]
}

// PriorityBudget bounds what priority fees cost in 24 hours. It counts a fee when a transaction is
// signed, whether or not it lands, and forgets it when the process ends.
type PriorityBudget struct {
	Limit uint64 // lamports in 24 hours
	// Refused is called with what was spent when a fee does not fit. It must return at once.
	Refused func(spent uint64)

	mu    sync.Mutex
	hour  int64      // the newest of hours, since 1970
	hours [24]uint64 // spent in each hour, by its number modulo 24
}

// Take spends lamports, or reports that they do not fit.
func (b *PriorityBudget) Take(now time.Time, lamports uint64) bool {
	if lamports == 0 {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	hour := now.Unix() / 3600
	for b.hour = max(b.hour, hour-24); b.hour < hour; {
		b.hour++
		b.hours[b.hour%24] = 0
	}
	spent := uint64(0)
	for _, n := range b.hours {
		spent += n
	}
	if spent+lamports > b.Limit || spent+lamports < spent {
		b.Refused(spent)
		return false
	}
	b.hours[b.hour%24] += lamports
	return true
}
