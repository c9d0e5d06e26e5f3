package cli

import "testing"

func TestSeconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint32{"90s": 90, "8h": 28_800, "1h30m": 5400, "2d": 172_800, "0s": 0, "365d": 31_536_000, "1m": 60} {
		if got, err := seconds(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "-1s", "1.5s", "100ms", "d", "-1d", "1.5d", "99999d", "2000000h", "1w", "one hour"} {
		if got, err := seconds(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
