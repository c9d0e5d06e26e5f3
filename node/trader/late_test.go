package trader

import (
	"context"
	"strings"
	"testing"

	"ojud/agent/work"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
)

// TestTooLate: if somebody else was faster, a trader says so in words, and not with a code.
func TestTooLate(t *testing.T) {
	t.Parallel()
	for cause, want := range map[program.Code]string{program.ErrWrongStatus: "came too late for what it wanted (claims it)", program.ErrTooLate: "could not do what it wanted (claims it): "} {
		news, err := new(engine).on(t.Context(), onchain.Address{7}.String(), "claims it", func(onchain.Address) (client.TaskDone, error) { return client.TaskDone{}, cause })
		if failed, ok := news.(work.Failed); !ok || err != nil || !strings.HasPrefix(failed.Why, want) || strings.Contains(failed.Why, "6021") {
			t.Errorf("%v: %+v, %v", cause, news, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if news, err := new(engine).on(ended, onchain.Address{7}.String(), "claims it", func(onchain.Address) (client.TaskDone, error) {
		return client.TaskDone{}, program.ErrWrongStatus
	}); news != nil || err != nil {
		t.Errorf("a trader that ends says %+v, %v", news, err)
	}
}
