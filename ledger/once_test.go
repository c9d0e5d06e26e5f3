package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// forgetful is an outbox that keeps nothing.
type forgetful struct{}

// Keep does nothing.
func (forgetful) Keep(context.Context, transact.Entry) error { return nil }

// Drop does nothing.
func (forgetful) Drop(context.Context, Purpose, onchain.Signature) error { return nil }

// Pending is nothing.
func (forgetful) Pending(context.Context) ([]transact.Entry, error) { return nil, nil }

// storm sends n payments over a node that loses requests, answers and transactions, lags and goes
// away, with a sender that is killed again and again at any point, and returns how many arrived
// twice or more, and not at all. Payment i is 2^20·i + 1 to an address of its own.
func storm(t *testing.T, seed uint64, n int, box Outbox) (twice, never int) {
	r, lives := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
	b := newBench(t, func(c *Config) { c.Calls.Patience, c.Calls.Timeout = 5*time.Second, 2*time.Second })
	b.fund(b.payer.Address(), 1<<40)
	b.finality = 32
	b.fault = func(method string, _ int) fault {
		switch r.IntN(10) {
		case 0:
			return fault{before: true}
		case 1, 2:
			return fault{after: true}
		case 3:
			return fault{hang: r.IntN(4) == 0}
		case 4:
			return fault{status: 502}
		}
		return fault{}
	}
	lag := uint64(0)
	b.lag = func() uint64 { return lag }
	b.drop = func(int) bool { return r.IntN(5) == 0 }
	stop := make(chan struct{})
	go func() { // weather
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Second):
			}
			b.mu.Lock()
			lag = uint64(r.IntN(3)) * 200
			dark := r.IntN(4) == 0
			b.drop = func(int) bool { return dark || r.IntN(5) == 0 }
			b.mu.Unlock()
		}
	}()
	defer close(stop)
	address := func(i int) onchain.Address { return onchain.Address{200, byte(i)} }
	done := make(map[int]bool)
	for run := 0; len(done) < n; run++ {
		s, err := OpenSender(t.Context(), b.client, box)
		if err != nil {
			if !errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
			continue
		}
		life, cancel := context.WithTimeout(t.Context(), time.Duration(1+lives.IntN(60))*time.Second)
		results := make(chan int, n)
		running := 0
		for i := range n {
			if done[i] {
				continue
			}
			running++
			go func() {
				out, err := s.Submit(life, transfer(b.payer.Address(), address(i), uint64(i)<<20+1), SubmitOptions{
					Purpose: Purpose(fmt.Sprintf("pay/%d", i)), Payer: b.payer, Once: true,
				})
				if err == nil && out.Class == Landed {
					results <- i
				} else {
					results <- -1
				}
			}()
		}
		go func() { <-life.Done(); s.cancel(errClosed) }() // killed, even while transactions are under way
		for range running {
			if i := <-results; i >= 0 {
				done[i] = true
			}
		}
		cancel()
		s.Close()
	}
	time.Sleep(5 * time.Minute) // transactions that are still under way land
	for i := range n {
		switch got := b.lamports(address(i)); {
		case got == 0:
			never++
		case got > uint64(i)<<20+1:
			twice++
		}
	}
	return twice, never
}

// TestExactlyOnce: through all of that every payment arrives once. Without an outbox some arrive
// twice, which shows that the storm is one.
func TestExactlyOnce(t *testing.T) {
	doubles := 0
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			if twice, never := storm(t, seed, 12, &MemoryOutbox{}); twice != 0 || never != 0 {
				t.Errorf("seed %d: %d payments arrived twice, %d never", seed, twice, never)
			}
		})
		synctest.Test(t, func(t *testing.T) {
			twice, never := storm(t, seed, 12, forgetful{})
			if never != 0 {
				t.Errorf("seed %d: without an outbox %d payments never arrived", seed, never)
			}
			doubles += twice
		})
	}
	t.Logf("without an outbox %d of 72 payments arrived more than once", doubles)
	if doubles < 5 {
		t.Errorf("without an outbox only %d payments arrived twice: the storm is too weak to show anything", doubles)
	}
}
