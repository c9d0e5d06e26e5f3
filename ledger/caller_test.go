package ledger

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// TestFaults: what a node does wrong is tried again or not, and named by its class.
func TestFaults(t *testing.T) {
	after := func(seconds string) http.Header { return http.Header{"Retry-After": {seconds}} }
	always := func(f fault) func(string, int) fault { return func(string, int) fault { return f } }
	first := func(n int, f fault) func(string, int) fault {
		return func(_ string, i int) fault {
			if i <= n {
				return f
			}
			return fault{}
		}
	}
	garbage := func(text string) fault { return fault{body: []byte(text)} }
	for _, c := range []struct {
		name  string
		fault func(string, int) fault
		want  error
		calls int           // 0: more than 3
		least time.Duration // that it takes
		most  time.Duration
	}{
		{"none", nil, nil, 1, 0, 0},
		{"broken once", first(1, fault{before: true}), nil, 2, 100 * time.Millisecond, time.Second},
		{"always broken", always(fault{before: true}), ErrUnavailable, 0, 10 * time.Second, 20 * time.Second},
		{"500 three times", first(3, fault{status: 500}), nil, 4, 500 * time.Millisecond, 3 * time.Second},
		{"429 with seconds", first(1, fault{status: 429, header: after("7")}), nil, 2, 7 * time.Second, 8 * time.Second},
		{"429 with a date", first(1, fault{status: 429, header: after("Sat, 01 Jan 2000 00:00:05 GMT")}), nil, 2, 5 * time.Second, 6 * time.Second},
		{"429 too long", always(fault{status: 429, header: after("60")}), ErrRateLimited, 1, 0, time.Second},
		{"429 without", first(2, fault{status: 429}), nil, 3, 200 * time.Millisecond, 2 * time.Second},
		{"429 as a code", first(2, fault{code: 429}), nil, 3, 200 * time.Millisecond, 2 * time.Second},
		{"hangs once", first(1, fault{hang: true}), nil, 2, 10 * time.Second, 11 * time.Second},
		{"hangs", always(fault{hang: true}), ErrUnavailable, 2, 20 * time.Second, 21 * time.Second},
		{"401", always(fault{status: 401}), rpc.ErrRefused, 1, 0, 0},
		{"redirect", always(fault{status: 307, header: http.Header{"Location": {"http://evil.test/"}}}), rpc.ErrRefused, 1, 0, 0},
		{"no such method", always(fault{code: rpc.CodeNoMethod}), rpc.ErrRefused, 1, 0, 0},
		{"internal", first(1, fault{code: rpc.CodeInternal}), nil, 2, 100 * time.Millisecond, time.Second},
		{"unhealthy", first(1, fault{code: rpc.CodeUnhealthy}), nil, 2, 100 * time.Millisecond, time.Second},
		{"garbage once", first(1, garbage("<html>")), nil, 2, 100 * time.Millisecond, time.Second},
		{"other id", always(garbage(`{"jsonrpc":"2.0","id":99999,"result":"x"}`)), ErrAnswer, 0, 0, 20 * time.Second},
		{"id as text", always(garbage(`{"jsonrpc":"2.0","id":"1","result":"x"}`)), ErrAnswer, 0, 0, 20 * time.Second},
		{"neither", always(garbage(`{"jsonrpc":"2.0","id":1}`)), ErrAnswer, 0, 0, 20 * time.Second},
		{"wrong type", always(garbage(`{"jsonrpc":"2.0","id":1,"result":[1]}`)), ErrAnswer, 0, 0, 20 * time.Second},
		{"error without id", always(garbage(`{"error":{"code":-32600,"message":"bad key"},"id":null}`)), rpc.ErrRefused, 1, 0, 0},
		{"too large", always(fault{body: make([]byte, 64<<10+1)}), rpc.ErrRefused, 1, 0, 0},
		{"deep", always(garbage(strings.Repeat("[", 60_000))), ErrAnswer, 0, 0, 20 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				node := newFakeNode()
				node.fault = c.fault
				cfg := testConfig()
				cfg.Calls.MaxAnswer = 64 << 10
				start := time.Now()
				var hash onchain.Hash
				err := node.open(t, cfg).caller.Call(t.Context(), "getGenesisHash", nil, &hash, nil)
				if took := time.Since(start); took < c.least || took > c.most {
					t.Errorf("took %v, want %v to %v", took, c.least, c.most)
				}
				if !errors.Is(err, c.want) || c.want == nil && (err != nil || hash != node.genesis) {
					t.Errorf("error %v, want %v", err, c.want)
				}
				if err != nil && (strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "getGenesisHash")) {
					t.Errorf("error %q shows the key or not the method", err)
				}
				if n := node.count("getGenesisHash"); c.calls == 0 && n < 4 || c.calls != 0 && n != c.calls {
					t.Errorf("%d calls, want %d", n, c.calls)
				}
			})
		})
	}
}

