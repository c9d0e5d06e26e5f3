package bank_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
)

// batch signs n different transfers ahead of the clock.
func batch(b *testing.B, c *chain, n int) []*solana.Transaction {
	out := make([]*solana.Transaction, n)
	to, hash := address("alice"), c.blockhash()
	for i := range out {
		out[i] = transfer(b, "payer", to, uint64(i), hash)
	}
	return out
}

// BenchmarkProcess measures one transfer from submission to durability, from one and from 28
// senders.
func BenchmarkProcess(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		for _, senders := range []int{1, 28} {
			b.Run(fmt.Sprintf("%s/%d", where, senders), func(b *testing.B) {
				config := bank.DefaultConfig()
				if where == "disk" {
					config.Dir = b.TempDir()
				}
				c := reopen(b, config, nil)
				list := batch(b, c, b.N)
				var next atomic.Int64
				b.SetParallelism(max(1, senders/runtime.GOMAXPROCS(0)))
				b.ResetTimer()
				run := func() bool {
					i := next.Add(1) - 1
					if i >= int64(b.N) {
						return false
					}
					if _, rejected, err := c.Process(list[i]); rejected != nil || err != nil {
						b.Error(rejected, err)
					}
					return true
				}
				if senders == 1 {
					for run() {
					}
				} else {
					b.RunParallel(func(p *testing.PB) {
						for p.Next() {
							run()
						}
					})
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
			})
		}
	}
}

// BenchmarkSeal measures an idle slot.
func BenchmarkSeal(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		b.Run(where, func(b *testing.B) {
			config := bank.DefaultConfig()
			if where == "disk" {
				config.Dir = b.TempDir()
			}
			c := reopen(b, config, nil)
			for range 600 {
				c.seal()
			}
			for b.Loop() {
				c.seal()
			}
		})
	}
}

// BenchmarkHistory measures the memory and disk for 100,000 transfers, the default history.
func BenchmarkHistory(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		b.Run(where, func(b *testing.B) {
			for b.Loop() {
				history(b, where == "disk")
			}
		})
	}
}

func history(b *testing.B, disk bool) {
	config := bank.DefaultConfig()
	if disk {
		config.Dir = b.TempDir()
	}
	c := reopen(b, config, nil)
	before := heap()
	to := address("alice")
	for i := range 100_000 {
		if i%500 == 0 {
			c.seal()
		}
		c.must(transfer(b, "payer", to, uint64(i), c.blockhash()))
	}
	b.ReportMetric(float64(heap()-before)/100_000, "heap-B/tx")
	if !disk {
		return
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	reopen(b, config, nil)
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "reopen-ms")
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
