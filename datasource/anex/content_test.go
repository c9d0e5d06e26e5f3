package anex

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzContent: reading any bytes as content never panics. Accepted content is written, read and
// written the same.
func FuzzContent(f *testing.F) {
	for _, s := range []string{
		`{"reason":"no"}`, `{"text":"no"}`, `{"answer":true}`, `{"yes":true}`, `"x"`, `{}`, `null`, `[]`, `{"price":"5","terms":"00"}`, `{"request":{"a":1}}`,
	} {
		f.Add([]byte(s))
	}
	for _, raw := range []json.RawMessage{
		Engagement{}.encode(), Refusal{}.encode(), Proposal{}.encode(), DataRequest{}.encode(), answer{}.encode(), acceptance(Hash{1}), sayAnswer(true), say("text", "x"),
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw, err := Spell(raw, MaxMessage) // as Parse does
		if err != nil {
			return
		}
		stable(t, raw, readEngagement)
		stable(t, raw, readRefusal)
		stable(t, raw, readProposal)
		stable(t, raw, readDataRequest)
		stable(t, raw, readAnswer)
		if h, err := readAcceptance(raw); err == nil {
			if again, err := readAcceptance(acceptance(h)); err != nil || again != h {
				t.Fatalf("%s became %x: %v", raw, again, err)
			}
		}
		if _, err := readCall(raw); err != nil && Blame(err) == Nobody {
			t.Fatalf("no side is to blame for %v", err)
		}
	})
}

func stable[T interface{ encode() json.RawMessage }](t *testing.T, raw []byte, read func(json.RawMessage) (T, error)) {
	t.Helper()
	v, err := read(raw)
	if err != nil {
		return
	}
	again, err := read(v.encode())
	if err != nil || !bytes.Equal(again.encode(), v.encode()) {
		t.Fatalf("%s became %s: %v", raw, v.encode(), err)
	}
}
