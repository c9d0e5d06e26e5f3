package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/voting"
)

// written is JSON of a value.
func written(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestAttackMisread: plain tasks that a reviewer gave to the judge of code. It paid for wrong
// results and refused right ones, because it read some of their sentences and not the others. Each
// is a matter for readers: code abstains. Those with a check of the task are decided by it.
func TestAttackMisread(t *testing.T) {
	type doc = map[string]any
	task := func(schema any, input any, instructions ...string) doc {
		out := doc{"instruction": instructions, "output_schema": schema}
		if input != nil {
			out["input_data"] = []any{input}
		}
		return out
	}
	text, one := doc{"text": "string"}, func(field, kind string) doc { return doc{field: kind} }
	const dislike = "I do not like it."
	refund := "I want a refund because it is about dogs."
	for name, c := range map[string]struct {
		task              doc
		result, objection string
		want              voting.Choice
	}{
		// Paid, and wrong.
		"neutral words only":        {task(one("length", "integer"), "hello world", "Return the length of the text."), `{"length":7}`, reason("The text has 11 characters."), voting.Abstain},
		"neutral words, typed":      {task(one("length", "integer"), "hello world", "Return the length of the text."), `{"length":7}`, grounded(t, `{"pointer":"/length","kind":"value","expected":11,"found":7}`), voting.Abstain},
		"answer in JSON":            {task(one("answer", "integer"), doc{"question": "What is 17 times 23?"}, "Give the answer in JSON."), `{"answer":1}`, reason("17 times 23 is 391, not 1."), voting.Abstain},
		"name of the agent":         {task(one("name", "string"), "The agent is called Ada.", "Give the name of the agent."), `{"name":"Bob"}`, reason("The agent is called Ada, not Bob."), voting.Abstain},
		"list of words":             {task(doc{"words": []string{"string"}}, "a b c", "List each word of the text."), `{"words":["zzz"]}`, reason("These are not its words."), voting.Abstain},
		"format the list":           {task(text, []string{"a", "b"}, "Format the list as a string."), `{"text":"zzz"}`, reason("The elements are missing."), voting.Abstain},
		"use the long format":       {task(text, "2026-01-02", "Use the long format."), `{"text":"zzz"}`, reason("This is no date in the long format."), voting.Abstain},
		"a list of three items":     {task(doc{"items": []string{"string"}}, doc{"topic": "rivers of France"}, "Return a list of 3 items."), `{"items":["x","y","z"]}`, reason("These are no rivers of France."), voting.Abstain},
		"hidden forbidden word":     {task(text, nil, `The text must not contain "owl".`), "{\"text\":\"The o\u200bwl sits. O\u00adwls sleep.\"}", reason("The text contains the word owl."), voting.Abstain},
		"fullwidth forbidden word":  {task(text, nil, `The text must not contain "owl".`), `{"text":"The ｏｗｌ sits."}`, reason("The text contains the word owl."), voting.Abstain},
		"named field ignored":       {task(doc{"summary": "string", "note": "string"}, nil, `The summary must mention "Paris".`), `{"summary":"asdf","note":"Paris"}`, reason(`The summary does not mention "Paris".`), voting.Abstain},
		"a reason behind a refund":  {task(text, nil, "Write 2 lines about owls."), `{"text":"dogs bark\ndogs run"}`, reason("The result does not match the schema. " + refund), voting.Abstain},
		"a reason behind a plea":    {task(text, nil, "Write 2 lines about owls."), `{"text":"dogs bark\ndogs run"}`, reason("The result does not match the schema. Please reject it, as both lines are about dogs."), voting.Abstain},
		"missing beside the schema": {task(doc{"type": "object", "properties": doc{"id": doc{"type": "integer"}}, "required": []string{"id"}}, "report", "Write a summary."), `{"id":1,"summary":"asdf"}`, grounded(t, `{"pointer":"/summary","kind":"missing"}`), voting.Abstain},
		// Refused, and right.
		"a way out":                      {task(doc{"items": []string{"string"}}, "two rows match", "Return exactly 5 items. If fewer than 5 rows match, return those that match."), `{"items":["a","b"]}`, reason(dislike), voting.Abstain},
		"a way out in the next":          {task(doc{"items": []string{"string"}}, "two rows match", "Return exactly 5 items.", "If fewer than 5 rows match, return all of them."), `{"items":["a","b"]}`, reason(dislike), voting.Abstain},
		"a line that goes on":            {task(doc{"items": []string{"string"}}, "two rows", "Return exactly 3 items\nper row."), `{"items":["a","b","c","d","e","f"]}`, reason(dislike), voting.Abstain},
		"a note to translate":            {task(text, nil, "Translate this note into German:\nWrite exactly 10 lines."), `{"text":"Schreibe genau 10 Zeilen."}`, reason(dislike), voting.Abstain},
		"a text to translate":            {task(text, nil, "Translate the following into German.\nThe answer must contain \"yes\"."), `{"text":"Die Antwort muss \"ja\" enthalten."}`, reason(dislike), voting.Abstain},
		"a brief to sum up":              {task(text, nil, "Sum up in your own words what this brief asks:\nWrite at least 500 words.\nThe result must contain \"Acme\"."), `{"text":"It asks for a long text that names the firm."}`, reason(dislike), voting.Abstain},
		"one of two":                     {task(text, nil, "Do one of these.\nWrite exactly 10 lines about owls.\nPaint an owl in ASCII."), `{"text":"(o,o)\n/)_)\n \" \""}`, reason(dislike), voting.Abstain},
		"bullet points beside sources":   {task(doc{"text": "string", "sources": []string{"string"}}, nil, "Give exactly 3 bullet points about owls."), `{"text":"- a\n- b\n- c","sources":["https://example.org/owls"]}`, reason(dislike), voting.Abstain},
		"items beside warnings":          {task(doc{"items": doc{"a": "string", "b": "string", "c": "string"}, "warnings": []string{"string"}}, nil, "Return exactly 3 items."), `{"items":{"a":"x","b":"y","c":"z"},"warnings":[]}`, reason(dislike), voting.Abstain},
		"498 words of 500":               {task(text, nil, "Write a 500-word essay about owls."), written(t, doc{"text": strings.TrimSpace(strings.Repeat("owl ", 498))}), reason(dislike), voting.Abstain},
		"N/A where there is no price":    {task(doc{"prices": []string{"string"}}, "a costs 3, b costs 4", "List the price of each item.", `Include "N/A" where the source gives no price.`), `{"prices":["3","4"]}`, reason(dislike), voting.Abstain},
		"not more than twice":            {task(text, nil, "Write about the firm.", `Do not mention "Acme" more than twice.`), `{"text":"Acme makes anvils."}`, reason(dislike), voting.Abstain},
		"not without":                    {task(text, nil, "Describe the goods.", `Do not mention "price" without the currency.`), `{"text":"The price is 3 EUR."}`, reason(dislike), voting.Abstain},
		"not alone":                      {task(text, nil, "Describe the firm.", `Do not mention "Acme" alone; always write "Acme Corp."`), `{"text":"Acme Corp. makes anvils."}`, reason(dislike), voting.Abstain},
		"the source names what must not": {task(doc{"summary": "string", "source": "string"}, nil, "Sum up the report.", `The summary must not contain "Acme".`), `{"summary":"Sales rose.","source":"Acme annual report"}`, reason(dislike), voting.Abstain},
		"a curly apostrophe":             {task(text, nil, `The text must mention "Women's Day".`), `{"text":"We celebrate Women’s Day on 8 March."}`, reason(dislike), voting.Abstain},
		"letters in two parts":           {task(text, nil, `The text must mention "café".`), "{\"text\":\"We met in a cafe\u0301.\"}", reason(dislike), voting.Abstain},
		"an essay on ASCII art":          {task(text, nil, "Write an essay on ASCII art."), `{"text":"Joan Stark, née Spunk, drew it."}`, reason(dislike), voting.Abstain},
		"a column named todo":            {task(one("status", "string"), "card 7 | todo", "Say in which column the card stands: todo, doing or done."), `{"status":"todo"}`, reason(dislike), voting.Abstain},
		"a venue that is not known":      {task(one("venue", "string"), "Venue: TBD", "Copy the venue."), `{"venue":"TBD"}`, reason(dislike), voting.Abstain},
		"an empty text if there is none": {task(one("error", "string"), "all is fine", "Copy the error message of the log, or an empty string if there is none."), `{"error":""}`, reason(dislike), voting.Abstain},
		"null if there is none":          {task(doc{"type": []string{"string", "null"}}, "no phone", "Return the phone number, or null if there is none."), `null`, reason(dislike), voting.Abstain},
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: written(t, c.task), Result: c.result, Objection: c.objection, Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %s, want %s, %v\n%s", name, voting.Choice(o.Choice), c.want, err, findingsOf(o))
		}
	}
}

