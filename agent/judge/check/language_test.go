package check_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile/demand"
)

// passages are texts of which the language is known, written for this test.
func passages(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, lang := range demand.Languages() {
		raw, err := os.ReadFile(filepath.Join("testdata", "languages", lang+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		out[lang] = strings.Split(strings.TrimSpace(string(raw)), "\n\n")
	}
	return out
}

// inLanguage makes the demand on a text.
func inLanguage(text, lang string) error {
	_, err := check.Make(demand.Demands{Language: &lang}, text, check.Papers{})
	return err
}

// TestLanguages: on pieces of 3 words to whole passages, in 29 languages, each demanded of each,
// code is never wrong. Whole passages it can tell, but for pairs that have most words in common.
func TestLanguages(t *testing.T) {
	all := passages(t)
	tell := check.Lexicon()
	told, tried := map[int]int{}, map[int]int{}
	for lang, texts := range all {
		for _, text := range texts {
			words := strings.Fields(text)
			for _, size := range []int{3, 8, 15, 30, 50, 1000} {
				for from := 0; from == 0 || from+size <= len(words); from += max(2, size/4) {
					piece := strings.Join(words[from:min(len(words), from+size)], " ")
					for _, want := range demand.Languages() {
						err := tell(piece, want)
						tried[size]++
						if errors.Is(err, check.ErrCannotTell) {
							continue
						}
						if told[size]++; (err == nil) != (lang == want) {
							t.Errorf("%q is %s, and of %s code says %v", piece, lang, want, err)
						}
					}
				}
			}
			if err := inLanguage(text, lang); err != nil && lang != "da" && lang != "nb" {
				t.Errorf("%s: %v", lang, err)
			}
		}
	}
	for _, size := range []int{3, 8, 15, 30, 50, 1000} {
		t.Logf("pieces of %d words: told in %d of %d questions", size, told[size], tried[size])
	}
	if told[1000]*10 < tried[1000]*9 {
		t.Errorf("of whole passages code tells %d of %d", told[1000], tried[1000])
	}
}

// TestLanguage: mixed and hostile texts.
func TestLanguage(t *testing.T) {
	all := passages(t)
	en, fr, ja := all["en"][0], all["fr"][0], all["ja"][0]
	for _, c := range []struct{ text, lang, want string }{
		{en + "\n" + fr, "fr", unknown},
		{fr + ` Il s'appelle "The Wall of the Harbour and the Sea".`, "fr", met},
		{en, "fr", `is in another language: of`},
		{en, "ja", "only 0 of them are of the script"},
		{ja, "zh", unknown},
		{strings.ReplaceAll(en, " ", ""), "en", unknown},
		{strings.Repeat("7 ", 200), "en", unknown},
		{strings.Repeat("zxq ", 200), "en", unknown},
		{strings.Repeat("the ", 200), "fr", "is in another language"},
		{strings.Repeat("`if the of and to in` ", 40) + fr, "fr", met},
		{strings.Repeat("https://the.of/and/to ", 40) + fr, "fr", met},
		{"", "en", unknown},
	} {
		say(t, c.lang+" of "+c.text[:min(len(c.text), 60)], c.want, "it", inLanguage(c.text, c.lang))
	}
	raw, err := json.Marshal([]string{fr, en})
	if err != nil {
		t.Fatal(err)
	}
	table(t, []row{
		{`"language":"fr"`, string(raw), unknown},
		{`"each":"","language":"fr"`, string(raw), "item 1 is in another language"},
		{`"each":"","language":"fr"`, `[]`, unknown},
	})
}
