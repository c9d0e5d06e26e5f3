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

// alone matches an item about one demand of an instruction.
var alone = regexp.MustCompile(`(?m)^(I\d+)\n(?:\| .*\n)+of it, decide this demand alone:\n\| (.*)\n(?:of the result, element \d+ of \d+:\n\| (.*)\n)?`)

// TestDemands: each demand of an instruction is asked about alone, so that a model that says yes to
// all of it when most of it is met is asked about the rest, too. All seats ask alike, because code
// makes the questions from the task.
func TestDemands(t *testing.T) {
	const poem = `{"instruction":["Write a poem about an owl. Mention the oak. Do not mention rain."],"output_schema":{"text":"string"}}`
	const lines = `{"instruction":["Write ten lines about the Douro. Name the source. Do not mention rain."],"output_schema":{"lines":["string"]}}`
	const owl = `{"text":"The owl sits in the old oak"}`
	for name, c := range map[string]struct {
		task, result string
		says         func(demand, element string, n int) (word, string)
		items        int // in the first prompt
		want         voting.Choice
		text         string
	}{
		"all are met": {poem, owl, func(string, string, int) (word, string) { return yes, "The owl sits" }, 3, voting.Accept, "each of 3 demands; the last: "},
		"one is not": {poem, owl, func(demand, _ string, _ int) (word, string) {
			return map[bool]word{true: no, false: yes}[strings.HasPrefix(demand, "Do not")], "The owl sits"
		}, 3, voting.Reject, `not met (4 of 4 samples): "Do not mention rain": because`},
		"one is not, by 3 of 4": {poem, owl, func(demand, _ string, n int) (word, string) {
			return map[bool]word{true: no, false: yes}[n > 0 && strings.HasPrefix(demand, "Do not")], "The owl sits"
		}, 3, voting.Abstain, `open, not all samples agree (3 of 4 samples): "Do not mention rain": because`},
		"one is about each element": {lines, rivers(10), func(_, element string, _ int) (word, string) { return yes, element + "The Douro is river number 1" }, 12, voting.Abstain, "element 1 of 10"},
		"each element is right": {lines, rivers(10), func(_, element string, _ int) (word, string) {
			return yes, map[bool]string{true: element, false: "The Douro is river number 1"}[element != ""]
		}, 12, voting.Accept, "each of 13 demands; the last: "},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fake{answer: func(p agent.Prompt, n int) (string, error) {
				var items []any
				for _, g := range alone.FindAllStringSubmatch(p.Messages[0].Text, -1) {
					met, quote := c.says(g[2], g[3], n)
					items = append(items, map[string]any{"id": g[1], "reason": "because", "evidence": []string{quote}, "met": met})
				}
				raw, err := json.Marshal(map[string]any{"items": items})
				return string(raw), err
			}}
			o := evaluate(t, m, DefaultReasoning(), c.task, c.result)
			if asked := len(alone.FindAllString(m.prompts[0].Messages[0].Text, -1)); voting.Choice(o.Choice) != c.want || asked != c.items || !strings.Contains(told(o), c.text) {
				t.Errorf("%s after %d items: %s", voting.Choice(o.Choice), asked, told(o))
			}
		})
	}
	// If the demands are too many for what a judge asks, the instruction is asked about as a whole.
	for most, want := range map[int]string{3: "[Write a poem about an owl Mention the oak Do not mention rain]", 2: "[]"} {
		cfg := DefaultReasoning()
		cfg.Items = most
		m := &fake{answer: always(say(yes, "The owl sits"))}
		evaluate(t, m, cfg, poem, owl)
		var parts []string
		for _, g := range alone.FindAllStringSubmatch(m.prompts[0].Messages[0].Text, -1) {
			parts = append(parts, g[2])
		}
		if got := fmt.Sprint(parts); got != want {
			t.Errorf("%d: %s", most, got)
		}
	}
}
