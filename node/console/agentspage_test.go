package console

import (
	"errors"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/agentcard"
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
	if body := get(t, source, here, here, "/agents?skill=translation").Body.String(); !strings.Contains(body, "No agent fits.") {
		t.Error("an agent has a skill without a card")
	}
	who := casefile.Address(onchain.Address{17, 0, 4})
	source.card = &agentcard.Signed{
		Card: agentcard.Card{
			Name: "<b>Translator</b>", Description: "translates\u202etexts", Skills: []agentcard.Skill{{ID: "translation", Name: "\"><script>", Tags: []string{"Language"}}},
		},
		CourtTerms: agentcard.CourtTerms{Authority: who, Prices: []agentcard.Price{{Skill: "translation", Lamports: 50_000_000}}}, Content: []byte(`{"name":"<b>Translator</b>"}`),
	}
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
