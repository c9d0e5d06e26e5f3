package judge

import (
	"ojud/agent/judge/sheet"
	"testing"

	"ojud/agent/judge/prose"
)

// TestAttackThreeLetterQuote: a model that was talked over answers yes and cites a word that stands
// in every text. When three letters were a quote, all five of these were evidence. A short value is
// still evidence as a whole.
func TestAttackThreeLetterQuote(t *testing.T) {
	d := &material{on: defended(), parts: []part{
		{id: "result", ref: "result:", proof: true, text: sheet.Unfold([]byte(`{"text":"The owl sits in the oak.\nIt sees all","n":42,"list":["yes, all",7],"deep":{"ok":true}}`))},
		{id: "objection", text: "no"},
	}}
	for _, short := range []string{"The", "owl", "oak.", "the oak", "in the", "text", "list", "4", "no", "", "..."} {
		if refs, enough := d.cite([]string{short}, item{}, yes); enough || len(refs) > 0 {
			t.Errorf("%q is evidence: %v", short, refs)
		}
	}
	for _, good := range []string{"The owl sits", "the owl sits in"[4:] + " the oak.", "sits in the oak. It sees all", "It sees all", "42", "yes, all", "7", `"true"`, " The   owl\nsits"} {
		if _, enough := d.cite([]string{good}, item{}, yes); !enough {
			t.Errorf("%q is no evidence", good)
		}
	}
	long, _ := prose.Visible("The owl sits in an elm")
	if _, enough := d.cite([]string{long}, item{}, yes); enough {
		t.Error("words that do not stand there are evidence")
	}
}