// TestRetryAfterHoldsAll: a node that asks for a pause is left alone by everybody, and those whose
// time is up before it ends are told at once.
func TestRetryAfterHoldsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.fault = func(_ string, n int) fault {
			if n == 1 {
				return fault{status: 429, header: http.Header{"Retry-After": {"10"}}}
			}
			return fault{}
		}
		c := node.open(t, testConfig())
		start := time.Now()
		done := make(chan error, 2)
		for range 2 {
			go func() {
				var hash onchain.Hash
				done <- c.caller.Call(t.Context(), "getGenesisHash", nil, &hash, nil)
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		var hash onchain.Hash
		if err := c.caller.Call(ctx, "getGenesisHash", nil, &hash, nil); !errors.Is(err, ErrRateLimited) || time.Since(start) != 0 {
			t.Errorf("a call of 3 s: %v after %v", err, time.Since(start))
		}
		for range 2 {
			if err := <-done; err != nil || time.Since(start) < 10*time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}
	})
}

// TestGate: no more are under way at once, and no more a second, than the config allows.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		cfg := testConfig()
		cfg.Calls.MaxInFlight, cfg.Calls.Rate, cfg.Calls.Burst = 2, 10, 5
		c := node.open(t, cfg)
		start := time.Now()
		done := make(chan error)
		for range 25 {
			go func() {
				var hash onchain.Hash
				done <- c.caller.Call(t.Context(), "getGenesisHash", nil, &hash, nil)
			}()
		}
		for range 25 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(start); took < 2*time.Second || took > 2100*time.Millisecond {
			t.Errorf("25 calls at 10 a second after a burst of 5 took %v, want 2 s", took)
		}
		node.fault = func(string, int) fault { return fault{hang: true} }
		for range 5 {
			go func() {
				var hash onchain.Hash
				done <- c.caller.Call(t.Context(), "getGenesisHash", nil, &hash, nil)
			}()
		}
		time.Sleep(2 * time.Second)
		if n := node.count("getGenesisHash"); n != 27 {
			t.Errorf("%d calls reached the node, want 25 and 2 that hang", n)
		}
		for range 5 {
			if err := <-done; !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
		}
	})
}

// TestCancel: a call ends with its context, and that is no trouble of the node's.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := newFakeNode()
		node.fault = func(string, int) fault { return fault{hang: true} }
		c := node.open(t, testConfig())
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := c.Genesis(ctx); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if n := c.caller.Trouble(); n != 0 {
			t.Errorf("trouble %d", n)
		}
	})
}

// TestBackoff: waits double up to a bound, with jitter below it.
func TestBackoff(t *testing.T) {
	for n := range 100 {
		most := min(100*time.Millisecond<<min(n, 20), 5*time.Second)
		for range 20 {
			if d := rpc.Backoff(n, 100*time.Millisecond, 5*time.Second); d < most/2 || d > most {
				t.Fatalf("rpc.Backoff(%d) is %v, want %v to %v", n, d, most/2, most)
			}
		}
	}
}
