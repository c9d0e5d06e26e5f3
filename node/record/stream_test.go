package record

import (
	"bytes"
	"testing"

	"ojud/casefile"
	"ojud/node/network"
	"ojud/voting"
)

// FuzzMessages: a stranger's message on the case stream is read up to its limit, and an accepted
// one has only one spelling.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`[]`, `[{}]`, `{"case":"11111111111111111111111111111111","op":"round","round":1,"votes":[0,27]}`,
		`{"case":"11111111111111111111111111111111","heads":{"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK":{"id":"` +
			string(bytes.Repeat([]byte("0"), 64)) + `","seq":1}},"op":"events"}`,
		`{"commits":[0],"notices":["AAEC"],"votes":[]}`, `{"commits":null,"notices":null,"votes":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var q question
		if err := network.Decode(raw, maxMessage, &q); err == nil {
			if _, err := network.Encode(q, maxMessage); err != nil {
				t.Fatal(err)
			}
			lacking([]voting.Known{{Seat: 1}}, q)
		}
		var a roundAnswer
		if err := network.Decode(raw, maxMessage, &a); err == nil && len(a.Notices) < 100 {
			for _, notice := range a.Notices {
				if n, err := voting.DecodeNotice(notice, casefile.ParseNotice); err == nil && !bytes.Equal(n.Encode(), notice) {
					t.Fatalf("%x became %x", notice, n.Encode())
				}
			}
		}
	})
}
