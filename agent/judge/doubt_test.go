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

// These are instructions that seem to demand something that code can see, and objections that seem
// to say that it is missing. Code alone neither rejects nor pays by such words, right or wrong, as
// long as no schema and no check of the task says the same.
func TestPlainWords(t *testing.T) {
	const (
		poem   = "Title\n\none\ntwo\nthree"
		story  = "Ann met Bob. Cid saw them and laughed."
		meant  = "hat: for the head\nbat: an animal"
		twelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"
	)
	for _, c := range []struct{ instruction, text, objection string }{
		{"Write exactly 12 lines.", twelve, "The result has 11 lines rather than 12."},
		{"Write exactly 12 lines.", twelve + "\n13", "It is bad."},
		{"Write exactly twelve lines about the sea.", "1\n2\n3", "It is bad."},
		// Code does not count these units.
		{"Write three sentences about owls.", "Owls fly.", "It is short."},
		{"Write exactly three sentences.", "Owls fly. They see. They hoot.", "It has 2 sentences rather than 3."},
		{"Write 3 paragraphs.", "a", "It has one paragraph."},
		{"Write three sentences with exactly 2 words", "Owls fly. They see. They hoot.", "x"},
		{"Write sentences with at most 3 words", "Owls fly now. They see me. They hoot too.", "x"},
		{"Make a list of sentences with at most 3 words", "Owls fly now. They see me. They hoot too.", "x"},
		// Persons, strokes, and things that come in lines.
		{"Write a story with exactly 3 characters", story, "x"},
		{"Create exactly 25 characters for a fantasy game", story, "x"},
		{"The story must have at most 3 characters.", story, "x"},
		{"Write a story.", story, "The story has fewer than 2 characters."},
		{"Draw exactly 3 lines.", "| | |", "x"},
		{"List exactly 3 lines of the Paris metro.", "1, 4, 14", "x"},
		{"List exactly 2 words with their meanings.", meant, "x"},
		{"Write exactly 2 words and explain them.", meant, "x"},
		{"Give exactly 2 words.", "1. hat\n2. bat", "x"},
		// The task asks for more than the counted text.
		{"Write a poem about owls. It must have exactly 3 lines. Add a title.", poem, "x"},
		{"Write exactly 3 lines. Sign it.", "a\nb\nc\nAnn", "x"},
		{"Write exactly 4 lines. Start with a title.", "Title\na\nb\nc", "The poem has 3 lines rather than 4."},
		{"Write exactly 9 lines. Add a title.", poem, "x"}, // too few even with the title
		// Texts.
		{`The result must contain "owl".`, "a fowl", "x"},
		{`The result must contain "owl".`, "an Owl.", `The result does not contain "owl".`},
		{`The result must not contain "cat".`, "a category", "x"},
		{`The result must not contain "cat".`, "a cat", "x"},
		{"Include References", "See [1].", "x"},
		{"Mention Alan Walker", "Nobody.", "x"},
		{"Mention Alan Walker", "It is by Alan Walker.", "It does not mention Alan Walker."},
		{"Put JSON into the text.", `{"a":`, "The result is not valid JSON."},
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
		o, err := judge.Shared.Evaluate(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != voting.Abstain {
			t.Errorf("%q, result %q, objection %q: %s: %s", c.instruction, c.text, c.objection, voting.Choice(o.Choice), o.Summary)
		}
	}
}
