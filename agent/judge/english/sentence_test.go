package english

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ojud/agent/judge/prose"
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
	return Read(doc, nil)
}

// TestUnderstand checks the demands of a sentence on a result: "pass", "fail" or "unknown" for each
// demand, and whether the sentence says no more.
func TestUnderstand(t *testing.T) {
	const text, list = `{"text":"one two three\nfour five"}`, `{"items":["a","b","c"]}`
	for _, c := range []struct {
		sentence, result string
		want             []string
		whole            bool
	}{
		{"Write exactly 2 lines", text, []string{"pass"}, true},
		{"Please write 2 lines", text, []string{"pass"}, true},
		{"You should generate 10 lines of alan walker related content", text, []string{"fail"}, false},
		{"Write two lines about owls", text, []string{"pass"}, false},
		{"Write 1 line", text, []string{"unknown"}, true}, // two may be meant to be fine: it does not say exactly
		{"Write exactly 1 line", text, []string{"fail"}, true},
		{"Return at least 5 words", text, []string{"pass"}, true},
		{"Return at least 6 words", text, []string{"fail"}, true},
		{"Return fewer than 5 words", text, []string{"fail"}, true},
		{"The result must have at most 30 characters", text, []string{"pass"}, true},
		{"The answer should be no more than 10 characters long", text, []string{"fail"}, true},
		{"No more than 280 characters", text, []string{"pass"}, true},
		{"At most 2 lines", text, []string{"pass"}, true},
		{"Keep it under 10 words", text, []string{"pass"}, true},
		{"Make a 2-line poem about owls", text, []string{"pass"}, false},
		{"Write a poem about owls in exactly 2 lines", text, []string{"pass"}, false},
		{"Return exactly 3 items", list, []string{"pass"}, true},
		{"Return a list of 4 items", list, []string{"fail"}, true},
		{"Give 3 lines", list, []string{"pass"}, true}, // a list of three strings
		{"Return 3 items in JSON", list, []string{"pass", "pass"}, true},
		{"Answer in JSON", `"{}"`, []string{"unknown"}, true},
		{`The result must contain "four five"`, text, []string{"pass"}, true},
		{`The result must mention "owl"`, text, []string{"fail"}, true},
		{`Mention Alan Walker`, `"Alan  WALKER sings"`, []string{"pass"}, true},
		{`The text must not contain "owl"`, text, []string{"pass"}, true},
		{`Do not mention "three"`, text, []string{"fail"}, true},
		// Code does not understand these, so it decides nothing.
		{"Write 10 lines or more", text, nil, false},
		{"Write 10 lines max", text, nil, false},
		{"Write 10 lines at most", text, nil, false},
		{"Write between 3 and 5 lines", text, nil, false},
		{"Write 3-5 lines", text, nil, false},
		{"Write 3 lines for each animal", text, nil, false},
		{"Write 3 lines and 2 titles", text, nil, false},
		{"Write 3 lines of 5 words", text, nil, false},
		{"Write about 10 lines", text, nil, false},
		{"Write around 10 words", text, nil, false},
		{"Do not write 10 lines", text, nil, false},
		{"Summarise the 10 lines below", text, nil, false},
		{"Write one line in the first paragraph", text, nil, false},
		{`Mention "owls" or "cats"`, text, nil, false},
		{"Return exactly 3 items", `{"a":[1],"b":[2]}`, []string{"unknown"}, true},
		{"Write exactly 2 lines", `{"title":"x","text":"a\nb"}`, []string{"unknown"}, true},
		{"Write exactly 3 words", `"三个字"`, []string{"unknown"}, true},
		{"Write exactly 3 lines", `"a\n\nb"`, []string{"unknown"}, true}, // a blank line may count or not
		{"Écrivez dix lignes", text, nil, false},
		{"", text, nil, true},
	} {
		demands, whole := Understand(c.sentence)
		var got []string
		for _, d := range demands {
			ok, known, _ := d.Test(readingOf(t, c.result))
			switch {
			case !known:
				got = append(got, "unknown")
			case ok:
				got = append(got, "pass")
			default:
				got = append(got, "fail")
			}
		}
		if !slices.Equal(got, c.want) || whole != c.whole {
			t.Errorf("%q of %s: %v, whole %t; want %v, %t", c.sentence, c.result, got, whole, c.want, c.whole)
		}
	}
}

