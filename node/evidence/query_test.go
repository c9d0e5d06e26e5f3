package evidence

import (
	"bytes"
	"testing"
	"time"

	"ojud/casefile/canon"
	"ojud/datasource"
	"ojud/datasource/exchange"
)

// FuzzParseQuery: an accepted query is bounded, and its request is canonical.
func FuzzParseQuery(f *testing.F) {
	f.Add([]byte(`{"data_source":"notes","request":{ "name":"7.json"},"max_price":"0","timeout_seconds":20}`))
	f.Add([]byte(`{"data_source":"a","request":{"n":1e400},"case":"x","holder":"did:key:z6Mk","max_price":"1","timeout_seconds":300}`))
	f.Add([]byte(`{"data_source":"a","request":{"a":1,"a":2},"timeout_seconds":2}{}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, _, err := ParseQuery(raw)
		if err != nil {
			return
		}
		again, err := canon.JSON(q.Request, exchange.MaxRequest)
		if err != nil || !bytes.Equal(again, q.Request) || !datasource.ValidName(q.Source) || q.wait() < 2*time.Second || q.wait() > 5*time.Minute || 3*q.MaxPrice < q.MaxPrice {
			t.Errorf("%+v: %v", q, err)
		}
	})
}
