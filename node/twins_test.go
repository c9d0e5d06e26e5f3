package node

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"ojud/p2p/directory"
)

// TestRumourFades: the state of a node mentions a younger copy while it announces itself, and no
// longer than rumourTime after that.
func TestRumourFades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &twins{log: slog.New(slog.DiscardHandler)}
		for range 3 {
			s.onTwin(directory.Twin{Started: time.Now()})
			time.Sleep(rumourTime - time.Second)
			if s.warning() == "" {
				t.Error("a younger copy announced itself, and the state of the node does not mention it")
			}
		}
		time.Sleep(2 * time.Second)
		if w := s.warning(); w != "" {
			t.Errorf("the younger copy has been silent for %s: %s", rumourTime+time.Second, w)
		}
	})
}
