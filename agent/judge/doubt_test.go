package judge_test

import (
	"context"
	"encoding/json"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/voting"
)

// These are plain words that seem to name a count. The judge never rejects a result that a person
// could call right, and never accepts, for want of doubt, one that a person could call wrong: the
// creator's only ground is one that a count of the whole result refutes.
func TestPlainWords(t *testing.T) {
	const (
		poem   = "Title\n\none\ntwo\nthree"
		story  = "Ann met Bob. Cid saw them and laughed."
		meant  = "hat: for the head\nbat: an animal"
		twelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"
	)
	for _, c := range []struct {
		instruction, text, objection string
		want                         voting.Choice
	}{
		{"Write exactly 12 lines.", twelve, "The result has 11 lines rather than 12.", voting.Accept},
		{"Write exactly 12 lines.", twelve + "\n13", "It is bad.", voting.Reject},
		{"Write exactly twelve lines about the sea.", "1\n2\n3", "It is bad.", voting.Reject},
		// Code does not count these units.
		{"Write three sentences about owls.", "Owls fly.", "It is short.", voting.Abstain},
		{"Write exactly three sentences.", "Owls fly. They see. They hoot.", "It has 2 sentences rather than 3.", voting.Abstain},
		{"Write 3 paragraphs.", "a", "It has one paragraph.", voting.Abstain},
		{"Write three sentences with exactly 2 words", "Owls fly. They see. They hoot.", "x", voting.Abstain},
		{"Write sentences with at most 3 words", "Owls fly now. They see me. They hoot too.", "x", voting.Abstain},
		{"Make a list of sentences with at most 3 words", "Owls fly now. They see me. They hoot too.", "x", voting.Abstain},
		// Persons, strokes, and things that come in lines.
		{"Write a story with exactly 3 characters", story, "x", voting.Abstain},
		{"Create exactly 25 characters for a fantasy game", story, "x", voting.Abstain},
		{"The story must have at most 3 characters.", story, "x", voting.Abstain},
		{"Write a story.", story, "The story has fewer than 2 characters.", voting.Abstain},
		{"Draw exactly 3 lines.", "| | |", "x", voting.Abstain},
		{"List exactly 3 lines of the Paris metro.", "1, 4, 14", "x", voting.Abstain},
		{"List exactly 2 words with their meanings.", meant, "x", voting.Abstain},
		{"Write exactly 2 words and explain them.", meant, "x", voting.Abstain},
		{"Give exactly 2 words.", "1. hat\n2. bat", "x", voting.Abstain},
		// The task asks for more than the counted text.
		{"Write a poem about owls. It must have exactly 3 lines. Add a title.", poem, "x", voting.Abstain},
		{"Write exactly 3 lines. Sign it.", "a\nb\nc\nAnn", "x", voting.Abstain},
		{"Write exactly 4 lines. Start with a title.", "Title\na\nb\nc", "The poem has 3 lines rather than 4.", voting.Abstain},
		{"Write exactly 9 lines. Add a title.", poem, "x", voting.Reject}, // too few even with the title
		// Texts.
		{`The result must contain "owl".`, "a fowl", "x", voting.Abstain},
		{`The result must contain "owl".`, "an Owl.", `The result does not contain "owl".`, voting.Accept},
		{`The result must not contain "cat".`, "a category", "x", voting.Abstain},
		{`The result must not contain "cat".`, "a cat", "x", voting.Reject},
		{"Include References", "See [1].", "x", voting.Abstain},
		{"Mention Alan Walker", "Nobody.", "x", voting.Abstain},
		{"Mention Alan Walker", "It is by Alan Walker.", "It does not mention Alan Walker.", voting.Accept},
		{"Put JSON into the text.", `{"a":`, "The result is not valid JSON.", voting.Abstain},
	} {
		marshal := func(v any) string {
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		task := casefile.Task{Instruction: []string{c.instruction}, OutputSchema: json.RawMessage(`{"text":"string"}`)}
		b := judgetest.Brief(t, judgetest.Papers{
			Task: marshal(task), Result: marshal(map[string]string{"text": c.text}),
			Objection: marshal(casefile.Objection{Reason: c.objection}), Counter: marshal(casefile.Objection{Reason: "It is right."}),
		})
		o, err := judge.NewCode(judge.DefaultLimits()).Evaluate(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != c.want {
			t.Errorf("%q, result %q, objection %q: %s, want %s: %s", c.instruction, c.text, c.objection, voting.Choice(o.Choice), c.want, o.Summary)
		}
	}
}
