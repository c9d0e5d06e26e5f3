package devnet_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet"
)

// stalled is the result of a chain whose clients stopped reading.
type stalled struct {
	ran    int           // transactions that ran
	waited time.Duration // fake time meanwhile; the chain never waits, so it is 0
	served int           // notifications that the reading client got
	cut    int           // clients that were disconnected
	most   int           // bytes that one of the disconnected could still read
	memory uint64        // growth of the heap in bytes
}

const (
	stalledClients = 8
	stalledRuns    = 400
)

// stall runs transactions while some clients subscribe to everything and never read. One client
// reads.
func stall(t *testing.T, queue int) (out stalled) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, func(c *devnet.Config, d *devnet.Deps) { c.QueueBytes, d.Genesis = queue, nodeGenesis() })
		var slow []*listener
		for range stalledClients {
			l := c.listen()
			l.call("accountSubscribe", fmt.Sprintf(`%q,{"commitment":"processed","encoding":"base64"}`, solana.SysVarSlotHashesPubkey))
			l.call("logsSubscribe", `"all",{"commitment":"processed"}`)
			slow = append(slow, l)
		}
		good := c.listen()
		good.call("logsSubscribe", `"all",{"commitment":"processed"}`)
		good.read()
		served := make(chan int)
		go func() {
			n := 0
			for n < stalledRuns && strings.Contains(good.read(), "logsNotification") {
				n++
			}
			served <- n
		}()
		before, began := heap(), time.Now()
		for i := range stalledRuns {
			c.process(transfer(t, "payer", address("alice"), uint64(i+1), c.blockhash()))
			out.ran++
			if i%4 == 0 {
				c.seal(1) // 20 KB for each of them
			}
			synctest.Wait() // all readers have read
		}
		out.waited, out.served = time.Since(began), <-served
		out.memory = heap() - min(before, heap())
		for _, l := range slow {
			left, cut := l.rest(c)
			out.most = max(out.most, left)
			if cut {
				out.cut++
			}
			if err := l.conn.CloseNow(); err != nil {
				t.Log("a connection was closed before:", err)
			}
		}
		good.close()
	})
	return out
}

// rest reads the rest of a client's messages, and reports whether it was disconnected.
func (l *listener) rest(c *chain) (bytes int, cut bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // fake: an empty client is not cut off
	defer cancel()
	for {
		_, body, err := l.conn.Read(ctx)
		if err != nil {
			return bytes, ctx.Err() == nil
		}
		bytes += len(body)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStalledReaders: clients that never read do not delay the chain or the other clients. They are
// disconnected, and use no more memory than their queue.
func TestStalledReaders(t *testing.T) {
	got := stall(t, 1<<20)
	t.Logf("%+v", got)
	if got.ran != stalledRuns || got.waited != 0 || got.served != stalledRuns || got.cut != stalledClients || got.most > 64<<10 || got.memory > 8<<20 {
		t.Errorf("%+v", got)
	}
	// The control: without a bound on the queue no client is disconnected, and unread messages pile
	// up.
	loose := stall(t, 1<<30)
	t.Logf("without a bound: %+v", loose)
	if loose.cut != 0 || loose.most < 2<<20 || loose.memory < 8<<20 {
		t.Errorf("without a bound on the queue the trial found nothing: %+v", loose)
	}
}