// The value of a creator's claim.
func TestGroundTruth(t *testing.T) {
	const ten = `{"text":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10"}`
	for _, c := range []struct {
		claim string
		sound bool // the task demands ten lines, and the result has them
		want  Truth
	}{
		{"The result has 7 lines rather than 10", false, False},
		{"The result has only seven lines instead of the required ten lines", false, False},
		{"The result has 7 lines rather than 11", false, CannotTell},
		{"The result has 10 lines rather than 11", false, True},
		{"There are only 7 lines", true, False},
		{"There are only 7 lines", false, CannotTell},
		{"It has fewer than 10 lines", false, False},
		{"It has fewer than 11 lines", false, True},
		{"It contains more than 10 lines", false, False},
		{"The answer does not have 10 lines", false, False},
		{"The answer does not have 12 lines", false, True},
		{"The result has 7 items rather than 10", false, CannotTell},
		{"The result is empty", false, False},
		{"No result was submitted", false, False},
		{"The result isn't valid JSON", false, False},
		{`It does not contain "10"`, false, False},
		{`It does not mention "owl"`, false, True},
		{"It is not ASCII", false, False},
		{`The field "text" is missing`, false, False},
		{`The result lacks the field "title"`, false, True},
		{"The result is a copy of the task", false, False},
		{"The result has 7 lines, which is a shame", false, CannotTell},
		{"The result has 7 lines rather than 10, as a child can see", false, CannotTell},
		{"It is ugly", false, CannotTell},
		{"The result is not empty", false, CannotTell},
	} {
		f := Facts{Reading: readingOf(t, ten), Proven: Proven{Units: map[prose.Unit]bool{prose.UnitLines: c.sound}}}
		if got, found, _ := f.Judge(c.claim); got != c.want {
			t.Errorf("%q: %d (%s), want %d", c.claim, got, found, c.want)
		}
	}
}

func TestReadings(t *testing.T) {
	l := Read("a b\n\nc's é", nil)
	for u, want := range map[prose.Unit]int{prose.UnitLines: 3, prose.UnitWords: 4, prose.UnitBytes: 11, prose.UnitCharacters: 10} {
		if got := l.measure(u); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v, want %d first", u, got, want)
		}
	}
	if got := l.measure(prose.UnitItems); got != nil {
		t.Errorf("items of a text: %v", got)
	}
}

// TestClaims: presence and numbers of fields, and sentences that only look like claims of them.
func TestClaims(t *testing.T) {
	const result = `{"text":"The owl sits","total":12.5,"n":3,"note":"12"}`
	for claim, want := range map[string]Truth{
		`"owl" is missing`: False, `The word "owl" is missing from the result`: False, `"cat" is not mentioned in the text`: True, `The name "OWL" was not included`: False,
		`The field "total" is 13 instead of 12.5`: False, `"total" is 12.5 rather than 13`: True, `The value of "n" was 4, not 3`: False, `"n" is 4 and should be 3.0`: False,
		`"total" is 1 instead of 2`: CannotTell, `"note" is 13 instead of 12`: CannotTell, `"gone" is 1 instead of 2`: CannotTell, `"n" is 3 instead of 3`: CannotTell,
		`"owl" is missing its tail`: CannotTell, `"owl" or "cat" is missing`: CannotTell, `"owl" is not there twice`: CannotTell, `If "owl" is missing`: CannotTell,
		`"owl" is missing in the title`: CannotTell, `"total" is 13 instead of about 12.5`: CannotTell, `"total" is 13 instead of 12.5 euros`: CannotTell, `Nothing in "total" is 13 instead of 12.5`: CannotTell,
		`"total" is not 13 instead of 12.5`: CannotTell, `"total" is 13`: CannotTell, `The sum of "n" is 4 instead of 3`: CannotTell,
	} {
		if got, found, _ := (Facts{Reading: readingOf(t, result)}).Judge(claim); got != want {
			t.Errorf("%s: %d (%s), want %d", claim, got, found, want)
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
	for result, want := range map[string][]string{
		`{"lines":["a","b"]}`: {"a", "b"}, `{"rows":[{"id":1},{"id":2}],"note":"x"}`: {`{"id":1}`, `{"id":2}`}, `{"text":"a\n\nb"}`: {"a", "b"},
		`{"a":["x"],"b":["y"]}`: nil, `{"a":"x","b":"y"}`: nil, `7`: nil,
	} {
		if got := readingOf(t, result).Elements(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", result, got, want)
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
		if got := Sentences(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzInstruction(f *testing.F) {
	for _, s := range []string{"Write exactly 10 lines about Alan Walker.", `It must contain "x". Use at most 280 characters; in JSON`, "The result has 7 lines rather than 10", "a\xffb \u202e. ."} {
		f.Add(s, `{"text":"a\nb"}`)
	}
	f.Fuzz(func(t *testing.T, prose, result string) {
		doc, err := decode(result)
		if err != nil {
			return
		}
		r := Read(doc, nil)
		for _, s := range Sentences(prose) {
			demands, _ := Understand(s)
			for _, d := range demands {
				d.Test(r)
			}
			for _, part := range clauses(s) {
				Facts{Reading: r}.Judge(part)
			}
		}
	})
}
