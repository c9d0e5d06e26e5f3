package devnet_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/ledger/devnet"
)

func TestValidate(t *testing.T) {
	if err := devnet.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*devnet.Config){
		"rpc":                   func(c *devnet.Config) { c.RPC = "localhost" },
		"rpc: \"http":           func(c *devnet.Config) { c.RPC = "localhost:http" },
		"after 65535":           func(c *devnet.Config) { c.RPC = "localhost:65535" },
		"ws":                    func(c *devnet.Config) { c.WS = ":70000" },
		"airdrop_limit":         func(c *devnet.Config) { c.AirdropLimit = 0 },
		"faucet_limit":          func(c *devnet.Config) { c.FaucetLimit = 1 },
		"max_body":              func(c *devnet.Config) { c.MaxBody = 1 },
		"max_batch":             func(c *devnet.Config) { c.MaxBatch = 0 },
		"max_answer":            func(c *devnet.Config) { c.MaxAnswer = 1 << 10 },
		"max_conns":             func(c *devnet.Config) { c.MaxConns = 0 },
		"max_requests":          func(c *devnet.Config) { c.MaxRequests = 0 },
		"timeout":               func(c *devnet.Config) { c.Timeout = 0 },
		"max_sockets":           func(c *devnet.Config) { c.MaxSockets = 0 },
		"max_subscriptions":     func(c *devnet.Config) { c.MaxSubscriptions = 0 },
		"queue_bytes":           func(c *devnet.Config) { c.QueueBytes = 0 },
		"ping_interval":         func(c *devnet.Config) { c.PingInterval = 0 },
		"slot_time":             func(c *devnet.Config) { c.Chain.SlotTime = 0 },
		"finality_blocks":       func(c *devnet.Config) { c.Chain.FinalityBlocks = 0 },
		"keep_transactions":     func(c *devnet.Config) { c.Chain.KeepTransactions = 0 },
		"keep_blocks":           func(c *devnet.Config) { c.Chain.KeepBlocks = 511 },
		"faucet_lamports":       func(c *devnet.Config) { c.Chain.FaucetLamports = 0 },
		"identity_lamports":     func(c *devnet.Config) { c.Chain.IdentityLamports = 1 << 63 },
		"finality_blocks is 65": func(c *devnet.Config) { c.Chain.FinalityBlocks = 65 },
	} {
		c := devnet.DefaultConfig()
		change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
		if _, opened := devnet.New(c, devnet.Deps{Logger: quiet()}); opened == nil {
			t.Errorf("%s: a server was made", field)
		}
	}
	if _, err := devnet.New(devnet.DefaultConfig(), devnet.Deps{}); err == nil {
		t.Error("a server without a logger was made")
	}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	deps := devnet.Deps{Logger: quiet(), Genesis: genesis(), Metrics: registry, Manual: true}
	s, err := devnet.New(devnet.DefaultConfig(), deps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := devnet.New(devnet.DefaultConfig(), deps); err == nil {
		t.Error("two servers share one registry")
	}
	c := &chain{Server: s, t: t}
	for _, call := range []string{`"getHealth"`, `"made-up"`, `"requestAirdrop","params":["$",1000000]`} {
		c.post(strings.Replace(`{"jsonrpc":"2.0","id":1,"method":`+call+`}`, "$", address("new").String(), 1))
	}
	if err := s.Seal(); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := strings.TrimPrefix(f.GetName(), "ojud_devnet_")
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	for name, want := range map[string]float64{
		"calls_total 0 getHealth": 1, "calls_total -32601 unknown": 1, "calls_total 0 requestAirdrop": 1,
		"transactions_total ok": 1, "slot": 2,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v (of %v)", name, got[name], want, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := registry.Gather(); err != nil || len(left) != 0 {
		t.Errorf("%d metrics are left, %v", len(left), err)
	}
}
