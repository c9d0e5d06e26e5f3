package english

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile/ground"
)

// decode decodes JSON as the judge does.
func decode(raw string) (doc any, err error) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&doc)
	return doc, err
}

func readingOf(t testing.TB, raw string) Reading {
	t.Helper()
	doc, err := decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return Read(doc)
}

// TestClaim: what code understands of a sentence, and sentences that only look like it.
func TestClaim(t *testing.T) {
	const lines, list, order = `{"text":"a\nb\nc"}`, `{"items":["a","b","c"]}`, `{"total":12.5,"num":3,"note":"12","day":"2026-01-02","ok":true,"deep":{"code":"a7"},"rows":[{"id":1}]}`
	for _, c := range []struct{ sentence, result, want string }{
		{"The result does not match the schema", lines, "schema"}, {"It violates the task's output_schema", lines, "schema"}, {"The answer is invalid against the schema of the task", lines, "schema"},
		{"The result does not pass the expected checks", lines, "expected"}, {"It fails the task's expected checks", lines, "expected"},
		{`The result does not contain "owl"`, lines, "lacks owl"}, {"It omits Alan Walker", lines, "lacks Alan Walker"}, {`The word "owl" is missing from the result`, lines, "lacks owl"},
		{"The result has 2 lines rather than 3", lines, "/text lines 3 2"}, {"There are only two lines instead of the required three lines", lines, "/text lines 3 2"}, {"It does not have 3 lines", lines, "/text lines 3"},
		{"The result has 2 items instead of 3", list, "/items count 3 2"}, {"It has 2 lines instead of 3", list, "/items count 3 2"}, {"It does not contain 3 entries", list, "/items count 3"},
		{`The result lacks the field "title"`, lines, "/title missing"}, {`The key "a/b" is missing`, lines, "/a~1b missing"},
		{"total should be 13", order, "/total value 13"}, {"total is 12.5 instead of 13", order, "/total value 13 12.5"}, {"The field \"num\" is 3 and should be 4", order, "/num value 4 3"},
		{"the right num is 4", order, "/num value 4"}, {"num should be 4, not 3", order, "/num value 4 3"}, {"num must be 4 instead of 3", order, "/num value 4 3"}, {"note should be 13", order, `/note value "13"`},
		{"day should be 2026-01-03", order, `/day value "2026-01-03"`}, {"ok should be false", order, "/ok value false"}, {`code is "a7" instead of "a8"`, order, `/deep/code value "a8" "a7"`}, {"total should be 13.50", order, "/total value 13.5"},
		// Of these, a part is not understood.
		{"The result does not match the schema, because it is about dogs", lines, ""}, {"Nobody says that the result does not match the schema", lines, ""}, {"The summary does not match the schema", lines, ""},
		{`The summary does not mention "Paris"`, lines, ""}, {`It does not contain "owl" or "cat"`, lines, ""}, {`It does not contain "owl" twice`, lines, ""}, {`If "owl" is missing`, lines, ""}, {`"owl" is missing in the title`, lines, ""},
		{"The result has 2 lines rather than 3, if you count them", lines, ""}, {"The result has 2 lines", lines, ""}, {"The poem has 2 lines rather than 3", lines, ""}, {"It has 2 lines rather than 3 items", lines, ""},
		{"It has 2 words rather than 3", lines, ""}, {"It has about 2 lines rather than 3", lines, ""}, {"It has 2 lines rather than 3", `{"a":"x","b":"y"}`, ""}, {"It has 2 lines rather than 3", `{"text":"a\n\nb"}`, ""},
		{"It has 2 items rather than 3", `{"a":[1],"b":[2]}`, ""}, {"It has 2 lines instead of 3", `{"rows":[{"a":"x"},{"a":"y"}]}`, ""},
		{"num is 4", order, ""}, {"num is 3, not 4", order, ""}, {"num should be 4 and should be 5", order, ""}, {"num should be about 4", order, ""}, {"num should be 4 euros", order, ""}, {"gone should be 4", order, ""}, {"id should be 4", order, ""},
		{"text is rude", lines, ""}, {"The sum of num should be 4", order, ""}, {"num should not be 4", order, ""}, {"num should be \"4\"x", order, ""}, {"num should be 1,234", order, ""}, {"Either num should be 4", order, ""},
		{"The result is empty", lines, ""}, {"It is not ASCII", lines, ""}, {"It is a copy of the task", lines, ""}, {"It is ugly", lines, ""}, {"Es hat 2 Zeilen statt 3", lines, ""}, {"", lines, ""},
	} {
		claim, ok := readingOf(t, c.result).Claim(c.sentence)
		got := ""
		switch {
		case claim.Ground != nil:
			got = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", claim.Ground.Pointer, claim.Ground.Kind, claim.Ground.Expected, claim.Ground.Found))
			got = strings.Join(strings.Fields(got), " ")
		case claim.Schema:
			got = "schema"
		case claim.Expected:
			got = "expected"
		case claim.Lacks != "":
			got = "lacks " + claim.Lacks
		}
		if got != c.want && (ok || c.want != "") || ok != (c.want != "") {
			t.Errorf("%q of %s: %q, %t; want %q", c.sentence, c.result, got, ok, c.want)
		}
	}
}

