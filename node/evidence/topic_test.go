package evidence

import (
	"bytes"
	"testing"

	"ojud/node/network"
)

// FuzzMessages: a stranger's message on the data topic, or an offer, is read up to its limit, and
// an accepted one has only one spelling.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`[{"data_source":"site.post","request":{}}]`, `[]`, `[{}]`, `[{"data_source":"a"}]`, `[{"data_source":"a","request":{"x":1}}]`,
		`{"card":"00","data_source":"a"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if calls, err := decodeCalls(raw); err == nil {
			again, err := network.Encode(calls, maxCall)
			if err != nil || !bytes.Equal(again, raw) || len(calls) > maxSources {
				t.Fatalf("%q became %q: %v", raw, again, err)
			}
		}
		var m offerMessage
		if err := network.Decode(raw, maxCall, &m); err == nil {
			if again, err := network.Encode(m, 2*maxCall); err != nil || network.Decode(again, 2*maxCall, &offerMessage{}) != nil {
				t.Fatalf("%q became %q: %v", raw, again, err)
			}
		}
	})
}
