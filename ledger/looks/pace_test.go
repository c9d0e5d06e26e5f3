package looks

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPace: a watcher polls seldom until something happens, then often for a minute after the last
// time that something did.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPace()
		at := func(want time.Duration) {
			t.Helper()
			if got := p.Pick(time.Second, time.Hour); got != want {
				t.Errorf("every %s, not every %s", got, want)
			}
		}
		at(time.Second)
		<-time.After(awakeFor)
		at(time.Hour)
		if len(p.Woken()) != 0 {
			t.Error("it was not woken")
		}
		p.Wake()
		p.Wake()
		if len(p.Woken()) != 1 {
			t.Error("it was woken")
		}
		at(time.Second)
		<-time.After(awakeFor - 1)
		at(time.Second)
		p.Wake()
		<-time.After(awakeFor - 1)
		at(time.Second)
		<-time.After(1)
		at(time.Hour)
	})
}
