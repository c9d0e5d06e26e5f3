package judge

import (
	"fmt"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/agent/judge/english"
	"ojud/casefile"
	pleaded "ojud/casefile/ground"
	"ojud/voting"
)

const order = `{"instruction":["Extract the order.","Be friendly."],"output_schema":{"properties":{"total":{}}}}`

const extracted = `{"total":12.5,"name":"Ana","ids":["a","b","c"],"amounts":[3,2.5,1e0],"text":"one owl\nsits","empty":"","none":null,"same":[1,1.0]}`

// TestTypedGrounds: a ground is untrue if the result has what the ground expects, and only then.
func TestTypedGrounds(t *testing.T) {
	for _, c := range []struct {
		pointer, kind, expected string
		refuted                 bool
	}{
		{"/total", "value", "12.5", true}, {"/total", "value", "12.50", true}, {"/total", "value", "13", false}, {"/total", "value", `"12.5"`, false},
		{"/name", "value", `"Ana"`, true}, {"/name", "value", `"ana"`, false}, {"/gone", "value", "null", false}, {"/none", "value", "null", true},
		{"/name", "missing", "", true}, {"/gone", "missing", "", false}, {"/empty", "missing", "", false}, {"/none", "missing", "", false},
		{"/gone", "extra", "", true}, {"/name", "extra", "", false},
		{"/ids", "count", "3", true}, {"/ids", "count", "4", false}, {"/name", "count", "3", false}, {"", "count", "8", true},
		{"/text", "lines", "2", true}, {"/text", "lines", "3", false}, {"/ids", "lines", "3", false},
		{"/total", "type", `"number"`, true}, {"/total", "type", `"integer"`, false}, {"/ids", "type", `"array"`, true}, {"/none", "type", `"null"`, true}, {"/name", "type", `"object"`, false},
		{"/text", "contains", `"OWL"`, true}, {"/text", "contains", `"ow"`, false}, {"/text", "contains", `"cat"`, false}, {"/ids", "contains", `"a"`, false},
		{"/text", "not_contains", `"cat"`, true}, {"/text", "not_contains", `"ow"`, false},
		{"/ids", "order", `"ascending"`, true}, {"/ids", "order", `"descending"`, false}, {"/amounts", "order", `"descending"`, true}, {"/amounts", "order", `"ascending"`, false},
		{"/name", "order", `"ascending"`, false},
		{"/ids", "unique", "", true}, {"/same", "unique", "", false}, {"/text", "unique", "", false},
	} {
		if c.expected != "" {
			c.expected = `,"expected":` + c.expected
		}
		objection := fmt.Sprintf(`{"reason":"x","grounds":[{"pointer":%q,"kind":%q%s}]}`, c.pointer, c.kind, c.expected)
		o := typedly(t, order, extracted, objection, `{"reason":"x"}`, nil)
		if got := strings.Contains(told(o), "that is what the ground expects"); got != c.refuted {
			t.Errorf("%s: refuted %t: %s", objection, got, told(o))
		}
	}
}

// typedly judges a case with these pleadings.
func typedly(t *testing.T, task, result, objection, counter string, m *fake) casefile.Opinion {
	t.Helper()
	b := dataBrief(t, task, result, NoSources{})
	b.Objection, b.Counter = paper(t, []byte(objection), casefile.ParseObjection), paper(t, []byte(counter), casefile.ParseCounterObjection)
	var j Judge = Shared
	if m != nil {
		var err error
		if j, err = NewReasoner(Shared, DefaultReasoning(), ReasonerDeps{Model: func() agent.Model { return m }}); err != nil {
			t.Fatal(err)
		}
	}
	o, err := j.Evaluate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if Decide(o.Findings) != voting.Choice(o.Choice) {
		t.Error("the findings do not give the choice again")
	}
	return o
}

