package node

import (
	"bytes"
	"testing"

	"ojud/node/network"
)

// FuzzDescriptor: an accepted network.json names one court, and is written as it was read.
func FuzzDescriptor(f *testing.F) {
	good := Descriptor{
		Format: DescriptorFormat, Name: "test", Network: string(bytes.Repeat([]byte("0f"), 32)), Program: "11111111111111111111111111111111",
		RPC: "http://127.0.0.1:8899", WS: "ws://127.0.0.1:8900", Bootstrap: []string{"/ip4/127.0.0.1/tcp/4600/p2p/12D3KooWGRUVh9qkZzG5r4c1mQmGUnYMbRyEJjW1mzSHKuTbN4iY"}, Faucet: true,
	}
	plain := good
	plain.Bootstrap = []string{}
	for _, d := range []Descriptor{plain, {}} {
		raw, err := network.Encode(d, MaxDescriptor)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	if raw, err := network.Encode(good, MaxDescriptor); err == nil {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if d, err := DescriptorFrom("https://court.example", raw); err == nil && d.Validate() != nil {
			t.Error("a wrong descriptor of a place")
		}
		if d, err := ParseUnsigned(raw); err == nil && d.Signed != nil {
			t.Errorf("%+v", d)
		}
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
