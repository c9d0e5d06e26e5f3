package console

import (
	"errors"
	"strings"
	"testing"
)

// TestMarketPage: the market is searched and filtered, 50 tasks stand on a page, the time for each
// step and the command for it are there, and a chain that refuses lists is named.
func TestMarketPage(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	for _, c := range []struct {
		query string
		rows  int
		has   []string
		lacks string
	}{
		{"", 50, []string{"120 tasks are not over", "Task 0: draw", "page=2", "3 older tasks are not listed", "until 00:33:20 UTC to claim it", "(14 judges offer it)", "(7 judges offer it)", "ojud task claim "}, "Newer"},
		{"?page=3", 20, []string{"Task 119: draw", "Newer"}, "page=4"},
		{"?page=-7", 50, []string{"Task 0: draw"}, "Newer"},
		{"?page=x", 50, []string{"Task 0: draw"}, "Newer"},
		{"?page=900", 20, []string{"Task 119: draw"}, "Older"},
		{"?q=TASK+17:", 2, []string{"2 found", "Task 17: draw", "Task 117: draw", "See the case"}, "Task 18"},
		{"?q=eleptiger+rates&state=open", 0, []string{"0 found", "No task fits"}, "Task 1:"},
		{"?state=judges&q=rates", 20, []string{"20 found", `<option value="judges" selected>`}, "to be claimed</span>"},
		{"?state=nonsense", 50, []string{"Task 0: draw"}, "nonsense"},
		{"?q=" + strings.Repeat("%C3%9F", 300), 0, []string{"0 found"}, strings.Repeat("ß", 101)},
	} {
		w := get(t, source, here, here, "/market"+c.query)
		body := w.Body.String()
		if n := strings.Count(body, `class="card offer"`); w.Code != 200 || n != c.rows {
			t.Errorf("%s: %d, %d tasks, want %d", c.query, w.Code, n, c.rows)
		}
		for _, want := range c.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q", c.query, want)
			}
		}
		if strings.Contains(body, c.lacks) {
			t.Errorf("%s has %q", c.query, c.lacks)
		}
	}
	source.fault = errors.New("getProgramAccounts is <b>off</b>")
	if body := get(t, source, here, here, "/market").Body.String(); !strings.Contains(body, "getProgramAccounts is &lt;b&gt;off") {
		t.Error("the page does not say why there is no market")
	}
}

// TestMarketAsked: viewers of the market share one look at the chain.
func TestMarketAsked(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	c := New(source, nil)
	for range 20 {
		if _, err := c.offers.get(source.Market); err != nil {
			t.Fatal(err)
		}
	}
	if source.asked != 1 {
		t.Errorf("the chain was asked %d times", source.asked)
	}
}