// TestAttackTrueGroundConceded: a true ground about an instruction that is open names a place of
// which a settled instruction speaks. Code took it for undisputed, and paid for an insult.
func TestAttackTrueGroundConceded(t *testing.T) {
	const task = `{"instruction":["Sum the column, give it as total_cents, and explain it in text.","Be polite."],"output_schema":{"total_cents":"number","text":"string"},` +
		`"expected":[{"path":"/total_cents","program":{"javascript":"value === 118.5"},"settles":[0]},{"path":"/text","program":{"javascript":"value.length > 5"},"settles":[0]}]}`
	const rude = `{"total_cents":118.5,"text":"Learn to count, idiot. It is 118.5."}`
	for name, o := range map[string]string{
		"it has not to be there":    grounded(t, `{"pointer":"/text","kind":"not_contains","expected":"idiot"}`),
		"something else should be":  grounded(t, `{"pointer":"/text","kind":"value","expected":"Dear Sir, it is 118.5."}`),
		"in words, quoted":          reason(`text is "Learn to count, idiot. It is 118.5".`),
		"in words, with a proposal": reason(`text should be "Dear Sir" instead of "idiot".`),
		"in words":                  reason(`The text is not polite.`),
		"in other words":            reason(`The text calls me an idiot.`),
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: rude, Objection: o, Counter: reason("It is right.")})
		got, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(got.Choice) != voting.Abstain {
			t.Errorf("%s: %s, %v\n%s", name, voting.Choice(got.Choice), err, findingsOf(got))
		}
	}
}

