package ledger

import (
	"math"
	"strings"
	"testing"

	"ojud/ledger/transact"
)

// TestConfig: the defaults are valid, and each bound is kept by an error that names its field.
func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(*Config){
		"rpc":                            func(c *Config) { c.RPC = "ftp://hush.test" },
		"more_rpc":                       func(c *Config) { c.MoreRPC = []string{"ftp://hush.test"} },
		"send.priority_budget":           func(c *Config) { c.Send.PriorityBudget = 1e15 },
		"ws":                             func(c *Config) { c.WS = "http://hush.test" },
		"commitment":                     func(c *Config) { c.Commitment = "processed" },
		"skew_warning":                   func(c *Config) { c.SkewWarning = 0 },
		"calls.attempt_timeout":          func(c *Config) { c.Calls.Timeout = 0 },
		"calls.total_timeout":            func(c *Config) { c.Calls.Patience = c.Calls.Timeout - 1 },
		"calls.backoff_min":              func(c *Config) { c.Calls.BackoffMin = 0 },
		"calls.backoff_max":              func(c *Config) { c.Calls.BackoffMax = 0 },
		"calls.max_in_flight":            func(c *Config) { c.Calls.MaxInFlight = 0 },
		"calls.max_per_second":           func(c *Config) { c.Calls.Rate = math.NaN() },
		"calls.burst":                    func(c *Config) { c.Calls.Burst = 0 },
		"calls.max_answer_bytes":         func(c *Config) { c.Calls.MaxAnswer = 1 },
		"watch.poll_interval":            func(c *Config) { c.Watch.Poll = 0 },
		"watch.sweep_interval":           func(c *Config) { c.Watch.Sweep = 0 },
		"watch.rescan_interval":          func(c *Config) { c.Watch.Rescan = 0 },
		"watch.ping_interval":            func(c *Config) { c.Watch.Ping = 0 },
		"watch.stall_timeout":            func(c *Config) { c.Watch.Stall = 0 },
		"watch.max_reconnect_wait":       func(c *Config) { c.Watch.ReconnectMax = 0 },
		"watch.max_message_bytes":        func(c *Config) { c.Watch.MaxMessage = 0 },
		"watch.max_pending_transactions": func(c *Config) { c.Watch.Buffer = 0 },
		"watch.signatures_per_page":      func(c *Config) { c.Watch.Page = 1001 },
		"watch.max_catch_up_signatures":  func(c *Config) { c.Watch.Window = 1 },
		"watch.overlap_slots":            func(c *Config) { c.Watch.Overlap = 0 },
		"watch.remembered_signatures":    func(c *Config) { c.Watch.Remember = 0 },
		"watch.max_cases":                func(c *Config) { c.Watch.MaxCases = 0 },
		"watch.max_case_transactions":    func(c *Config) { c.Watch.MaxHistory = 0 },
		"watch.history_cache_bytes":      func(c *Config) { c.Watch.HistoryCache = -1 },
		"send.rebroadcast_interval":      func(c *Config) { c.Send.Rebroadcast = 0 },
		"send.status_interval":           func(c *Config) { c.Send.Status = 0 },
		"send.priority_fee":              func(c *Config) { c.Send.PriorityFee = "much" },
		"send.priority_percentile":       func(c *Config) { c.Send.PriorityPercentile = 101 },
		"send.max_priority_fee":          func(c *Config) { c.Send.PriorityCap = 1 << 40 },
		"send.compute_margin_percent":    func(c *Config) { c.Send.ComputeMargin = -1 },
		"send.max_in_flight":             func(c *Config) { c.Send.MaxInFlight = 0 },
		"send.max_signings":              func(c *Config) { c.Send.MaxSignings = 0 },
	} {
		cfg := DefaultConfig()
		spoil(&cfg)
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), "ledger: "+field+" is ") || !strings.Contains(err.Error(), "set it to ") {
			t.Errorf("%s: %v", field, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v shows the URL", field, err)
		}
	}
}

// TestMoreRPC: the list of further nodes has a bound, and names none twice.
func TestMoreRPC(t *testing.T) {
	for name, list := range map[string][]string{"many": make([]string, 8), "twice": {"http://a.test", "http://a.test"}, "the first": {DefaultConfig().RPC}} {
		cfg := DefaultConfig()
		cfg.MoreRPC = list
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "more_rpc is ") || !strings.Contains(err.Error(), "set it to ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSocketURL: where the websocket is when nothing says so.
func TestSocketURL(t *testing.T) {
	for _, c := range []struct{ rpc, ws, want string }{
		{"http://127.0.0.1:8899", "", "ws://127.0.0.1:8900"},
		{"http://[::1]:8899/x", "", "ws://[::1]:8900/x"},
		{"https://api.devnet.solana.com", "", "wss://api.devnet.solana.com"},
		{"https://rpc.test/?api-key=1", "", "wss://rpc.test/?api-key=1"},
		{"https://rpc.test", "wss://other.test", "wss://other.test"},
		{"https://rpc.test", "off", ""},
	} {
		got, err := Config{RPC: c.rpc, WS: c.ws}.socketURL(c.rpc)
		if got != c.want || err != nil {
			t.Errorf("rpc %s, ws %q: %q, %v, want %q", c.rpc, c.ws, got, err, c.want)
		}
	}
}

// TestPercentile: against counting.
func TestPercentile(t *testing.T) {
	for _, c := range []struct {
		values []uint64
		p      int
		want   uint64
	}{
		{nil, 75, 0}, {[]uint64{5}, 0, 5}, {[]uint64{5}, 100, 5}, {[]uint64{3, 1, 2, 4}, 75, 3}, {[]uint64{3, 1, 2, 4}, 76, 4},
		{[]uint64{3, 1, 2, 4}, 50, 2}, {[]uint64{3, 1, 2, 4}, 0, 1}, {[]uint64{3, 1, 2, 4}, 100, 4},
	} {
		if got := transact.Percentile(c.values, c.p); got != c.want {
			t.Errorf("percentile(%v, %d) = %d, want %d", c.values, c.p, got, c.want)
		}
	}
}
