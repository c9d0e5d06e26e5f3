package rpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
)

// FuzzSocket: for any messages of a websocket, nothing panics, and only notifications that belong
// to a subscription are delivered, each once.
func FuzzSocket(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":7}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"logsNotification","params":{"subscription":7,"result":{"context":{"slot":5}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		delivered := 0
		deliver := func(result json.RawMessage) {
			delivered++
			if !json.Valid(result) {
				t.Fatalf("delivered: %q", result)
			}
		}
		s := &Socket{asked: make(map[uint64]*Subscription), running: make(map[uint64]*Subscription)}
		for id := uint64(1); id < 3; id++ {
			s.asked[id] = &Subscription{Method: "x", Deliver: deliver, ready: make(chan error, 1)}
		}
		s.running[7] = &Subscription{Deliver: deliver}
		sense := 0
		for range 6 {
			if s.handle(body) {
				sense++
			}
		}
		if delivered > sense {
			t.Errorf("%d deliveries by %d messages that made sense", delivered, sense)
		}
	})
}

// FuzzAnswer: for any answer of a node, with any status, the result is JSON or an error of a known
// class.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"jsonrpc":"2.0","id":1,"result":{"a":5}}`))
	f.Add(200, []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`))
	f.Add(429, []byte(`{"error":{"code":429.5,"message":"wait"},"id":null}`))
	f.Add(503, []byte("<html>"))
	c := &Caller{host: "node.test"}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		raw, err := c.read(status, body, "x", 1)
		if err == nil {
			var out map[string]any
			err = decodeResult(raw, "x", &out)
			if status != http.StatusOK {
				t.Errorf("status %d counts as an answer", status)
			}
		}
		if err != nil && Reason(err) == "error" {
			t.Errorf("%v has no class", err)
		}
		if fault := (*Error)(nil); errors.As(err, &fault) && len(fault.Message) > maxErrorText+len("…") {
			t.Errorf("a message of %d bytes", len(fault.Message))
		}
	})
}

// FuzzBase64: for any JSON nothing panics, and bytes that are read are those that base64 gives.
func FuzzBase64(f *testing.F) {
	f.Add([]byte(`["AQID","base64"]`))
	f.Add([]byte(`["AQID","base58"]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b Base64
		if err := json.Unmarshal(raw, &b); err != nil {
			return
		}
		text, err := json.Marshal([]string{base64.StdEncoding.EncodeToString(b), "base64"})
		if err != nil {
			t.Fatal(err)
		}
		var again Base64
		if err := json.Unmarshal(text, &again); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q gives %x, and then %x, %v", raw, []byte(b), []byte(again), err)
		}
	})
}