// TestRefutes: code refutes a ground only where the task itself contradicts it.
func TestRefutes(t *testing.T) {
	const schema = `"output_schema":{"type":"object","properties":{"n":{"type":"integer"},"ids":{"type":"array"},"id":{"type":"string"},"ok":{"type":"boolean"}},"required":["n"]}`
	const result = `{"n":5,"ids":["a","b","c"],"id":"INV-007","ok":true,"text":"one\ntwo"}`
	for _, c := range []struct {
		check, ground string
		refuted       bool
	}{
		// A check that fixes the value refuses what the ground wants.
		{`{"path":"/n","program":{"javascript":"value === 5"}}`, `{"pointer":"/n","kind":"value","expected":7,"found":5}`, true},
		{`{"path":"/n","program":{"javascript":"value === 5 && result.text !== ''"}}`, `{"pointer":"/n","kind":"value","expected":7}`, false}, // it sees more than the place
		{`{"path":"","program":{"javascript":"result.n === 5"}}`, `{"pointer":"/n","kind":"value","expected":7}`, false},
		{`{"path":"/n","equals":5}`, `{"pointer":"/n","kind":"value","expected":"five"}`, true},
		{`{"path":"/n","equals":5}`, `{"pointer":"/n","kind":"value","expected":5,"found":6}`, true},
		{`{"path":"/ids","equals":["a","b","c"]}`, `{"pointer":"/ids/1","kind":"value","expected":"z"}`, true},
		// One that looks at its form, or at something else, does not.
		{`{"path":"/n","program":{"javascript":"value > 0"}}`, `{"pointer":"/n","kind":"value","expected":7}`, false},
		{`{"path":"/n","program":{"javascript":"value > 0"}}`, `{"pointer":"/n","kind":"value","expected":-7}`, false},
		{`{"path":"/n","program":{"javascript":"value > 0"}}`, `{"pointer":"/n","kind":"value","expected":5,"found":-1}`, false},
		{`{"path":"/id","pattern":"^INV-[0-9]{3}$"}`, `{"pointer":"/id","kind":"value","expected":"none"}`, false},
		{`{"path":"/id","pattern":"^INV-[0-9]{3}$"}`, `{"pointer":"/id","kind":"value","expected":"INV-007","found":"x"}`, false},
		{`{"path":"","program":{"javascript":"result.n === 5"}}`, `{"pointer":"/id","kind":"value","expected":"INV-008"}`, false},
		{`{"path":"/n","equals":5}`, `{"pointer":"/text","kind":"not_contains","expected":"two"}`, false},
		// Presence, types and counts.
		{``, `{"pointer":"/n","kind":"missing"}`, false},
		{``, `{"pointer":"/id","kind":"missing"}`, false},
		{``, `{"pointer":"/text","kind":"missing"}`, false},
		{``, `{"pointer":"/n","kind":"type","expected":"integer"}`, true},
		{``, `{"pointer":"/text","kind":"type","expected":"string"}`, false},
		{``, `{"pointer":"/more","kind":"extra"}`, false},
		{``, `{"pointer":"/n","kind":"extra"}`, false},
		{``, `{"pointer":"/ids","kind":"count","expected":3}`, false},
		{`{"path":"/ids","count":3}`, `{"pointer":"/ids","kind":"count","expected":3,"found":2}`, true},
		{`{"path":"/ids","min_count":2}`, `{"pointer":"/ids","kind":"count","expected":3}`, false},
		{`{"path":"/ids","count":3}`, `{"pointer":"","kind":"count","expected":5}`, false},
		{`{"path":"/text","lines":2}`, `{"pointer":"/text","kind":"lines","expected":2}`, true},
		{`{"path":"/text","max_lines":2}`, `{"pointer":"/text","kind":"lines","expected":2}`, false},
		{`{"path":"/ids","sorted":{}}`, `{"pointer":"/ids","kind":"order","expected":"ascending"}`, true},
		{`{"path":"/ids","unique":{}}`, `{"pointer":"/ids","kind":"order","expected":"ascending"}`, false},
		{`{"path":"/ids","unique":{}}`, `{"pointer":"/ids","kind":"unique"}`, true},
		{`{"path":"/text","contains":"two"}`, `{"pointer":"/text","kind":"contains","expected":"TWO"}`, true},
		{`{"path":"/id","contains":"007"}`, `{"pointer":"/text","kind":"contains","expected":"two"}`, false},
		{`{"path":"/text","not_contains":["cat"]}`, `{"pointer":"/text","kind":"not_contains","expected":"cat"}`, true},
		{`{"path":"/text","not_contains":["dog"]}`, `{"pointer":"/text","kind":"not_contains","expected":"cat"}`, false},
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: `{"instruction":["Do it."],` + schema + `,"expected":[` + c.check + `]}`, Result: result, Objection: grounded(t, c.ground), Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if refuted := strings.Contains(findingsOf(o), "pass objection/grounds[0]"); refuted != c.refuted {
			t.Errorf("%s and %s: refuted %t\n%s", c.check, c.ground, refuted, findingsOf(o))
		}
	}
}
