package holdings

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
)

// TestUnannounced: an asker reads who has to serve the data, no command with its own key, and no
// word of the time that is over.
func TestUnannounced(t *testing.T) {
	t.Parallel()
	owner := casefile.Address{1}
	late := unannounced(owner, errors.Join(context.DeadlineExceeded)).Error()
	if !strings.Contains(late, owner.String()) || strings.Contains(late, "deadline") || strings.Contains(late, "ojud ") {
		t.Error(late)
	}
	if other := unannounced(owner, errors.New("no table")).Error(); !strings.Contains(other, "no table") {
		t.Error(other)
	}
}
