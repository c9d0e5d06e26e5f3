package judge_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/voting"
)

// settling is a task with two instructions, and a program that settles some of them.
func settling(t *testing.T, program, settles string) string {
	t.Helper()
	raw, err := json.Marshal(program)
	if err != nil {
		t.Fatal(err)
	}
	return `{"instruction":["Sum the column and give it as total_cents.","Be polite in the text."],"output_schema":{"total_cents":"number","text":"string"},` +
		`"expected":[{"path":"/total_cents","program":{"javascript":` + string(raw) + `},"settles":` + settles + `}]}`
}

// TestSettles: what the creator's own check settles, nobody has to read. The other instructions
// stay open if the creator disputes them.
func TestSettles(t *testing.T) {
	const right, wrong = `{"total_cents":118.5,"text":"Hello"}`, `{"total_cents":118.4,"text":"Hello"}`
	const is = "value === 118.5"
	for _, c := range []struct {
		name, task, result, objection string
		want                          voting.Choice
	}{
		{"all is settled", settling(t, is, "[0,1]"), right, reason("This is not what I asked for."), voting.Accept},
		{"all is settled, and false", settling(t, is, "[0,1]"), wrong, reason("This is not what I asked for."), voting.Reject},
		{"one is settled, all is disputed", settling(t, is, "[0]"), right, reason("This is not what I asked for."), voting.Abstain},
		{"the other is disputed", settling(t, is, "[0]"), right, reason("The text is not polite."), voting.Abstain},
		{"a typed ground disputes what is settled", settling(t, is, "[0]"), right, `{"reason":"x","grounds":[]}`, voting.Abstain},
		{"a typed ground", settling(t, is, "[0]"), right, grounded(t, `{"pointer":"/total_cents","kind":"value","expected":7,"found":118.5}`), voting.Accept},
		{"a typed ground about the other", settling(t, is, "[0]"), right, grounded(t, `{"pointer":"/text","kind":"contains","expected":"Dear"}`), voting.Abstain},
		{"an untrue ground where a check proved the value", settling(t, is, "[]"), right, grounded(t, `{"pointer":"/total_cents","kind":"value","expected":118.5,"found":7}`), voting.Accept},
		{"an untrue ground where nothing is proved", settling(t, is, "[]"), right, grounded(t, `{"pointer":"/text","kind":"value","expected":"Hello","found":"x"}`), voting.Abstain},
		{"plain words name the place", settling(t, is, "[0]"), right, reason("total_cents should be 7."), voting.Accept},
		{"and say what they found", settling(t, is, "[0]"), right, reason("The value of total_cents is 118.5 instead of 7."), voting.Accept},
		{"words about a place that may be about another demand", settling(t, is, "[0]"), right, reason("text is rude."), voting.Abstain},
		{"words about a place that are not exact", settling(t, is, "[0]"), right, reason("total_cents is not polite."), voting.Abstain},
		{"two sentences, one of which disputes the rest", settling(t, is, "[0]"), right, reason("total_cents should be 7. It is not polite."), voting.Abstain},
		{"a program that looks at nothing", settling(t, "true", "[0,1]"), right, reason("x"), voting.Abstain},
		{"a program that does not answer", settling(t, "for (;;);", "[0,1]"), right, reason("x"), voting.Abstain},
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: c.task, Result: c.result, Objection: c.objection, Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if got := voting.Choice(o.Choice); got != c.want || judge.Decide(o.Findings) != got {
			t.Errorf("%s: %s, want %s\n%s", c.name, got, c.want, findingsOf(o))
		}
	}
}

// grounded is an objection that consists of a typed ground.
func grounded(t *testing.T, ground string) string {
	t.Helper()
	var o casefile.Objection
	if err := json.Unmarshal([]byte(`{"grounds":[`+ground+`]}`), &o); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"reason": o.Grounds[0].String(), "grounds": o.Grounds})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestSettlesWhatIsThere: a check settles instructions that the task has.
func TestSettlesWhatIsThere(t *testing.T) {
	for settles, good := range map[string]bool{"[0]": true, "[1,0]": true, "[]": true, "[2]": false, "[-1]": false, `["0"]`: false} {
		_, err := casefile.ParseTask([]byte(settling(t, "value === 1", settles)))
		if (err == nil) != good || err != nil && !strings.Contains(err.Error(), "settles") {
			t.Errorf("%s: %v", settles, err)
		}
	}
}

