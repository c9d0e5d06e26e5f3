package p2p_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"ojud/p2p"
	"ojud/p2p/p2ptest"
)

// TestReachRests: on one machine or a LAN nothing of package reach runs, so that a devnet is not
// busier. On the internet all of it runs.
func TestReachRests(t *testing.T) {
	parts := []string{"p2p/host/autorelay", "p2p/protocol/holepunch", "p2p/protocol/autonatv2", "p2p/reach.(*Reach).Run"}
	running := func() (out []string) {
		var stacks strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&stacks, 2); err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if strings.Contains(stacks.String(), part) {
				out = append(out, part)
			}
		}
		return out
	}
	p2ptest.Eventually(t, time.Minute, "the parts of hosts of earlier tests have ended", func() bool { return len(running()) == 0 })
	for _, addresses := range []string{p2p.AddressesPrivate, p2p.AddressesPublic} {
		cfg := p2p.DefaultConfig()
		cfg.Network, cfg.Listen, cfg.Addresses, cfg.LibraryMetrics = "rests", []string{"/ip4/127.0.0.1/tcp/0"}, addresses, false
		cfg.Reach.PortMapping, cfg.Reach.LocalNetwork = false, false // they would talk to this machine's network
		h, err := p2p.New(t.Context(), cfg, p2ptest.Identity(t), p2p.Deps{})
		if err != nil {
			t.Fatal(err)
		}
		if way := h.Reach(); (way.Reached == "untested") != (addresses == p2p.AddressesPrivate) {
			t.Errorf("%s: %s", addresses, way.How)
		}
		if addresses == p2p.AddressesPublic {
			p2ptest.Eventually(t, time.Minute, "all parts run on the internet", func() bool { return len(running()) == len(parts) })
		} else if busy := running(); len(busy) > 0 {
			t.Errorf("on a LAN there run %v", busy)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWebSocket: two hosts are linked over WebSocket alone, for networks that let out nothing else.
// A host with a certificate tells an address with TLS.
func TestWebSocket(t *testing.T) {
	t.Parallel()
	start := func(listen string, change func(*p2p.Config)) *p2p.Host {
		cfg := p2p.DefaultConfig()
		cfg.Network, cfg.Listen, cfg.Addresses, cfg.LibraryMetrics = "web", []string{listen}, p2p.AddressesPrivate, false
		change(&cfg)
		h, err := p2p.New(t.Context(), cfg, p2ptest.Identity(t), p2p.Deps{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		})
		return h
	}
	plain := func(*p2p.Config) {}
	a, b := start("/ip4/127.0.0.1/tcp/0/ws", plain), start("/ip4/127.0.0.1/tcp/0/ws", plain)
	if err := a.Connect(t.Context(), p2ptest.Info(t, b)); err != nil {
		t.Fatal(err)
	}
	c := start("/ip4/127.0.0.1/tcp/0/tls/ws", func(cfg *p2p.Config) {
		cfg.Reach.Certificate, cfg.Reach.Key = certificate(t)
	})
	told, err := c.Addrs()
	if err != nil || len(told) != 1 || !strings.Contains(told[0].String(), "/tls/ws/") {
		t.Errorf("it tells %v: %v", told, err)
	}
	if err := a.Connect(t.Context(), p2ptest.Info(t, c)); err == nil {
		t.Error("a certificate that nobody vouches for was taken")
	}
}

// certificate writes a certificate that only its own key vouches for.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: raw}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
