package founding

import (
	"bytes"
	"testing"
)

// FuzzProgramData: any account has an authority and a program, or is refused.
func FuzzProgramData(f *testing.F) {
	f.Add(append([]byte{3, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1}, bytes.Repeat([]byte{7}, 40)...))
	f.Add([]byte{3, 0, 0, 0})
	f.Add(make([]byte, dataHead))
	f.Fuzz(func(t *testing.T, raw []byte) {
		authority, elf, err := programData(raw)
		if err == nil && (len(elf) != len(raw)-dataHead || authority.IsZero() != (raw[12] == 0 || bytes.Equal(raw[13:dataHead], make([]byte, 32)))) {
			t.Errorf("%x: %s, %d bytes", raw, authority, len(elf))
		}
	})
}