// TestAttackUntrueGroundPays: a creator that says something silly beside a wrong result does not
// pay for it. Code accepted 61 of 200 wrong results of an exam with typed grounds whose tasks have
// words only, because the one ground was untrue (agent/judge/exam, TestByCode).
func TestAttackUntrueGroundPays(t *testing.T) {
	const task = `{"instruction":["Give the number of the invoice as invoice, and its amount as cents."],"input_data":["Order 17. Invoice 71 over 5.00."],"output_schema":{"invoice":"string","cents":"integer"}}`
	for _, objection := range []string{
		grounded(t, `{"pointer":"/cents","kind":"value","expected":500,"found":600}`), grounded(t, `{"pointer":"/invoice","kind":"contains","expected":"17"}`),
		grounded(t, `{"pointer":"","kind":"count","expected":2}`), grounded(t, `{"pointer":"/invoice","kind":"not_contains","expected":"x"}`),
		reason(`The field "cents" is 600 instead of 500.`),
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: `{"invoice":"17","cents":500}`, Objection: objection, Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s: %s\n%s", objection, voting.Choice(o.Choice), findingsOf(o))
		}
	}
	// What code proved elsewhere proves nothing here.
	const counted = `{"instruction":["Return exactly 2 items.","The result must contain \"owl\".","Sort them by beauty."],"output_schema":{"ids":["string"],"name":"string"}}`
	for _, objection := range []string{
		grounded(t, `{"pointer":"","kind":"count","expected":2,"found":1}`), grounded(t, `{"pointer":"/name","kind":"contains","expected":"cat"}`),
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: counted, Result: `{"ids":["an owl","b"],"name":"cat"}`, Objection: objection, Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%s: %s\n%s", objection, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}

// TestAttackFormSettles: a creator said in the task that a check of form settles the instruction,
// and a lazy worker hands in garbage of that form. Judges do not take such a check for a proof. The
// controls are checks that compare with the right value.
func TestAttackFormSettles(t *testing.T) {
	const objection = "It says the opposite of what I asked for."
	for name, c := range map[string]struct {
		expected string
		want     voting.Choice
	}{
		"words":            {`"words":{"max":9}`, voting.Abstain},
		"a pattern":        {`"pattern":"^[A-Z]"`, voting.Abstain},
		"a language":       {`"language":"en"`, voting.Abstain},
		"contains":         {`"contains":"the"`, voting.Abstain},
		"lines and bytes":  {`"lines":1,"max_bytes":99`, voting.Abstain},
		"grounded":         {`"grounded":{"in":["/input_data"],"what":["numbers"]}`, voting.Abstain},
		"a right value":    {`"equals":"The pier is closed in 1999."`, voting.Accept},
		"form and a value": {`"equals":"The pier is closed in 1999.","words":{"max":9}`, voting.Accept},
	} {
		for _, two := range []string{"", `,{"path":"/text","bytes":27,"settles":[0]}`} {
			task := `{"instruction":["Say when the pier opens."],"input_data":["It opens in 1999."],"output_schema":{"text":"string"},` +
				`"expected":[{"path":"/text",` + c.expected + `,"settles":[0]}` + two + `]}`
			b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: `{"text":"The pier is closed in 1999."}`, Objection: reason(objection), Counter: reason("It is right.")})
			o, err := judge.Shared.Evaluate(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			if voting.Choice(o.Choice) != c.want {
				t.Errorf("%s%s: %s, want %s\n%s", name, two, voting.Choice(o.Choice), c.want, findingsOf(o))
			}
		}
	}
}