// TestGrounds: an objection is split where each part is understood. Nothing that may say something
// of the result is left out.
func TestGrounds(t *testing.T) {
	for reason, want := range map[string][]string{
		"Hello. I object. The result has 2 lines rather than 3 and does not match the schema. Please refund me. Regards": {"The result has 2 lines rather than 3", "it does not match the schema"},
		"The result does not match the schema. I want a refund because it is about dogs.":                                {"The result does not match the schema", "I want a refund because it is about dogs"},
		"The result does not match the schema and is rude":                                                               {"The result does not match the schema and is rude"},
		"Please reject it, as both lines are about dogs. This is not acceptable.":                                        {"Please reject it, as both lines are about dogs", "This is not acceptable"},
	} {
		if got := Grounds(reason); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}

// TestContains: disguises do not hide a text, and a part of a longer word is none.
func TestContains(t *testing.T) {
	for text, want := range map[string]Truth{`an Owl.`: True, "an o\u200bwl": True, "an ｏｗｌ": True, `a fowl`: CannotTell, `a cat`: False} {
		if got := Read(text).Contains("owl"); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestUniversal: demands about each of several things, and demands about one.
func TestUniversal(t *testing.T) {
	for text, want := range map[string]bool{
		"Generate 10 lines of Alan Walker related content": true, "Write ten lines about the Douro.": true, "List 3 short items.": true, "Every id of the input must be there": true,
		"All names are spelled out.": true, "Each line rhymes": true, "None of the lines is a copy": true, "Write a 10-line poem": true, "Translate both texts": true,
		"Write a poem about an owl.": false, "Write one line about owls.": false, "Say which ferry leaves first.": false, "Return the total.": false, "Use 500 words.": false, "That is all.": false,
	} {
		if got := Universal(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestPlural: demands that may be about each of several things, and others.
func TestPlural(t *testing.T) {
	for text, want := range map[string]bool{
		"Name ten rivers of Portugal.": true, "List 10 Portuguese rivers.": true, "List the rivers of Portugal.": true, "Ten names, and only rivers of Portugal.": true,
		"Do not name anything but rivers of Portugal.": true, "Only rivers are allowed.": true, "Write 10 facts about Portugal.": true, "The list has Portuguese rivers, nothing else.": true,
		"Name a river of Portugal per row.": true, "Translate the segments.": true, "Summarize the reviews one by one.": true, "Answer the questions.": true, "Give three reasons.": true,
		"Use 500 words.": false, "Write one river.": false, "Keep a friendly tone.": false, "Return the total.": false, "Use 1 source.": false,
		"Translate the text.": false, "It must rhyme.": false, "Answer within 20 minutes.": false, "Describe the product in two sentences.": false,
	} {
		if got := Plural(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestElements: what a result is made of, and whether nothing else can be meant.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		result string
		want   []string
		sure   bool
	}{
		{`{"lines":["a","b"]}`, []string{"a", "b"}, true}, {`{"rows":[{"id":1},{"id":2}],"title":"x"}`, []string{`{"id":1}`, `{"id":2}`}, true}, {`{"text":"a\n\nb"}`, []string{"a", "b"}, true},
		{`{"lines":["a","b"],"notes":[]}`, []string{"a", "b"}, true}, {`{"lines":["a","b"],"extra":["x","y","z"]}`, []string{"a", "b"}, true}, {`{"lines":["a","b"],"notes":["x","y"]}`, []string{"a", "b", "x", "y"}, false},
		{`{"lines":[["a","b"]]}`, []string{"a", "b"}, true}, {`{"lines":["a\nb"]}`, []string{"a", "b"}, true}, {`{"lines":[["x"],"a"]}`, []string{`["x"]`, "a"}, true},
		{`{"a":"x","b":"y","n":7}`, []string{"x", "y"}, true}, {`{"a":["x"],"b":["y"]}`, []string{"x", "y"}, true}, {`7`, nil, true}, {`[]`, nil, true},
	} {
		got, sure := readingOf(t, c.result).Elements(func(path []string) bool { return path[0] != "extra" })
		if len(got) != len(c.want) || len(got) > 0 && !slices.Equal(got, c.want) || sure != c.sure {
			t.Errorf("%s: %q, %t; want %q, %t", c.result, got, sure, c.want, c.sure)
		}
	}
}

// TestTouches: sentences are about the same if they share a word that says something.
func TestTouches(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Name the rivers.", "The river is missing.", true},
		{"Return the total in euros", "It is in dollars, not in Euro.", true},
		{"Give the id of each order", "The ids of two orders are wrong", true},
		{"Cite 3 sources", "It has 3 paragraphs", true},
		{"Write ten lines about owls.", "The lines of the result are bad.", false},
		{"Keep a friendly tone.", "It sounds rude.", false},
		{"Please write what I want", "You did not write what I want", false},
		{"Schreibe über Eulen", "The owls are missing", false},
		{"", "x", false},
	} {
		if got := Touches(Subjects(c.a), Subjects(c.b)); got != c.want {
			t.Errorf("%q and %q: %t; %v, %v", c.a, c.b, got, Subjects(c.a), Subjects(c.b))
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"One. Two! Three? Four; five", []string{"One", "Two", "Three", "Four", "five"}},
		{"Pay 3.5 lamports.\nNow", []string{"Pay 3.5 lamports", "Now"}},
		{`Say "a. b. c" twice. Then stop`, []string{`Say "a. b. c" twice`, "Then stop"}},
		{" .\n. \n", nil},
		{"", nil},
	} {
		if got := sentences(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzClaim: any sentence about any result is a claim about a place that a pointer can name, or
// none.
func FuzzClaim(f *testing.F) {
	for _, s := range []string{"The result has 7 lines rather than 10", `The key "a/b" is missing. n should be 4`, "a\xffb \u202e. .", `n is "x" instead of "y"`} {
		f.Add(s, `{"text":"a\nb","n":"x"}`)
	}
	f.Fuzz(func(t *testing.T, prose, result string) {
		doc, err := decode(result)
		if err != nil {
			return
		}
		r := Read(doc)
		for _, s := range Grounds(prose) {
			if claim, ok := r.Claim(s); ok && claim.Ground != nil {
				if field, problem := ground.Check([]ground.Ground{*claim.Ground}); problem != "" {
					t.Errorf("%q: %s %s", s, field, problem)
				}
			}
		}
	})
}
