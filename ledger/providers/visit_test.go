package providers

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

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
		"fd00::1": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "::": false, "::127.0.0.1": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// TestAttackPrivateProvider has a judge offer URLs that lead to this machine or its network, by
// address and by a name. A node does not connect, unless its settings say that its court is there.
func TestAttackPrivateProvider(t *testing.T) {
	visit := Visit(false, calls(), nil, rpc.NewMetrics(""))
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
	for _, metadata := range []string{"169.254.169.254:80", "[fe80::1]:80", "[::ffff:169.254.169.254]:80", "[fd00:ec2::254]:80", "100.100.100.200:80"} {
		if err := guard(true)("tcp", metadata, nil); !errors.Is(err, errPrivate) {
			t.Errorf("in a court of this machine, %s: %v", metadata, err)
		}
	}
}

// TestAttackNameBehindRouter has a network.json name RPC nodes whose public names lead to this
// machine, as 127.0.0.1.nip.io does. They are not dialled. Controls: an RPC node at 127.0.0.1 that
// a file on the disk names, and one that the owner names.
func TestAttackNameBehindRouter(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	lookup := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answers(server)
		return client, nil
	}}
	for _, c := range []struct {
		told, dialled string
		want          error
	}{
		{"http://Rebinds.example:" + port, "rebinds.example", errBehind},
		{"http://rebinds.example.:" + port, "rebinds.example.", errBehind},
		{"http://rébinds.example:" + port, "xn--rbinds-bva.example", errBehind},
		{"http://127.0.0.1:" + port, "127.0.0.1", nil},
		{"http://rpc.example:" + port, "rebinds.example", nil}, // the owner's own
	} {
		conn, err := dialling(calls(), lookup, c.told)(t.Context(), "tcp", net.JoinHostPort(c.dialled, port))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.told, err)
		}
		if conn != nil {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// answers is a name server that says 127.0.0.1 to one question over TCP.
func answers(c net.Conn) {
	defer c.Close()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	raw := make([]byte, binary.BigEndian.Uint16(size[:]))
	var m dnsmessage.Message
	if _, err := io.ReadFull(c, raw); err != nil || m.Unpack(raw) != nil {
		return
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}}}
	}
	if raw, err := m.Pack(); err == nil {
		_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(raw))), raw...))
	}
}
