package providers

import (
	"errors"
	"net/netip"
	"testing"

	"ojud/ledger/rpc"
)

// TestOfferable: a URL with what may be a key is not offered, nor one of a private place, unless
// the court is there, too.
func TestOfferable(t *testing.T) {
	for text, want := range map[string][2]bool{ // far, near
		"https://rpc.example": {true, true}, "http://93.184.215.14:8899/": {true, true}, "https://rpc.example/key": {},
		"https://rpc.example/?api-key=1": {}, "https://user:pass@rpc.example": {}, "https://rpc.example/#x": {}, "ftp://rpc.example": {}, "": {},
		"http://127.0.0.1:8899": {false, true}, "http://localhost:8899": {false, true}, "http://[::1]:8899": {false, true},
		"http://[::ffff:127.0.0.1]": {false, true}, "http://10.0.0.1": {false, true}, "http://169.254.169.254": {false, true}, "http://metadata": {false, true},
	} {
		if got := [2]bool{Offerable(text, false), Offerable(text, true)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestPublic lists addresses that nobody else can mean.
func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f::1": true, "127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "fe80::1": false,
		"fd00::1": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "::": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// TestAttackPrivateProvider has a judge offer URLs that lead to this machine or its network, by
// address and by a name. A node whose own RPC node is elsewhere does not connect.
func TestAttackPrivateProvider(t *testing.T) {
	visit := Visit("https://rpc.example", calls(), nil, rpc.NewMetrics(""))
	for _, u := range []string{"http://127.0.0.1:8899", "http://169.254.169.254", "http://[::ffff:10.0.0.1]:80"} {
		if _, err := visit(u); err == nil {
			t.Errorf("it takes %s", u)
		}
	}
	for address, want := range map[string]error{"127.0.0.1:80": errPrivate, "[fd00::1]:80": errPrivate, "93.184.215.14:443": nil} {
		if err := guard(false)("tcp", address, nil); !errors.Is(err, want) {
			t.Errorf("%s, as a name may lead to: %v", address, err)
		}
	}
	if err := guard(true)("tcp", "127.0.0.1:80", nil); err != nil {
		t.Errorf("in a court of this machine: %v", err)
	}
}
