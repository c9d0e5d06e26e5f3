package deploy

import (
	"bytes"
	"testing"
)

// FuzzHead: any account has a state, an authority and a program, or is refused.
func FuzzHead(f *testing.F) {
	f.Add(append([]byte{3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1}, bytes.Repeat([]byte{7}, 40)...))
	f.Add(append([]byte{1, 0, 0, 0, 1}, bytes.Repeat([]byte{7}, 40)...))
	f.Add([]byte{3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, program, err := readHead(raw)
		if err == nil && (h.state != isBuffer && h.state != isProgramData || len(program) > len(raw)-bufferHead) {
			t.Errorf("%x: %+v, %d bytes", raw, h, len(program))
		}
	})
}
