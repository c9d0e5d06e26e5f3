package precompile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"testing"
)

// FuzzEd25519: no data makes the precompile panic. If it accepts data at the usual place,
// crypto/ed25519 accepts it, too.
func FuzzEd25519(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	var good []byte
	for _, v := range []uint16{1, 48, thisData, 16, thisData, 112, 7, thisData} {
		good = binary.LittleEndian.AppendUint16(good, v)
	}
	good = append(good, key.Public().(ed25519.PublicKey)...)
	good = append(append(good, ed25519.Sign(key, []byte("message"))...), "message"...)
	f.Add(good, []byte{})
	f.Add(good[:20], good)
	f.Fuzz(func(t *testing.T, data, other []byte) {
		err := Ed25519(data, [][]byte{data, other})
		if len(data) < 119 || !bytes.Equal(data[:16], good[:16]) {
			return
		}
		if plain := ed25519.Verify(data[16:48], data[112:119], data[48:112]); err == nil && !plain {
			t.Fatalf("%x passes here only", data)
		}
	})
	if Ed25519(good, nil) != nil {
		f.Fatal("a good signature is refused")
	}
}
