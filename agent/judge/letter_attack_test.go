package judge

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/voting"
)

// oracle answers each item that it is asked about by what a function says of its words and of its
// element.
func oracle(says func(text, element string) (met word, quote string)) *fake {
	one := regexp.MustCompile(`(?m)^(I\d+)\n((?:\| .*\n)+)(?:of it, decide this demand alone:\n((?:\| .*\n)+))?(?:of the result, element \d+ of \d+:\n\| (.*)\n)?`)
	return &fake{answer: func(p agent.Prompt, _ int) (string, error) {
		var items []any
		_, asked, _ := strings.Cut(p.Messages[0].Text, " begin requirements")
		for _, g := range one.FindAllStringSubmatch(asked, -1) {
			met, quote := says(g[2]+g[3], g[4])
			items = append(items, map[string]any{"id": g[1], "reason": "because", "evidence": []string{quote}, "met": met})
		}
		raw, err := json.Marshal(map[string]any{"items": items})
		return string(raw), err
	}}
}

// TestAttackLetterOfAGround: the creator says in poor words what is wrong, and to the letter it is
// not so. Code took the ground for refuted and paid for "TODO". Now a reader decides.
func TestAttackLetterOfAGround(t *testing.T) {
	const summary = `{"instruction":["Write a summary of the report."],"output_schema":{"summary":"string"}}`
	const three = `{"instruction":["Name three people."],"output_schema":{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":3}}`
	const checked = `{"instruction":["Write the letter."],"output_schema":{"to":"string","text":"string"},"expected":[{"path":"/to","equals":"Ann"}]}`
	for _, c := range [][3]string{
		{summary, `{"summary":"TODO"}`, `The field "summary" is missing.`},
		{summary, `{"summary":"Here is the summary:"}`, `The field "summary" is missing.`},
		{three, `["Ann","",""]`, "The result has 1 items instead of 3."},
		{three, `["Ann","Ann","Ann"]`, "The result has 1 items instead of 3."},
		{checked, `{"to":"Ann","text":"pay, idiot"}`, "It does not meet the expected values."},
	} {
		if o := disputed(t, c[0], c[1], c[2], nil); voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s, %s: %s", c[1], c[2], told(o))
		}
	}
	// What is untrue and plain is refuted as before.
	if o := disputed(t, three, `["Ann","Bo","Cy"]`, "The result has 1 items instead of 3.", nil); voting.Choice(o.Choice) != voting.Accept {
		t.Error(told(o))
	}
}

// TestAttackConsistentLie: a worker lies in two places so that a check that compares them passes.
// The creator names the place and the right value. The check refuses the right value beside the
// other lie, so code took the true ground for refuted, and paid. Now only a check that compares the
// place with the task refutes a ground about it.
func TestAttackConsistentLie(t *testing.T) {
	const sums = `"output_schema":{"rows":[{"what":"string","amount":"number"}],"total":"number"},"expected":[{"path":"","program":{"javascript":"result.rows.reduce((s, r) => s + r.amount, 0) === result.total"},"settles":[1]}]`
	const nets = `"output_schema":{"net":"number","rate":"number","eur":"number"},"expected":[{"path":"","program":{"javascript":"Math.abs(result.net * result.rate - result.eur) < 0.01"},"settles":[1]}]`
	for _, c := range []struct{ task, result, objection string }{
		{`{"instruction":["List the rows of the letter.","Add the amounts up."],` + sums + `}`, `{"rows":[{"what":"sails","amount":1},{"what":"ropes","amount":158.5}],"total":159.5}`,
			`{"reason":"The result should have the value 100 at /rows/0/amount.","grounds":[{"pointer":"/rows/0/amount","kind":"value","expected":100}]}`},
		{`{"instruction":["List the rows of the letter.","Add the amounts up."],` + sums + `}`, `{"rows":[{"what":"dogs","amount":1}],"total":1}`, `{"reason":"total should be 258.5."}`},
		{`{"instruction":["Take net and rate from the letter.","Convert net to eur."],` + nets + `}`, `{"net":100,"rate":0.5,"eur":50}`, `{"reason":"x","grounds":[{"pointer":"/rate","kind":"value","expected":0.92}]}`},
	} {
		if o := typedly(t, c.task, c.result, c.objection, `{"reason":"It is right."}`, nil); voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s, %s: %s", c.result, c.objection, told(o))
		}
	}
}

