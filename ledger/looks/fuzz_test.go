package looks

import "testing"

// FuzzDecodeClock: only the size of the sysvar decides whether it is read.
func FuzzDecodeClock(f *testing.F) {
	f.Add(make([]byte, ClockSize))
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := DecodeClock(data); (err == nil) != (len(data) == ClockSize) || err != nil && m != (Moment{}) {
			t.Errorf("%d bytes: %+v, %v", len(data), m, err)
		}
	})
}
