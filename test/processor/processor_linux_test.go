package processor

import (
	"testing"
	"time"
)

// TestTime: work that takes too long is seen, also if the machine is busy, and other work is not.
func TestTime(t *testing.T) {
	twice := func() { reference(); reference() }
	if took := Time(t, quiet/4, twice); took <= quiet/4 {
		t.Errorf("two references take %s; four times as much as allowed was not seen", took)
	}
	if took := Time(t, 4*quiet, twice); took > 4*quiet {
		t.Errorf("two references take %s; the processor was busy, and %s were allowed", took, 4*quiet)
	}
	if took := Time(t, time.Hour, func() {}); took > time.Second {
		t.Errorf("nothing takes %s", took)
	}
}