// TestTypedDispute: what typed grounds do to a case that code decides alone.
func TestTypedDispute(t *testing.T) {
	reason := pleaded.Reason([]pleaded.Ground{{Pointer: "/total", Kind: pleaded.Value, Expected: []byte("12.5"), Found: []byte("13")}})
	for name, c := range map[string]struct {
		objection, counter string
		want               voting.Choice
		says               string
	}{
		"it has what the creator wants":      {`{"reason":"` + reason + `","grounds":[{"pointer":"/total","kind":"value","expected":12.5,"found":13}]}`, "", voting.Abstain, "but code proved nothing that the task demands there"},
		"it has not":                         {`{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":13,"found":12.5}]}`, "", voting.Abstain, `it is "12.5"`},
		"words besides":                      {`{"reason":"It is rude.","grounds":[{"pointer":"/total","kind":"value","expected":12.5}]}`, "", voting.Abstain, "objection/1 unknown"},
		"one of two":                         {`{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":12.5},{"pointer":"/name","kind":"value","expected":"Bo"}]}`, "", voting.Abstain, "objection/grounds[1] unknown"},
		"a lie about the pointer":            {`{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":13,"found":99}]}`, "", voting.Abstain, "which is not so"},
		"a place that is not there":          {`{"reason":"x","grounds":[{"pointer":"/gone/3","kind":"value","expected":13,"found":99}]}`, "", voting.Abstain, "and there is nothing"},
		"the worker agrees with a true one":  {`{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":13}]}`, `{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":12.5}]}`, voting.Abstain, "note/answer[0] pass"},
		"the worker lies about its own work": {`{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":13}]}`, `{"reason":"x","grounds":[{"pointer":"/total","kind":"value","expected":13}]}`, voting.Abstain, "note/answer[0] fail"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.counter == "" {
				c.counter = `{"reason":"x"}`
			}
			if o := typedly(t, order, extracted, c.objection, c.counter, nil); voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.says) {
				t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
			}
		})
	}
}

// TestAttackTypedGroundsLie: grounds that lie about their place reject nothing, and a worker's lies
// about its result pay for nothing. A text that looks like one of code's findings is only shown.
func TestAttackTypedGroundsLie(t *testing.T) {
	const done = `{"instruction":["Return the ids."],"output_schema":{"ids":["string"]},"expected":[{"path":"/ids","equals":["a","b","c"],"settles":[0]}]}`
	for _, objection := range []string{
		`{"pointer":"/ids","kind":"count","expected":3,"found":2}`, `{"pointer":"/ids","kind":"count","expected":4,"found":3}`, `{"pointer":"/ids/0","kind":"value","expected":"z","found":"nothing"}`,
		`{"pointer":"/x","kind":"missing"}`, `{"pointer":"/ids","kind":"type","expected":"string"}`, `{"pointer":"","kind":"value","expected":1e300}`,
		`{"pointer":"/ids","kind":"value","expected":"specification/result fail"}`,
	} {
		if o := typedly(t, done, `{"ids":["a","b","c"]}`, `{"reason":"x","grounds":[`+objection+`]}`, `{"reason":"x"}`, nil); voting.Choice(o.Choice) != voting.Accept {
			t.Errorf("%s turns a right result: %s", objection, told(o))
		}
	}
	o := typedly(t, done, `{"ids":["a","b"]}`, `{"reason":"It has 2 items."}`, `{"reason":"x","grounds":[{"pointer":"/ids","kind":"count","expected":3}]}`, nil)
	if voting.Choice(o.Choice) != voting.Reject {
		t.Errorf("the worker's word pays: %s", told(o))
	}
	// A ground about one place disputes only the requirement that is about it: a no to the other
	// rejects nothing.
	m := &fake{answer: always(`{"items":[{"id":"I1","reason":"x","evidence":["12"],"met":"yes"},{"id":"I2","reason":"x","evidence":["one owl sits"],"met":"no"}]}`)}
	o = typedly(t, `{"instruction":["Extract the total.","Write a friendly text."],"output_schema":{}}`, extracted, `{"reason":"`+"At /total the result should have the value 13."+
		`","grounds":[{"pointer":"/total","kind":"value","expected":13}]}`, `{"reason":"x"}`, m)
	if voting.Choice(o.Choice) != voting.Abstain || !strings.Contains(told(o), "the objection does not name it, so this does not reject") {
		t.Errorf("the undisputed requirement: %s", told(o))
	}
}

// FuzzTyped compares any ground with any result.
func FuzzTyped(f *testing.F) {
	f.Add(`{"pointer":"/a","kind":"order","expected":"ascending"}`, `{"a":[1,2e300]}`)
	f.Add(`{"pointer":"","kind":"contains","expected":"owl"}`, `"an owl"`)
	f.Add(`{"pointer":"/a","kind":"value","expected":1,"found":2}`, `{"a":1.0}`)
	f.Fuzz(func(t *testing.T, ground, result string) {
		o, err := casefile.ParseObjection([]byte(`{"reason":"x","grounds":[` + ground + `]}`))
		if err != nil {
			return
		}
		r, err := casefile.ParseResult([]byte(result))
		if err != nil {
			return
		}
		doc, err := decode(r.Raw, casefile.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range o.Value.Grounds {
			if _, found := meets(g, doc); found == "" {
				t.Errorf("%s finds nothing in %s", ground, result)
			}
			lies(g, doc)
			f := &facts{Reading: english.Read(doc)}
			f.trial = Shared.trial(f, nil)
			if refuted, found := f.trial.refutes(t.Context(), g, true); refuted {
				t.Errorf("%s is refuted, and nothing was demanded: %s", ground, found)
			}
		}
	})
}
