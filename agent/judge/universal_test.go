package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ojud/agent"
	"ojud/voting"
)

const ten = `{"instruction":["Write ten lines about the Douro."],"output_schema":{"lines":["string"]}}`

// rivers returns a result of ten lines, of which the first n are about the Douro.
func rivers(n int) string {
	lines := make([]string, 10)
	for i := range lines {
		lines[i] = fmt.Sprintf("The Douro is river number %d", i+1)
		if i >= n {
			lines[i] = fmt.Sprintf("The Nile is river number %d", i+1)
		}
	}
	raw, err := json.Marshal(map[string]any{"lines": lines})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// asked matches an item about an element.
var asked = regexp.MustCompile(`(?m)^(I\d+)\n\| .*\nof the result, element (\d+) of (\d+):\n\| (.*)$`)

// together matches an item about all elements.
var together = regexp.MustCompile(`(?m)^(I\d+)\n(?:\| .*\n)+of the whole result, `)

// each answers each item about an element by what a function says of it, and yes to the whole.
func each(says func(n int, element string) (met word, quote string)) func(agent.Prompt, int) (string, error) {
	return func(p agent.Prompt, n int) (string, error) {
		var items []any
		found := asked.FindAllStringSubmatch(p.Messages[0].Text, -1)
		for _, g := range together.FindAllStringSubmatch(p.Messages[0].Text, -1) {
			quote := "The Douro is river number 1"
			if len(found) > 0 {
				quote = found[0][4]
			}
			items = append(items, map[string]any{"id": g[1], "reason": "because", "evidence": []string{quote}, "met": yes})
		}
		for _, g := range found {
			met, quote := says(n, g[4])
			items = append(items, map[string]any{"id": g[1], "reason": "because", "evidence": []string{quote}, "met": met})
		}
		raw, err := json.Marshal(map[string]any{"items": items})
		return string(raw), err
	}
}

// TestAttackUniversalByOneQuote: a model that was talked over says that ten lines are about the
// Douro and quotes the one that is. Before, that was met, and the worker was paid for nine lines
// about the Nile. Now each line is asked about, and is proved by words of its own.
func TestAttackUniversalByOneQuote(t *testing.T) {
	honest := func(_ int, element string) (word, string) {
		if strings.Contains(element, "Douro") {
			return yes, element
		}
		return no, element
	}
	for name, c := range map[string]struct {
		result string
		says   func(n int, element string) (word, string)
		want   voting.Choice
	}{
		"one quote for all":         {rivers(1), func(int, string) (word, string) { return yes, "The Douro is river number 1" }, voting.Abstain},
		"words that all lines have": {rivers(1), func(int, string) (word, string) { return yes, "is" }, voting.Abstain},
		"honest, all right":         {rivers(10), honest, voting.Accept},
		"honest, one wrong":         {rivers(9), honest, voting.Reject},
		"one element wrong, by 3 of 4": {rivers(10), func(n int, e string) (word, string) {
			return map[bool]word{true: no, false: yes}[n > 0 && strings.HasSuffix(e, " 4")], e
		}, voting.Abstain},
		"refuses one with another's words": {rivers(10), func(_ int, e string) (word, string) { return no, "The Douro is river number 11" }, voting.Abstain},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fake{answer: each(c.says)}
			o := evaluate(t, m, DefaultReasoning(), ten, c.result)
			if voting.Choice(o.Choice) != c.want || len(m.prompts) != 4 || len(asked.FindAllString(m.prompts[0].Messages[0].Text, -1)) != 10 {
				t.Errorf("%s after %d calls: %s", voting.Choice(o.Choice), len(m.prompts), told(o))
			}
		})
	}
	// If there are more elements than the judge asks about, a yes to the whole leaves it open.
	cfg := DefaultReasoning()
	cfg.Items = 9
	m := &fake{answer: each(honest)}
	if o := evaluate(t, m, cfg, ten, rivers(10)); voting.Choice(o.Choice) != voting.Abstain || len(m.prompts) != 4 || !strings.Contains(told(o), "too many elements to ask about each (4 of 4") {
		t.Errorf("%s after %d calls: %s", voting.Choice(o.Choice), len(m.prompts), told(o))
	}
	// Values of an object are asked about one by one, too: three quotes are not enough for ten.
	const all = `{"instruction":["All names are spelled out."],"output_schema":{"a":"string","b":"string","c":"string"}}`
	const names = `{"a":"Johannes Kepler","b":"Tycho Brahe","c":"Galileo Galilei"}`
	for quote, want := range map[string]voting.Choice{"Johannes Kepler": voting.Abstain, "": voting.Accept} {
		m := &fake{answer: each(func(_ int, element string) (word, string) { return yes, cmp.Or(quote, element) })}
		if o := evaluate(t, m, DefaultReasoning(), all, names); voting.Choice(o.Choice) != want {
			t.Errorf("%q: %s: %s", quote, voting.Choice(o.Choice), told(o))
		}
	}
}

