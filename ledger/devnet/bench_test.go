package devnet_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
)

// BenchmarkSend measures sendTransaction of a simple transfer with preflight, from 28 senders, in
// process and over HTTP, in memory and on disk.
func BenchmarkSend(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		for _, how := range []string{"in-process", "http"} {
			b.Run(where+"/"+how, func(b *testing.B) {
				s, url, _ := serve(b, func(c *devnet.Config, _ *devnet.Deps) {
					if where == "disk" {
						c.Chain.Dir = b.TempDir()
					}
				})
				c := &http.Client{Transport: s.Transport()}
				if how == "http" {
					c.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
				}
				send(b, s, c, url)
			})
		}
	}
}

func send(b *testing.B, s *devnet.Server, c *http.Client, url string) {
	chain := &chain{Server: s, t: b}
	bodies, hash := make([]string, b.N), chain.blockhash()
	for i := range bodies {
		wire, err := transfer(b, "payer", address("alice"), uint64(i), hash).MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		bodies[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sendTransaction","params":[%q,{"encoding":"base64","preflightCommitment":"processed"}]}`,
			i, base64.StdEncoding.EncodeToString(wire))
	}
	var next atomic.Int64
	b.SetParallelism(max(1, 28/runtime.GOMAXPROCS(0)))
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			resp, err := c.Post(url, "application/json", strings.NewReader(bodies[next.Add(1)-1]))
			if err != nil {
				b.Error(err)
				return
			}
			out, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(out), `"result"`) {
				b.Errorf("%s %v", out, err)
			}
			if err := resp.Body.Close(); err != nil {
				b.Error(err)
			}
		}
	})
	b.StopTimer()
	s.Bank().Read(bank.Processed, func(v *bank.View) {
		if v.Transactions() != uint64(b.N) {
			b.Errorf("%d of %d landed", v.Transactions(), b.N)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
}
