package remote

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAttackBrowser: the visitor of a page runs a memory node on its machine. The page has a name
// of its own lead to 127.0.0.1, or posts there, and so fills the node's disk and reads what it
// keeps. Controls: a program at the machine's own names, and a node that is for others.
func TestAttackBrowser(t *testing.T) {
	d := desk(node(t, "node"), "")
	in, err := d.node.Put([]byte("kept"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.ServeHTTP(ctx, l) }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host   string
		header [2]string
		want   int
	}{
		"a program":               {"127.0.0.1:" + port, [2]string{}, http.StatusOK},
		"a program, localhost":    {"localhost:" + port, [2]string{}, http.StatusOK},
		"a program, IPv6":         {"[::1]:" + port, [2]string{}, http.StatusOK},
		"a name that leads here":  {"evil.example:" + port, [2]string{}, http.StatusForbidden},
		"a name without a port":   {"evil.example", [2]string{}, http.StatusForbidden},
		"127.0.0.1 as a name":     {"127.0.0.1.evil.example", [2]string{}, http.StatusForbidden},
		"a page of another site":  {"127.0.0.1:" + port, [2]string{"Origin", "https://evil.example"}, http.StatusForbidden},
		"a page of no site":       {"127.0.0.1:" + port, [2]string{"Origin", "null"}, http.StatusForbidden},
		"an image of a page":      {"127.0.0.1:" + port, [2]string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"a browser that was sent": {"127.0.0.1:" + port, [2]string{"Sec-Fetch-Mode", "navigate"}, http.StatusForbidden},
	} {
		for method, path := range map[string]string{http.MethodGet: "artifacts/" + in.Promise.Hash.String(), http.MethodPost: "artifacts?seconds=60"} {
			r, err := http.NewRequestWithContext(t.Context(), method, "http://"+l.Addr().String()+root+path, strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			if method == http.MethodGet {
				r.Body, r.ContentLength = http.NoBody, 0
			}
			if r.Host = c.host; c.header[0] != "" {
				r.Header.Set(c.header[0], c.header[1])
			}
			answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			if err := answer.Body.Close(); err != nil {
				t.Error(err)
			}
			got := answer.StatusCode
			if want := c.want; got != want && (want != http.StatusOK || got != http.StatusCreated) {
				t.Errorf("%s, %s: %d, want %d", name, method, got, want)
			}
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestAttackBrowserInLAN: a memory node is for others, too, and a page in a browser beside it has a
// name of its own lead there. A GET of such a page has neither Origin nor Sec-Fetch headers over
// plain HTTP. Controls: addresses, and a name that the node has, as behind a proxy.
func TestAttackBrowserInLAN(t *testing.T) {
	d := desk(node(t, "node"), "")
	in, err := d.node.Put([]byte("kept"), 3600)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"0.0.0.0:0", "127.0.0.1:0"} {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.ServeHTTP(ctx, l, "memory.example") }()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far := http.StatusForbidden
		if at == "0.0.0.0:0" {
			far = http.StatusOK
		}
		for host, want := range map[string]int{
			"evil.example:" + port: http.StatusForbidden, "evil.example": http.StatusForbidden, "memory.example.evil.example": http.StatusForbidden,
			"Memory.example": http.StatusOK, "memory.example.:" + port: http.StatusOK, "127.0.0.1:" + port: http.StatusOK, "192.168.1.7:" + port: far, "[2001:db8::7]:" + port: far,
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+root+"artifacts/"+in.Promise.Hash.String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = host
			answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil || answer.StatusCode != want {
				t.Errorf("%s at %s: %d, want %d; %v", host, at, answer.StatusCode, want, err)
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
