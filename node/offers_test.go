package node

import (
	"slices"
	"strings"
	"testing"

	"ojud/ledger"
)

// TestAttackOwnProviderIsNear: a judge of a public court runs an RPC node of its own, at
// 127.0.0.1. That alone let strangers with a stake name addresses behind its router, to which its
// node sent requests, and it offered 127.0.0.1 to all. Both are so only by the setting for a
// court on a LAN.
func TestAttackOwnProviderIsNear(t *testing.T) {
	t.Parallel()
	cfg := ledger.DefaultConfig()
	cfg.RPC, cfg.MoreRPC, cfg.Offer = "http://127.0.0.1:8899", []string{"https://rpc.example"}, true
	if cfg.VisitPrivate {
		t.Error("private addresses of strangers are asked by default")
	}
	if got := offer(cfg); !slices.Equal(got, []string{"https://rpc.example"}) {
		t.Errorf("offered: %v", got)
	}
	cfg.VisitPrivate = true
	if got := offer(cfg); !slices.Equal(got, []string{"http://127.0.0.1:8899", "https://rpc.example"}) {
		t.Errorf("in a court on this machine: %v", got)
	}
}

// TestAttackNetworkBehindRouter: a web site serves a network.json whose RPC node is the router of
// who reads it, or a service on its machine. Controls: a public RPC node, a file on the disk, and
// a court on this machine.
func TestAttackNetworkBehindRouter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		where, rpc, ws string
		taken          bool
	}{
		{"https://court.example/network.json", "https://rpc.example", "", true},
		{"https://court.example/network.json", "http://192.168.1.1/", "", false},
		{"https://court.example/network.json", "http://127.0.0.1:6379", "", false},
		{"https://court.example/network.json", "http://[fd00::1]:80", "", false},
		{"https://court.example/network.json", "http://169.254.169.254/latest", "", false},
		{"https://court.example/network.json", "https://rpc.example", "ws://10.0.0.1:1", false},
		{"https://court.example/network.json", "http://localhost.:8899", "", false},
		{"https://court.example/network.json", "http://a.localhost:8899", "", false},
		{"https://court.example/network.json", "http://127.0.0.1.:8899", "", false},
		{"https://court.example/network.json", "http://127.1:8899", "", false},
		{"https://court.example/network.json", "http://0x7f.0.0.1:8899", "", false},
		{"https://court.example/network.json", "http://0x7f000001:8899", "", false},
		{"https://court.example/network.json", "http://127.0x1:8899", "", false},
		{"https://court.example/network.json", "http://router.lan/", "", false},
		{"https://court.example/network.json", "http://fritz.box/", "", false},
		{"https://court.example/network.json", "http://Metadata.Google.Internal/", "", false},
		{"https://court.example/network.json", "http://[::127.0.0.1]:8899", "", false},
		{"https://court.example/network.json", "https://rpc.example", "ws://router.lan:80", false},
		{"https://court.example/network.json", "https://rpc.localhost.example", "", true},
		{"/home/ann/100%/network.json", "http://127.0.0.1:8899", "", true},
		{"//court.example/network.json", "http://127.0.0.1:8899", "", true},
		{"network.json", "http://127.0.0.1:8899", "", true},
		{"/home/ann/court.example/network.json", "http://127.0.0.1:8899", "", true},
		{"http://127.0.0.1:8899/network.json", "http://127.0.0.1:8899", "ws://127.0.0.1:8900", true},
		{"http://10.0.0.5:8899/network.json", "http://10.0.0.5:8899", "", true},
	} {
		d := Descriptor{Format: DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111", RPC: c.rpc, WS: c.ws, Bootstrap: []string{}}
		raw, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DescriptorFrom(c.where, raw); (err == nil) != c.taken || err != nil && !strings.Contains(err.Error(), "save the file") {
			t.Errorf("%s of %s: %v", c.rpc, c.where, err)
		}
	}
}

// TestAttackPrivateBootstrap: a network.json from a public place names a node in a private network.
// The homes that take it would announce and dial private addresses by default.
func TestAttackPrivateBootstrap(t *testing.T) {
	const id = "/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY"
	d := Descriptor{Format: DescriptorFormat, Name: "test", Network: strings.Repeat("ab", 32), Program: "ojucourt11111111111111111111111111111111111", RPC: "https://rpc.example"}
	for where, takes := range map[string]bool{"https://court.example/network.json": false, "network.json": true} {
		for address, public := range map[string]bool{"/ip4/11.0.0.7/tcp/1" + id: true, "/dns4/a.example/tcp/1" + id: true, "/ip4/10.0.0.1/tcp/1" + id: false, "/ip4/127.0.0.1/tcp/1" + id: false} {
			d.Bootstrap = []string{"/ip4/11.0.0.8/tcp/1" + id, address}
			raw, err := d.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := DescriptorFrom(where, raw); (err == nil) != (takes || public) || err != nil && !strings.Contains(err.Error(), "save the file") {
				t.Errorf("%s of %s: %v", address, where, err)
			}
		}
	}
}