// TestItemTwice: a small model names one item twice and forgets another. The whole answer was
// thrown away. Now its other items count, and what it forgot stays open.
func TestItemTwice(t *testing.T) {
	// twice names the second element in place of the first, and says of each what says does.
	twice := func(says func(element string) word) func(agent.Prompt, int) (string, error) {
		return func(p agent.Prompt, _ int) (string, error) {
			found := asked.FindAllStringSubmatch(p.Messages[0].Text, -1)
			found[0] = found[1]
			var items []any
			for _, g := range found {
				items = append(items, map[string]any{"id": g[1], "reason": "because", "evidence": []string{g[4]}, "met": says(g[4])})
			}
			raw, err := json.Marshal(map[string]any{"items": items})
			return string(raw), err
		}
	}
	for name, c := range map[string]struct {
		says func(element string) word
		want voting.Choice
		text string
	}{
		"the others are met":      {func(string) word { return yes }, voting.Abstain, "gave no answer that can be used"},
		"one of the others fails": {func(e string) word { return map[bool]word{true: no, false: yes}[strings.HasSuffix(e, " 4")] }, voting.Reject, "element 4 of 10"},
		"one of the others is open": {func(e string) word { return map[bool]word{true: unclear, false: yes}[strings.HasSuffix(e, " 4")] }, voting.Abstain,
			"element 4 of 10"},
	} {
		t.Run(name, func(t *testing.T) {
			o := evaluate(t, &fake{answer: twice(c.says)}, DefaultReasoning(), ten, rivers(10))
			if voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.text) || strings.Contains(told(o), "answer cannot be used") {
				t.Errorf("%s: %s", voting.Choice(o.Choice), told(o))
			}
		})
	}
}

