package judge

import (
	"fmt"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/casefile"
	"ojud/voting"
)

// disputed judges a case with this objection, by code alone or with a model that always says the
// same of each requirement that it is asked about.
func disputed(t *testing.T, task, result, objection string, m *fake) casefile.Opinion {
	t.Helper()
	b := dataBrief(t, task, result, NoSources{})
	b.Objection = paper(t, fmt.Appendf(nil, `{"reason":%q}`, objection), casefile.ParseObjection)
	var j Judge = Shared
	if m != nil {
		reasoner, err := NewReasoner(Shared, DefaultReasoning(), ReasonerDeps{Model: func() agent.Model { return m }})
		if err != nil {
			t.Fatal(err)
		}
		j = reasoner
	}
	o, err := j.Evaluate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if Decide(o.Findings) != voting.Choice(o.Choice) {
		t.Errorf("%q: the findings do not give the choice again", objection)
	}
	return o
}

// TestAttackOneFalseGround: a worker hands in garbage, and the creator's only ground is one that
// code refutes. Before, every judge accepted, with or without a model, and none was asked, although
// nothing of the task was proved. Now a ground that is untrue settles only what code proved.
func TestAttackOneFalseGround(t *testing.T) {
	const essay = `{"instruction":["Write a 500 word essay about owls, in French, with three sources."],"output_schema":{"text":"string"}}`
	for objection, code := range map[string]voting.Choice{
		"The result is empty.":                           voting.Abstain,
		"There is no result.":                            voting.Abstain,
		`The result does not contain "hibou".`:           voting.Abstain,
		"The result has fewer than 2 words.":             voting.Abstain,
		"The result is not ASCII.":                       voting.Abstain,
		"The result is a copy of the instruction.":       voting.Abstain,
		"The result does not match the schema.":          voting.Accept,  // nothing else is disputed
		`The result lacks the field "text".`:             voting.Abstain, // what stands there may be as good as nothing
		"The result does not meet the expected values.":  voting.Abstain, // of which it does not say which
		"The result is empty and is not valid JSON.":     voting.Abstain,
		"The result does not match the schema. It is ..": voting.Abstain,
	} {
		if o := disputed(t, essay, `{"text":"hibou hibou"}`, objection, nil); voting.Choice(o.Choice) != code {
			t.Errorf("%q: %s, want %s: %s", objection, voting.Choice(o.Choice), code, told(o))
		}
		m := &fake{answer: always(say(no, "hibou hibou"))}
		if o := disputed(t, essay, `{"text":"hibou hibou"}`, objection, m); code == voting.Abstain && (voting.Choice(o.Choice) != voting.Reject || len(m.prompts) == 0) {
			t.Errorf("%q with a model: %s after %d calls: %s", objection, voting.Choice(o.Choice), len(m.prompts), told(o))
		}
	}
}

// TestProvedGround: a ground that is untrue settles its dispute if the task demands something
// there, and code proved it.
func TestProvedGround(t *testing.T) {
	for _, c := range []struct {
		task, result, objection string
		want                    voting.Choice
	}{
		{`{"instruction":["Write exactly 3 lines about owls."],"output_schema":{"text":"string"}}`, `{"text":"a\nb\nc"}`, "The result has 2 lines rather than 3.", voting.Abstain},
		{`{"instruction":["Write lines about owls."],"output_schema":{"text":"string"}}`, `{"text":"a\nb\nc"}`, "The result has 2 lines rather than 3.", voting.Abstain},
		{`{"instruction":["Write about owls."],"output_schema":{"text":"string"},"expected":[{"path":"/text","lines":3}]}`, `{"text":"a\nb\nc"}`, "The result has 2 lines rather than 3.", voting.Accept},
		{`{"instruction":["Write nicely. It must contain \"owl\"."],"output_schema":{"text":"string"}}`, `{"text":"an owl"}`, `It does not contain "owl".`, voting.Abstain},
		{`{"instruction":["Write nicely. It must contain \"owl\"."],"output_schema":{"text":"string"}}`, `{"text":"an owl sits"}`, `It does not contain "sits".`, voting.Abstain},
		{`{"instruction":["Write nicely."],"output_schema":{"text":"string"},"expected":[{"path":"/text","contains":"owl"}]}`, `{"text":"an owl"}`, `It does not mention "owl".`, voting.Accept},
		{`{"instruction":["Write nicely."],"output_schema":{}}`, `{"text":"an owl"}`, "The result violates the schema.", voting.Abstain},
		{`{"instruction":["Write nicely."],"output_schema":{"properties":{"x":{"type":"string"}}}}`, `{"text":"an owl"}`, "The result violates the schema.", voting.Accept},
	} {
		if o := disputed(t, c.task, c.result, c.objection, nil); voting.Choice(o.Choice) != c.want {
			t.Errorf("%s: %q: %s, want %s: %s", c.task, c.objection, voting.Choice(o.Choice), c.want, told(o))
		}
	}
}

// TestAttackUndisputedLine: a model that errs, or was talked over, says no to a requirement that
// the creator does not dispute. Before, the result was rejected for it. Now such a no only keeps
// the requirement open.
func TestAttackUndisputedLine(t *testing.T) {
	const task = `{"instruction":["Name the river that flows through Porto.","Keep a friendly tone.","Quote a poet."],"output_schema":{"text":"string"}}`
	const result = `{"text":"The Douro flows through Porto, dear friend"}`
	for _, c := range []struct {
		objection string
		asked     string // of the three
		want      voting.Choice
	}{
		{"The river in Porto is another one.", "123", voting.Abstain},
		{"The tone is cold.", "23", voting.Reject},
		{"The tone is cold. The river is another one.", "123", voting.Reject},
		{"It sounds rude.", "123", voting.Reject},                          // which one is meant is not plain
		{"The result is bad. The river is another.", "123", voting.Reject}, // the first ground may mean all
		{"I object.", "123", voting.Reject},
		{"Der Ton ist kalt.", "123", voting.Reject},
	} {
		m := oracle(func(text, _ string) (word, string) {
			return map[bool]word{true: yes, false: no}[strings.Contains(text, "Name the river")], "The Douro flows"
		})
		o := disputed(t, task, result, c.objection, m)
		asked := ""
		for i := range 3 {
			if strings.Contains(told(o), fmt.Sprintf("instruction/instruction[%d] ", i)) {
				asked += fmt.Sprint(i + 1)
			}
		}
		if voting.Choice(o.Choice) != c.want || asked != c.asked {
			t.Errorf("%q: %s, asked %s; want %s, %s: %s", c.objection, voting.Choice(o.Choice), asked, c.want, c.asked, told(o))
		}
	}
}
