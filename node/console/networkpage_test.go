package console

import (
	"strings"
	"testing"
)

// TestNetworkPage: the page says how much of the stake is a link away, how the node sees the chain,
// and what it cannot read.
func TestNetworkPage(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	state := &source.court.State
	state.Slot, state.ChainAge, state.Socket = 77, "3.9s", true
	state.Problems = []string{"lists of accounts are <b>refused</b>"}
	body := func() string {
		return strings.Join(strings.Fields(get(t, source, here, here, "/network").Body.String()), " ")
	}
	page := body()
	for _, want := range []string{
		// of 27 others 19 are linked, five of these without a stake
		"<dt>of the others&#39; stake is linked to it</dt><dd>52 %</dd>", "<dd>3 s ago</dd>", "<dd>77</dd>", "by websocket", "are &lt;b&gt;refused", "<td>none</td>",
		", not linked, without a stake</title>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	state.Socket, state.Slot, state.Problems, source.court.Roster = false, 0, nil, nil
	page = body()
	for _, want := range []string{"<dt>of the others&#39; stake is linked to it</dt><dd>–</dd>", "<dd>not known yet</dd>", "<dd>by asking</dd>"} {
		if !strings.Contains(page, want) {
			t.Errorf("without a chain there is no %q", want)
		}
	}
	if strings.Contains(page, `role="alert"`) {
		t.Error("a node without a problem warns")
	}
	// A node cannot lend itself the stake of a judge whose node it is not.
	source, _ = full(t)
	for i := range source.court.Links {
		source.court.Links[i].Staked = false
	}
	if !strings.Contains(body(), "to it</dt><dd>0 %</dd>") {
		t.Error("nodes without a stake count")
	}
}