// TestAttackExtraMember: a worker adds a member or nests its lines, so that code does not know what
// the ten lines are, and one item with three quotes stood for all of them: 3 of 10 lines about the
// Douro were paid. Now members that the schema does not name are no elements, and if it is not
// clear which elements are meant, each must be right, and none rejects.
func TestAttackExtraMember(t *testing.T) {
	const open = `{"instruction":["Write ten lines about the Douro."],"output_schema":{"type":"object","properties":{"lines":{"type":"array"}},"required":["lines"]}}`
	const sources = `{"instruction":["Write ten lines about the Douro."],"output_schema":{"lines":["any"],"sources":["string"]}}`
	const titled = `{"instruction":["Write ten lines about the Douro, with a title."],"output_schema":{"text":"any"}}`
	const single = `{"instruction":["Write ten lines about the Douro."],"output_schema":{"text":"any"}}`
	believer := each(func(int, string) (word, string) { return yes, "The Douro is river number 1" })
	honest := each(func(_ int, element string) (word, string) {
		return map[bool]word{true: yes, false: no}[strings.Contains(element, "Douro")], element
	})
	lines := func(n int) string { return strings.TrimSuffix(strings.TrimPrefix(rivers(n), `{"lines":`), "}") }
	text := func(n int) string {
		var list []string
		if err := json.Unmarshal([]byte(lines(n)), &list); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal("Rivers\n" + strings.Join(list, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, c := range map[string]struct {
		task, result string
		answer       func(agent.Prompt, int) (string, error)
		want         voting.Choice
		items        int
	}{
		"as asked, and a believer":             {open, `{"lines":` + lines(3) + `}`, believer, voting.Abstain, 10},
		"an empty list":                        {open, `{"lines":` + lines(3) + `,"notes":[]}`, believer, voting.Abstain, 10},
		"an object with an empty list":         {open, `{"lines":` + lines(3) + `,"notes":{"a":[]}}`, believer, voting.Abstain, 10},
		"a longer list that is right":          {open, `{"lines":` + lines(3) + `,"notes":["The Douro","The Douro","The Douro"]}`, honest, voting.Reject, 10},
		"all lines in one item":                {open, `{"lines":[` + lines(3) + `]}`, believer, voting.Abstain, 10},
		"an item that is a list":               {open, `{"lines":[["x"],` + lines(3)[1:] + `}`, believer, voting.Abstain, 11},
		"sources that the schema has, no lie":  {sources, `{"lines":` + lines(10) + `,"sources":["a.example","b.example"]}`, honest, voting.Abstain, 12},
		"sources, and too few lines are right": {sources, `{"lines":` + lines(3) + `,"sources":["The Douro","The Douro again"]}`, honest, voting.Abstain, 12},
		"sources, and all is right":            {sources, `{"lines":` + lines(10) + `,"sources":["The Douro","The Douro again"]}`, honest, voting.Accept, 12},
		"a title above the lines":              {titled, `{"text":` + text(10) + `}`, honest, voting.Abstain, 11},
		"lines of a text":                      {single, `{"text":` + text(10) + `}`, believer, voting.Abstain, 11},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fake{answer: c.answer}
			o := evaluate(t, m, DefaultReasoning(), c.task, c.result)
			items := 0 // in all samples
			for _, p := range m.prompts {
				items += len(asked.FindAllString(p.Messages[0].Text, -1))
			}
			if items /= DefaultReasoning().Samples; voting.Choice(o.Choice) != c.want || items != c.items {
				t.Errorf("%s, %d elements: %s", voting.Choice(o.Choice), items, told(o))
			}
		})
	}
}

// TestAttackQuoteBesideTheResult: words of the input, or words that stand everywhere, are no
// evidence, although they stand in the material.
func TestAttackQuoteBesideTheResult(t *testing.T) {
	const task = `{"instruction":["Write a poem about the bird of the input."],"input_data":["A barn owl of the valley, which is what it is"],"output_schema":{"text":"string"}}`
	const owl = `{"text":"The owl sits in the oak of which it is the one"}`
	for quote, want := range map[string]voting.Choice{
		"A barn owl of the valley": voting.Abstain, "of which it is the one": voting.Abstain, "which is what it is": voting.Abstain, "The owl sits": voting.Accept,
	} {
		m := &fake{answer: always(say(yes, quote))}
		if o := evaluate(t, m, DefaultReasoning(), task, owl); voting.Choice(o.Choice) != want {
			t.Errorf("%q: %s: %s", quote, voting.Choice(o.Choice), told(o))
		}
	}
}

// TestCommonPrefix: what the questions of an evaluation have in common comes first, so that a
// server reads it once. Before, each call began with marks of its own.
func TestCommonPrefix(t *testing.T) {
	const long = `{"instruction":["Write a poem about an owl."],"output_schema":{"text":"string"}}`
	m := &fake{answer: always(say(unclear))}
	j, err := NewReasoner(Shared, DefaultReasoning(), ReasonerDeps{Model: func() agent.Model { return m }})
	if err != nil {
		t.Fatal(err)
	}
	b := dataBrief(t, long, `{"text":"`+strings.Repeat("The owl sits in the oak. ", 40)+`"}`, NoSources{})
	b.Counter = b.Objection
	if _, err := j.Evaluate(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	text := func(i int) string { return m.prompts[i].System + m.prompts[i].Messages[0].Text }
	first := text(0)
	for i := 1; i < len(m.prompts); i++ {
		same := 0
		for same < len(first) && same < len(text(i)) && first[same] == text(i)[same] {
			same++
		}
		if share := 100 * same / len(text(i)); share < 85 || i%2 == 0 && share != 100 {
			t.Errorf("of sample %d %d %% are as in the first", i+1, share)
		}
	}
}
