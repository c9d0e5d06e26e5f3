package console

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/voting"
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
		{"?source=rates", 40, []string{"40 found", `<option value="rates" selected>`, "Task 2:"}, "Task 1:"},
		{"?source=site.post&state=open&page=1", 0, []string{"0 found"}, "Task 6:"},
		{"?source=%3Cb%3E", 0, []string{`<option value="&lt;b&gt;" selected>`}, "<b>"},
		{"?least=1.195", 1, []string{"1 found", "Task 119:"}, "Task 118:"},
		{"?least=1+SOL&q=draw", 21, []string{"21 found", `value="1 SOL"`}, "Task 98:"},
		{"?least=much", 50, []string{"not an amount", "120 found", "least=much&amp;page=2"}, "Newer"},
		{"?least=0.2", 50, []string{"101 found", "/market?least=0.2&amp;page=2"}, "Task 18:"},
		{"?by=engine", 0, []string{"0 found"}, "Task 1:"},
		{"?by=court", 50, []string{"120 found"}, "Newer"},
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

// TestMarketSteps: each offer says who is to do what by which command, and links to its case only
// if there is one.
func TestMarketSteps(t *testing.T) {
	t.Parallel()
	at := voting.Key{7}
	name := casefile.Address(at).String()
	other := onchain.Address{8}
	for _, c := range []struct {
		terms program.Task
		has   string
		lacks string
	}{
		{program.Task{Status: program.Created}, "ojud task claim " + name + " --start", "See the case"},
		{program.Task{Status: program.Claimed, Deadline: 50}, "ojud task start " + name, "to work</span>"}, // the time is over
		{program.Task{Status: program.InProgress, Deadline: 200}, "ojud task submit " + name + " RESULT.json", "See the case"},
		{program.Task{Status: program.Verification, Deadline: 200}, "ojud task object " + name, "See the case"},
		{program.Task{Status: program.Disputed, Deadline: 200}, "ojud task counter-object " + name, "See the case"},
		{program.Task{Status: program.Judiciary}, "/case/" + name, `class="command"`},
		{program.Task{Status: program.Judiciary, Engine: other, Deadline: 200}, "The engine decides.", "See the case"},
		{program.Task{Status: program.Judiciary, Engine: other}, "/case/" + name, "The engine decides."}, // the engine was silent
	} {
		source := newStage()
		source.market = market.Market{Now: 100, Offers: []market.Listing{{Task: at, Terms: &c.terms}}}
		body := get(t, source, here, here, "/market").Body.String()
		if !strings.Contains(body, c.has) || strings.Contains(body, c.lacks) {
			t.Errorf("%+v: has no %q, or has %q", c.terms, c.has, c.lacks)
		}
	}
}

// TestMarketAsked: viewers of the market share one look at the chain.
func TestMarketAsked(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	c := New(source, nil)
	for range 20 {
		if _, err := c.offers.get(listFor, source.Market); err != nil {
			t.Fatal(err)
		}
	}
	if source.asked != 1 {
		t.Errorf("the chain was asked %d times", source.asked)
	}
}

// TestParties: a reader sees the records of the parties of a task. A party that the directory does
// not have stands there without one.
func TestParties(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	source.market.Offers[0].Terms.Worker = onchain.Address{17, 0, 4}
	body := get(t, source, here, here, "/market?q="+onchain.Address{17, 0, 4}.String()).Body.String()
	for _, want := range []string{`href="/agent/` + onchain.Address{17, 0, 4}.String(), "ordered 0 tasks, was paid for 17 and missed 0; won 0 cases, lost 2", `href="/agent/` + onchain.Address{1}.String()} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(body, "was paid for"); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestMarketTokens: tokens beside a reward are shown by the address of their mint, with what is
// wrong with it.
func TestMarketTokens(t *testing.T) {
	t.Parallel()
	mint := onchain.Address{50}
	for want, p := range map[string]market.Pledge{
		"12.5 tokens of the mint <code>" + mint.String() + "</code></p>":                  {Mint: mint, Amount: "12.5"},
		"</code> (the freezer of the mint can keep you from them)</p>":                    {Mint: mint, Amount: "1", Freezable: true},
		"3 tokens of the mint <code>" + mint.String() + "</code> (it has a &lt;hook&gt;)": {Mint: mint, Amount: "3", Freezable: true, Refused: "it has a <hook>"},
	} {
		source := newStage()
		source.market = market.Market{Now: 100, Offers: []market.Listing{{Task: voting.Key{7}, Pledge: &p, Terms: &program.Task{Status: program.Created}}}}
		if body := get(t, source, here, here, "/market").Body.String(); !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}
