package exchange

import (
	"context"
	"testing"

	"ojud/datasource"
	"ojud/datasource/anex"
)

// TestNoTimeToCheck: if the time is over before an answer is checked, the holder is late. It is not
// blamed for a wrong answer.
func TestNoTimeToCheck(t *testing.T) {
	s, err := datasource.Parse([]byte(`{"name":"a","description":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},
"upstream":{"kind":"files","dir":".","allow":["*.json"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.Card().Encode()
	if err != nil {
		t.Fatal(err)
	}
	_, shape, err := datasource.ParseCard(raw)
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	a := attempt{q: &fanOut{session: &Session{}}, shape: shape}
	for data, want := range map[string]why{"{}": whyLate, "[": whyForm} {
		if _, got := a.verify(over, anex.Deliver{Data: []byte(data)}); got != want {
			t.Errorf("%s: %q, want %q", data, got.text, want.text)
		}
	}
}
