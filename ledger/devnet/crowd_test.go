package devnet_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ojud/ledger/devnet"
)

// TestAttackForeignPages: a page of another site that a developer opens neither moves the clock nor
// takes from the faucet, also under a name that was pointed at this machine. It reads the chain.
func TestAttackForeignPages(t *testing.T) {
	t.Parallel()
	c := open(t, nil)
	const warp, drop, read = `"devnet_warp","params":[1]`, `"requestAirdrop","params":["11111111111111111111111111111112",1000000]`, `"getHealth"`
	behind := func(address string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, k := range []struct {
		origin, host, at string
		allowed          bool
	}{
		{"", "127.0.0.1:8899", "127.0.0.1:8899", true}, {"", "chain:8899", "172.17.0.2:8899", true}, {"", "localhost:8899", "127.0.0.1:8899", true},
		{"http://localhost:3000", "127.0.0.1:8899", "127.0.0.1:8899", true}, {"http://[::1]:3000", "localhost:8899", "127.0.0.1:8899", true},
		{"http://192.168.1.5:80", "192.168.1.5:8899", "192.168.1.5:8899", true},
		{"https://evil.example", "127.0.0.1:8899", "127.0.0.1:8899", false}, {"null", "127.0.0.1:8899", "127.0.0.1:8899", false},
		{"http://evil.example:8899", "evil.example:8899", "127.0.0.1:8899", false}, {"", "evil.example:8899", "127.0.0.1:8899", false},
		{"http://evil.example", "evil.example", "192.168.1.5:8899", false}, {"http://203.0.113.5", "127.0.0.1:8899", "127.0.0.1:8899", false},
		{"http://localhost.evil.example", "localhost:8899", "127.0.0.1:8899", false}, {"http://a%zz", "127.0.0.1:8899", "127.0.0.1:8899", false},
	} {
		for _, method := range []string{warp, drop, read} {
			ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, behind(k.at))
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+k.host+"/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":`+method+`}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if k.origin != "" {
				r.Header.Set("Origin", k.origin)
			}
			answer, err := c.Transport().RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(answer.Body)
			if refused := strings.Contains(string(raw), "not for pages"); err != nil || refused == (k.allowed || method == read) {
				t.Errorf("%+v, %s: %s, %v", k, method, raw, err)
			}
		}
	}
}

// TestAttackHalfSentRequests: connections that send half a request, or nothing, do not keep others
// away, and end no websocket.
func TestAttackHalfSentRequests(t *testing.T) {
	t.Parallel()
	const most = 24
	config := devnet.DefaultConfig()
	config.RPC, config.WS, config.MaxConns = "127.0.0.1:0", "127.0.0.1:0", most
	s, err := devnet.New(config, devnet.Deps{Logger: quiet(), Genesis: genesis()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	at, over := make(chan string, 1), make(chan error, 1)
	go func() { over <- s.Serve(ctx, func(rpc, _ net.Addr) { at <- rpc.String() }) }()
	address := <-at
	socket, told := half(t, address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"), make([]byte, 12)
	if _, err := io.ReadFull(socket, told); err != nil || string(told) != "HTTP/1.1 101" {
		t.Fatalf("%q, %v", told, err)
	}
	var all []net.Conn
	began := time.Now()
	for n := range 3 * most {
		text := "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40000\r\n\r\n{"
		if n%3 == 0 {
			text = ""
		}
		all = append(all, half(t, address, text))
		if n%most != most-1 {
			continue
		}
		answer, err := (&http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Post("http://"+address, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"getHealth"}`))
		if err != nil {
			t.Fatalf("after %d connections: %v", n, err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("after %d connections: %d, %v", n, answer.StatusCode, err)
		}
	}
	if took := time.Since(began); took > config.Timeout/2 {
		t.Errorf("it took %v", took)
	}
	if _, err := fmt.Fprint(socket, "\x89\x80\x00\x00\x00\x00"); err != nil { // a ping
		t.Error(err)
	}
	for pong := []byte{0}; pong[0] != 0x8a; { // after the rest of the handshake
		if _, err := io.ReadFull(socket, pong); err != nil {
			t.Fatalf("the websocket ended: %v", err)
		}
	}
	for _, conn := range append(all, socket) {
		_ = conn.Close() // the server may have closed it
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// half opens a connection and sends a text.
func half(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(20 * time.Second))
	}
	if err == nil {
		_, err = io.WriteString(conn, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