// TestAttackLazyExamples: results of lazy or lying workers for the shipped examples, which code
// paid over a true objection. It rejects them, or leaves them to readers.
func TestAttackLazyExamples(t *testing.T) {
	lazy := readLazy(t)
	for name, c := range map[string]struct {
		objection string
		want      voting.Choice
	}{
		"thumbnail/a white square with a black pixel":       {"This is a white square with one black pixel, and not the logo.", voting.Reject},
		"translation/the last segment in English":           {"The last segment is in English.", voting.Reject},
		"translation/German that says something else":       {"It says that the firm is bankrupt, which the text does not say.", voting.Abstain},
		"report/one quotation, false authors, and lies":     {"It invents all of this, and quotes one review, by the wrong author.", voting.Reject},
		"invoices/amounts of other invoices, lies in notes": {"The payers and amounts are swapped.", voting.Abstain},
	} {
		example, _, _ := strings.Cut(name, "/")
		task, err := os.ReadFile("../../examples/" + example + "/" + example + ".task.json")
		if err != nil {
			t.Fatal(err)
		}
		result := string(lazy[name])
		if result == "" {
			t.Fatalf("there is no result %q", name)
		}
		b := judgetest.Brief(t, judgetest.Papers{Task: string(task), Result: result, Objection: reason(c.objection), Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %s, want %s\n%s", name, voting.Choice(o.Choice), c.want, findingsOf(o))
		}
	}
}

// readLazy returns the results of lazy workers by their names.
func readLazy(t *testing.T) (lazy map[string]json.RawMessage) {
	t.Helper()
	raw, err := os.ReadFile("testdata/lazy.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &lazy); err != nil {
		t.Fatal(err)
	}
	return lazy
}

// TestAttackEmptyList: a program that is true of an empty list was true of a worker's, so that code
// paid for no row at all. It settles nothing now, but one that counts rows does, and so does one
// whose right answer is 0.
func TestAttackEmptyList(t *testing.T) {
	task := func(check, schema string) string {
		return `{"instruction":["Give the rows with a positive n."],"input_data":["1 2 3"],"output_schema":` + schema + `,"expected":[{` + check + `,"settles":[0]}]}`
	}
	const rows, total = `{"rows":[{"n":"integer"}]}`, `{"total":"integer"}`
	for _, c := range []struct {
		check, schema, result string
		want                  voting.Choice
	}{
		{`"path":"/rows","program":{"javascript":"value.every(r => r.n > 0)"}`, rows, `{"rows":[]}`, voting.Abstain},
		{`"path":"/rows","program":{"javascript":"value.every(r => r.n > 0)"}`, rows, `{"rows":[{"n":1}]}`, voting.Abstain},
		{`"path":"","program":{"javascript":"result.rows.every(r => task.input_data.join(' ').includes(r.n))"}`, rows, `{"rows":[]}`, voting.Abstain},
		{`"path":"/rows","program":{"sql":"SELECT count(*) = 0 FROM value WHERE n <= 0"}`, rows, `{"rows":[]}`, voting.Abstain},
		{`"path":"/rows","program":{"javascript":"value.length === 3 && value.every(r => r.n > 0)"}`, rows, `{"rows":[{"n":1},{"n":2},{"n":3}]}`, voting.Accept},
		{`"path":"/rows","program":{"javascript":"value.length === 3 && value.every(r => r.n > 0)"}`, rows, `{"rows":[]}`, voting.Reject},
		{`"path":"/rows/0/n","program":{"javascript":"value === 1"}`, rows, `{"rows":[{"n":1}]}`, voting.Accept},
		{`"path":"/total","program":{"javascript":"value === 0"}`, total, `{"total":0}`, voting.Accept},
		{`"path":"/total","program":{"javascript":"value < 9"}`, total, `{"total":0}`, voting.Abstain},
	} {
		b := judgetest.Brief(t, judgetest.Papers{Task: task(c.check, c.schema), Result: c.result, Objection: reason("There is no row."), Counter: reason("It is right.")})
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != c.want {
			t.Errorf("%s of %s: %s\n%s", c.check, c.result, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}

// TestAttackContainsOfData: a post that contains the ordered sentence, and takes it back, was paid
// because the task said that this settles it. It is for readers now. A text that is equal settles.
func TestAttackContainsOfData(t *testing.T) {
	for check, want := range map[string]voting.Choice{`"contains":"Osiris is live."`: voting.Abstain, `"equals":"It is a lie that Osiris is live. It is a fraud."`: voting.Accept} {
		task := `{"instruction":["Post the sentence \"Osiris is live.\" and nothing else."],"output_schema":{"id":"string"},"data_sources":["site.post"],` +
			`"expected":[{"path":"/text","data":{"data_source":"site.post","request":{},"from_result":{"id":"/id"}},` + check + `,"settles":[0]}]}`
		b := judgetest.Brief(t, judgetest.Papers{Task: task, Result: `{"id":"9"}`, Objection: reason("It says that it is a fraud."), Counter: reason("It is right.")})
		b.Evidence = explorer{"9": `{"text":"It is a lie that Osiris is live. It is a fraud."}`}
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != want {
			t.Errorf("%s: %s, %v\n%s", check, voting.Choice(o.Choice), err, findingsOf(o))
		}
	}
}
