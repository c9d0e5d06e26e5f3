package bincode_test

import (
	"testing"

	"ojud/ledger/svm/bincode"
)

// FuzzInstructions: any bytes are an instruction or a state within their bounds, or are refused.
func FuzzInstructions(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7, 7})
	f.Add([]byte{3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if in, err := bincode.DecodeLoader(raw); err == nil && (len(in.Bytes) > len(raw) || in.Kind > bincode.SetAuthorityChecked) {
			t.Errorf("%x: %+v", raw, in)
		}
		if s, err := bincode.DecodeLoaderState(raw); err == nil && (s.Kind > bincode.ProgramData || s.Upgrade && len(raw) < 37) {
			t.Errorf("%x: %+v", raw, s)
		}
		if in, err := bincode.DecodeSystem(raw); err == nil && len(in.Seed) > len(raw) {
			t.Errorf("%x: %+v", raw, in)
		}
	})
}
