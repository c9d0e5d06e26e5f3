package node

import (
	"bytes"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/voting"
)

// FuzzMessages: what strangers send on the data topic and on the streams of this package is read as far as its limit, and
// what is taken is the only spelling of what it says.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`[{"data_source":"site.post","request":{}}]`, `[]`, `[{}]`, `[{"data_source":"a"}]`, `[{"data_source":"a","request":{"x":1}}]`, `{"card":"00","data_source":"a"}`,
		`{"case":"11111111111111111111111111111111","op":"round","round":1,"votes":[0,27]}`,
		`{"case":"11111111111111111111111111111111","heads":{"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK":{"id":"` +
			string(bytes.Repeat([]byte("0"), 64)) + `","seq":1}},"op":"events"}`,
		`{"commits":[0],"notices":["AAEC"],"votes":[]}`, `{"commits":null,"notices":null,"votes":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if wants, err := decodeWants(raw); err == nil {
			again, err := canonicalJSON(wants, maxWant)
			if err != nil || !bytes.Equal(again, raw) || len(wants) > maxWanted {
				t.Fatalf("%q became %q: %v", raw, again, err)
			}
		}
		var q question
		if err := decodeExact(raw, maxCatchUp, &q); err == nil {
			if _, err := canonicalJSON(q, maxCatchUp); err != nil {
				t.Fatal(err)
			}
			lacking([]voting.Known{{Seat: 1}}, q)
		}
		var a roundAnswer
		if err := decodeExact(raw, maxCatchUp, &a); err == nil && len(a.Notices) < 100 {
			for _, notice := range a.Notices {
				if n, err := voting.DecodeNotice(notice, casefile.ParseNotice); err == nil && !bytes.Equal(n.Encode(), notice) {
					t.Fatalf("%x became %x", notice, n.Encode())
				}
			}
		}
		var h have
		if err := decodeExact(raw, maxWant, &h); err == nil {
			if again, err := canonicalJSON(h, 2*maxWant); err != nil || decodeExact(again, 2*maxWant, &have{}) != nil {
				t.Fatalf("%q became %q: %v", raw, again, err)
			}
		}
	})
}

// FuzzDescriptor: a network.json that is taken names one court, and is written as it was read.
func FuzzDescriptor(f *testing.F) {
	good := Descriptor{
		Format: DescriptorFormat, Name: "test", Network: string(bytes.Repeat([]byte("0f"), 32)), Program: "11111111111111111111111111111111",
		RPC: "http://127.0.0.1:8899", WS: "ws://127.0.0.1:8900", Bootstrap: []string{"/ip4/127.0.0.1/tcp/4600/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY"}, Faucet: true,
	}
	plain := good
	plain.Bootstrap = []string{}
	for _, d := range []Descriptor{plain, {}} {
		raw, err := canonicalJSON(d, MaxDescriptor)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	if raw, err := canonicalJSON(good, MaxDescriptor); err == nil {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseDescriptor(raw)
		if err != nil {
			return
		}
		again, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseDescriptor(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if _, err := back.Domain(); err != nil || back.Network != d.Network || back.Program != d.Program || len(back.Bootstrap) != len(d.Bootstrap) {
			t.Fatalf("%+v became %+v: %v", d, back, err)
		}
	})
}

// FuzzKeys: a node key has one peer, whose key it is.
func FuzzKeys(f *testing.F) {
	f.Add(bytes.Repeat([]byte{1}, 32))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var k voting.Key
		copy(k[:], raw)
		id, err := keyPeer(k)
		if err != nil {
			return
		}
		if back, err := peerKey(id); err != nil || back != k {
			t.Fatalf("%x became %x: %v", k, back, err)
		}
		if key, err := peerKey(peer.ID(raw)); err == nil {
			if back, err := keyPeer(key); err != nil || back != peer.ID(raw) {
				t.Fatalf("peer %x became %x: %v", raw, []byte(back), err)
			}
		}
	})
}