// TestAttackSharedWord: one word that an objection shares with another requirement made the one
// that it is about undisputed, so that no model was asked about it, and one that tells the truth
// had the worker paid. Now a no to a requirement that is not named keeps it open.
func TestAttackSharedWord(t *testing.T) {
	truth := oracle(func(text, _ string) (word, string) {
		if strings.Contains(text, "olite") || strings.Contains(text, "tone") {
			return no, "you idiot"
		}
		return yes, "Owls hunt at night"
	})
	for _, c := range [][2]string{
		{"Be polite to the reader.", "It insults me."},
		{"Be polite to the reader.", "The owls are fine, but it calls me an idiot."},
		{"Be polite to the reader.", "I ordered a text about owls, not an insult."},
		{"Keep a friendly tone.", "The text about owls is rude."},
		{"Be polite to the reader.", "Owls do hunt at night. But it is rude."},
	} {
		o := disputed(t, fmt.Sprintf(`{"instruction":["Write a text about owls that hunt.",%q],"output_schema":{"text":"string"}}`, c[0]), `{"text":"Owls hunt at night, you idiot."}`, c[1], truth)
		if voting.Choice(o.Choice) == voting.Accept {
			t.Errorf("%s: %s", c[1], told(o))
		}
	}
	// If the objection does not name a requirement, a model that is unsure of it costs nobody.
	unsure := oracle(func(text, _ string) (word, string) {
		if strings.Contains(text, "tone") {
			return unclear, ""
		}
		return yes, "Owls hunt at night"
	})
	o := disputed(t, `{"instruction":["Write a text about owls that hunt.","Keep a friendly tone."],"output_schema":{"text":"string"}}`, `{"text":"Owls hunt at night."}`, "It is not about owls that hunt.", unsure)
	if voting.Choice(o.Choice) != voting.Accept {
		t.Error(told(o))
	}
}

// TestAttackPluralByOneQuote: a model that was talked over says of ten names that they are rivers
// and quotes the one that is. "Ten lines" was asked about line by line, but "ten rivers" was not.
func TestAttackPluralByOneQuote(t *testing.T) {
	const result = `{"rivers":["The Douro flows through Porto","Chicago","Dallas","Denver","Boston","Miami","Austin","Tampa","Omaha","Reno"]}`
	yesMan := func() *fake {
		return oracle(func(string, string) (word, string) { return yes, "The Douro flows through Porto" })
	}
	for _, text := range []string{
		"Name ten rivers of Portugal.", "List 10 Portuguese rivers.", "List the rivers of Portugal.", "Only rivers are allowed.", "Write 10 facts about Portugal.",
		"Name a river of Portugal per row.", "Translate the segments.", "Answer the questions.", "Give three reasons.", "Write a dozen sentences on the Douro, one per line.",
	} {
		if o := disputed(t, fmt.Sprintf(`{"instruction":[%q],"output_schema":{"rivers":["string"]}}`, text), result, "Nine of them are cities of America.", yesMan()); voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s: %s", text, told(o))
		}
	}
	// A no to an element that may not be meant rejects nothing.
	honest := oracle(func(_, element string) (word, string) {
		return map[bool]word{true: yes, false: no}[strings.Contains(element, "Douro")], element
	})
	if o := disputed(t, `{"instruction":["Give three reasons."],"output_schema":{"rivers":["string"]}}`, result, "They are bad.", honest); voting.Choice(o.Choice) != voting.Abstain {
		t.Error(told(o))
	}
}
