package line

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"ojud/agent/channel"
)

// BenchmarkBare is one echo of 200 bytes over a websocket without frames.
func BenchmarkBare(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			b.Error(err)
			return
		}
		for {
			kind, raw, err := k.Read(r.Context())
			if err != nil || k.Write(r.Context(), kind, raw) != nil {
				return
			}
		}
	}))
	defer s.Close()
	k, answer, err := websocket.Dial(b.Context(), s.URL, &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		b.Fatal(err)
	}
	if answer.Body != nil {
		defer answer.Body.Close()
	}
	raw := []byte(strings.Repeat("x", 200))
	for b.Loop() {
		if err := k.Write(b.Context(), websocket.MessageText, raw); err != nil {
			b.Fatal(err)
		}
		if _, _, err := k.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	if err := k.CloseNow(); err != nil {
		b.Log(err)
	}
}

// BenchmarkMessage is one echo of a message of 200 bytes in a session.
func BenchmarkMessage(b *testing.B) {
	ctx, stop := context.WithCancel(b.Context())
	hall := NewHall(ctx, 1, time.Second)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.Log(hall.Serve(w, r, "", func(ctx context.Context, _ string, l *Side) {
			for {
				m, err := l.Receive(ctx)
				if err != nil || l.Send(ctx, m) != nil {
					return
				}
			}
		}, nil))
	}))
	defer s.Close()
	defer hall.Wait()
	defer stop()
	c := Dial(ctx, Address{URL: s.URL}, NewName(), time.Second)
	defer c.Close()
	m := channel.Body{Extra: &channel.Extra{Content: json.RawMessage(`"` + strings.Repeat("x", 180) + `"`)}}
	for b.Loop() {
		if err := c.Send(ctx, m); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Receive(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
