package english

import (
	"strings"
	"testing"
)

// TestParts: these instructions are divided into these demands.
func TestParts(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"Write a poem about an owl.":  "Write a poem about an owl.",
		"Write ten lines about owls.": "Write ten lines about owls.",
		"Write a poem about an owl. It must not mention rain. Sign it with \"A. B.\".": "Write a poem about an owl|It must not mention rain|Sign it with \"A. B.\"",
		"Write a poem\n- Use four lines\n- Do not rhyme":                               "Write a poem|Use four lines|Do not rhyme",
		"Translate the text; Keep the names; Do not add notes":                         "Translate the text|Keep the names|Do not add notes",
		// A sentence that demands nothing stays with the whole.
		"Our shop sells owls. Write a poem about one.":       "Our shop sells owls. Write a poem about one.",
		"We sell owls. Write a poem about one. Add a title.": "We sell owls. Write a poem about one. Add a title.|Write a poem about one|Add a title",
		"Write a poem. The poem is about owls.":              "Write a poem. The poem is about owls.",
		"Write ten lines. They are about owls. Add a title.": "Write ten lines. They are about owls. Add a title.|Add a title",
		// What others must do is no demand on the result. Nor is a statement that begins as an
		// order.
		"Our customers must pay within 30 days. Write a friendly reminder.":        "Our customers must pay within 30 days. Write a friendly reminder.",
		"The invoice must be paid by Friday. Extract its number. Give it as text.": "The invoice must be paid by Friday. Extract its number. Give it as text.|Extract its number|Give it as text",
		"Here is our invoice. It must be paid by Friday. Extract its number.":      "Here is our invoice. It must be paid by Friday. Extract its number.",
		"Users cannot log in since Monday. Write a bug report about it.":           "Users cannot log in since Monday. Write a bug report about it.",
		"The report has at least three mistakes. List one of them.":                "The report has at least three mistakes. List one of them.",
		"Order 4711 is late. Write an apology. Name the new day.":                  "Order 4711 is late. Write an apology. Name the new day.|Write an apology|Name the new day",
		"Write a poem. Each line must rhyme. It should not mention rain.":          "Write a poem|Each line must rhyme|It should not mention rain",
		// These are no sentences of their own.
		"Use names of cities, e.g. Oslo or Rome.":              "Use names of cities, e.g. Oslo or Rome.",
		"Write about Dr. No. Mention the year 1962.":           "Write about Dr. No. Mention the year 1962.",
		"Write version 2. Keep version 1.":                     "Write version 2. Keep version 1.",
		"Write a poem. thanks":                                 "Write a poem. thanks",
		"Write a poem. Thanks":                                 "Write a poem. Thanks",
		"Schreibe ein Gedicht. Es darf keinen Regen erwähnen.": "Schreibe ein Gedicht. Es darf keinen Regen erwähnen.",
		strings.Repeat("Add a line. ", 9):                      strings.Repeat("Add a line. ", 9),
	} {
		if got := strings.Join(Parts(in), "|"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzParts: no text makes more than a few parts, an empty one, or words that are not in it.
func FuzzParts(f *testing.F) {
	f.Add("Write a poem. Use four lines; Do not rhyme!")
	f.Add("Add e.g. 3. Add \"x. Y")
	f.Fuzz(func(t *testing.T, text string) {
		parts := Parts(text)
		if len(parts) < 1 || len(parts) > 9 {
			t.Fatalf("%d parts", len(parts))
		}
		for _, p := range parts {
			if p == text {
				continue
			}
			for _, word := range strings.Fields(p) {
				if !strings.Contains(text, strings.TrimSuffix(word, ".")) {
					t.Errorf("%q is not in %q", word, text)
				}
			}
			if strings.TrimSpace(p) == "" {
				t.Errorf("an empty part of %q", text)
			}
		}
	})
}
