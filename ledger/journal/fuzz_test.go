package journal

import (
	"crypto/sha256"
	"reflect"
	"testing"

	"ojud/voting"
)

func FuzzDecodeIdentity(f *testing.F) {
	b, err := home.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		id, err := decodeIdentity(b)
		if err != nil {
			return
		}
		again, err := id.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeIdentity(again); err != nil || back != id {
			t.Fatalf("%v, %v", back, err)
		}
	})
}

func FuzzDecodeCursor(f *testing.F) {
	f.Add(make([]byte, cursorSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := decodeCursor(b); (err == nil) != (len(b) == cursorSize) {
			t.Fatal(err)
		}
	})
}

func FuzzOwnFile(f *testing.F) {
	sum := sha256.Sum256(own(1, 1).Encode())
	f.Add(own(1, 1).Key(), append(own(1, 1).Encode(), sum[:]...))
	f.Fuzz(func(t *testing.T, key, file []byte) {
		value, err := checked("x", file)
		if err != nil || belongs(key, value) != nil {
			return
		}
		r, err := voting.DecodeRecord(value)
		if err != nil || !guarded(r) || !reflect.DeepEqual(r.Key(), key) {
			t.Fatalf("%v, %v", r, err)
		}
	})
}
