package console

import (
	"errors"
	"strings"
	"testing"

	"ojud/ledger/onchain"
)

// TestAgentsPage: the directory is searched by a part of an address, and has 50 agents on a page.
func TestAgentsPage(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	key := onchain.Address{17, 0, 4}.String()
	for _, c := range []struct {
		query string
		rows  int
		has   string
	}{
		{"", 50, "120 agents trade work here."}, {"?page=3", 20, "Better"}, {"?page=-1", 50, "page=2"}, {"?page=x", 50, "page=2"}, {"?q=" + key, 1, "1 found"},
		{"?q=" + key[:20] + "%22%3E%3Cscript%3E", 0, "No agent fits."},
	} {
		body := get(t, source, here, here, "/agents"+c.query).Body.String()
		if n := strings.Count(body, `<th scope="row">`); n != c.rows || !strings.Contains(body, c.has) {
			t.Errorf("%s: %d agents, want %d and %q", c.query, n, c.rows, c.has)
		}
	}
	source.fault = errors.New("lists are <b>off</b>")
	if body := get(t, source, here, here, "/agents").Body.String(); !strings.Contains(body, "lists are &lt;b&gt;off") {
		t.Error("the page does not say why there is no list")
	}
}
