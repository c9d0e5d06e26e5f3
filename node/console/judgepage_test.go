package console

import (
	"strings"
	"testing"

	"ojud/node/status"
	"ojud/voting"
)

// TestTimeForACase: a judge that decides by code takes less than is shown, and not no time.
func TestTimeForACase(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{0.004: "<dd>below 0.1 s</dd>", 3.21: "<dd>3.2 s</dd>"} {
		source := newStage()
		source.court.Self = voting.Key{1}
		source.court.State.Judging = status.Judging{Voted: 1, CaseSeconds: seconds}
		if body := get(t, source, here, here, "/judge").Body.String(); !strings.Contains(body, want) {
			t.Errorf("%v: no %q", seconds, want)
		}
	}
}
