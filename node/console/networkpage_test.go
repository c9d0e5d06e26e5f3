package console

import (
	"fmt"
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
		", not linked, without a stake</title>", "Nodes that announce themselves", "<title>a node that says it is judge ", "Only those with a stake judge.",
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

// TestNetworkStrangers: announcements are free, so nodes without a stake push no judge off the
// page, count as no judges and add no versions, and judges' own versions are bounded, too.
func TestNetworkStrangers(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	const strangers = 500
	staked := 0
	for i := range source.court.Links {
		if l := &source.court.Links[i]; l.Staked && !l.Own {
			l.Version = fmt.Sprintf("odd-%d", i)
			staked++
		}
	}
	for i := range strangers {
		source.court.Links = append(source.court.Links, Link{
			Peer: fmt.Sprintf("12Dx%d", i), Judge: fmt.Sprintf("1%043d", i), Version: fmt.Sprintf("stranger-%d", i), Linked: true,
		})
	}
	page := get(t, source, here, here, "/network").Body.String()
	if n := strings.Count(page, "<td>yes</td>"); n != staked || staked <= maxVersions {
		t.Errorf("%d of %d judges with a stake are listed", n, staked)
	}
	if !strings.Contains(page, fmt.Sprintf("of %d other judges with a stake", staked)) {
		t.Error("strangers count as judges")
	}
	_, list, _ := strings.Cut(page, `id="versions"`)
	list, _, _ = strings.Cut(list, "</section>")
	if n := strings.Count(list, "<li>"); n != maxVersions+1 || strings.Contains(list, "stranger-") || !strings.Contains(list, "any other version") {
		t.Errorf("%d versions are listed: %s", n, list)
	}
}

// TestNetworkClaims: links between others are drawn as claims, those of both ends apart from those
// of one. Claims about nodes that are not announced draw nothing, and a claim that this node knows
// to be untrue is counted.
func TestNetworkClaims(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	body := func() string {
		return strings.Join(strings.Fields(get(t, source, here, here, "/network").Body.String()), " ")
	}
	if page := body(); strings.Contains(page, `class="chord`) || !strings.Contains(page, "They are asked with whom while this page is open.") {
		t.Error("there are links without a claim")
	}
	source.court.State.Peer = "12D31"
	source.claims = map[string][]string{
		"12D32":  {"12D33", "12D34", "12D31", "<b>", "nobody"},
		"12D33":  {"12D32"},
		"12D327": {"12D31"}, // the last nodes are not linked
		"ghost":  {"12D32", "12D33"},
	}
	page := body()
	for _, want := range []string{"4 other nodes say with whom they are linked: 1 link by both ends, 1 link by one end alone", "1 node claims a link to this node that this node does not have now."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Count(page, `class="chord"`) != 1 || strings.Count(page, `class="chord one"`) != 1 || strings.Contains(page, "ghost") {
		t.Error("other links are drawn")
	}
	// All claim everything: the picture stays small.
	for i := range source.court.Links {
		for k := range source.court.Links {
			source.claims[source.court.Links[i].Peer] = append(source.claims[source.court.Links[i].Peer], source.court.Links[k].Peer)
		}
	}
	if page := body(); len(page) > pageBudget/2 || !strings.Contains(page, "351 links by both ends") {
		t.Errorf("%d bytes", len(page))
	}
}
