package providers

import (
	"encoding/json"
	"testing"

	"ojud/ledger/onchain"
)

// FuzzAnswers: for any answers of two providers nothing panics. An answer always supports itself,
// and what is made of several answers is JSON.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"context":{"slot":5},"value":[null,{"lamports":1,"owner":"x","executable":false,"data":["AQID","base64"]}]}`), []byte(`{}`))
	f.Add([]byte(`{"context":{"slot":5},"value":[{"slot":1,"confirmationStatus":"confirmed"},null]}`), []byte(`{"context":{"slot":6},"value":[null,null]}`))
	f.Add([]byte(`{"context":{"slot":5},"value":{"blockhash":"x","lastValidBlockHeight":9}}`), []byte(`{"context":{},"value":null}`))
	f.Add([]byte(`{"blockHeight":7}`), []byte(`{"blockHeight":3}`))
	f.Add([]byte(`[{"prioritizationFee":10}]`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, q := range []question{
			{method: "getMultipleAccounts", clock: 0}, {method: "getMultipleAccounts", clock: -1}, {method: "getGenesisHash", clock: -1},
		} {
			q.params = []any{[]onchain.Address{onchain.ClockAccount(), court}}
			one, err := q.read(a)
			other, otherErr := q.read(b)
			if err != nil {
				continue
			}
			t1, t2 := testimony{all: []reading{one}}, testimony{from: &provider{name: "b"}, all: []reading{other}}
			if !t1.supports(one, q.clock) {
				t.Errorf("%q does not support itself", a)
			}
			if otherErr == nil && t1.supports(other, q.clock) != t2.supports(one, q.clock) {
				t.Errorf("%q and %q: one supports the other alone", a, b)
			}
			if otherErr == nil {
				c := &comparison{question: q}
				c.differs(verdict{reading: one}, &t2)
			}
		}
		for method, merge := range merges {
			for turn := range uint64(2) {
				if out, err := merge([]json.RawMessage{a, b}, turn); err == nil && !json.Valid(out) {
					t.Errorf("%s of %q and %q is %q", method, a, b, out)
				}
			}
		}
	})
}
