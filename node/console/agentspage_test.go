package console

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/onchain"
)

// translator is a card of agent 17 whose words are hostile.
func translator() *agentcard.Signed {
	return &agentcard.Signed{
		Card: agentcard.Card{
			Name: "<b>Translator</b>", Description: "translates\u202etexts",
			Skills:     []agentcard.Skill{{ID: "translation", Name: "\"><script>", Description: "<img src=x>", Tags: []string{"Language"}, Examples: []string{"<i>one</i>"}}},
			Interfaces: []agentcard.Interface{{URL: "https://translator.example/a2a", Binding: "JSONRPC", Protocol: "1.0"}},
		},
		CourtTerms: agentcard.CourtTerms{Authority: casefile.Address{17, 0, 4}, Prices: []agentcard.Price{{Skill: "translation", Lamports: 50_000_000}}, Sources: []string{"rates"}},
		Content:    []byte(`{"name":"<b>Translator</b>"}`),
	}
}

// TestAgentPage: the page of an agent has its record, what its card says, and its tasks. The card
// is there to take. The words of a stranger stay words.
func TestAgentPage(t *testing.T) {
	t.Parallel()
	source, _ := full(t)
	path := func(n byte) string { return "/agent/" + onchain.Address{n, 0, 4}.String() }
	body := get(t, source, here, here, path(17)).Body.String()
	for _, want := range []string{"&lt;b&gt;Translator", "0.05 SOL", "&lt;i&gt;one&lt;/i&gt;", "https://translator.example/a2a", "<code>rates</code>", path(17) + "/card", "17</dd>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<b>", "<img", "<i>", "\u202e", `href="https://translator`} {
		if strings.Contains(body, bad) {
			t.Errorf("it has %q", bad)
		}
	}
	w := get(t, source, here, here, path(17)+"/card")
	if w.Body.String() != string(source.card.Content) || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment; ") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	for at, want := range map[string]string{path(16): "no node has sent this card yet", path(16) + "/card": "is not here", path(200): "no such agent", "/agent/bob": "by its own"} {
		if got := get(t, source, here, here, at); !strings.Contains(got.Body.String(), want) || (got.Code == http.StatusOK) != (at == path(16)) {
			t.Errorf("%s: %d, no %q", at, got.Code, want)
		}
	}
	source.market.Offers[3].Terms.Worker = onchain.Address{17, 0, 4}
	if body := get(t, source, here, here, path(17)).Body.String(); !strings.Contains(body, "Task 3: draw an eleptiger") || strings.Contains(body, "Task 4:") {
		t.Error("the tasks of the agent are not those that it works on")
	}
	source.fault = errors.New("lists are <b>off</b>")
	if got := get(t, source, here, here, path(17)); got.Code != http.StatusInternalServerError || strings.Contains(got.Body.String(), "<b>off") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

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
	source.card = nil
	if body := get(t, source, here, here, "/agents?skill=translation").Body.String(); !strings.Contains(body, "No agent fits.") {
		t.Error("an agent has a skill without a card")
	}
	source.card = translator()
	for query, rows := range map[string]int{"skill=translation": 1, "skill=LANGUAGE": 1, "skill=accounting": 0, "q=translator": 1, "skill=translation&q=nothing": 0} {
		body := get(t, source, here, here, "/agents?"+query).Body.String()
		if n := strings.Count(body, `<th scope="row">`); n != rows {
			t.Errorf("%s: %d agents, want %d", query, n, rows)
		}
		if rows == 1 && (!strings.Contains(body, "&lt;b&gt;Translator&lt;/b&gt;") || strings.Contains(body, "<script>") || strings.Contains(body, "\u202e") || !strings.Contains(body, "0.05 SOL")) {
			t.Errorf("%s: %s", query, body)
		}
	}
	source.fault = errors.New("lists are <b>off</b>")
	if body := get(t, source, here, here, "/agents").Body.String(); !strings.Contains(body, "lists are &lt;b&gt;off") {
		t.Error("the page does not say why there is no list")
	}
}

// TestAgentCases: the page of an agent leads to the cases in which it is a party.
func TestAgentCases(t *testing.T) {
	t.Parallel()
	source := newStage()
	source.agents = 2
	task, scene := played(t, script(t, "accept"))
	terms := scene.Record.Open.Value
	terms.Task.Worker = casefile.Address{1, 0, 4}
	scene.Record.Open = &casefile.Doc[casefile.OpenFact]{Value: terms}
	source.put(task, scene)
	body := get(t, source, here, here, "/agent/"+onchain.Address{1, 0, 4}.String()).Body.String()
	for _, want := range []string{`<a href="` + pagePath(task) + `">`, "<td>worker</td>", "worker wins"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in %s", want, body)
		}
	}
	if body := get(t, source, here, here, "/agent/"+onchain.Address{0, 0, 4}.String()).Body.String(); !strings.Contains(body, "None that this node knows.") {
		t.Error("an agent has the case of another")
	}
}
