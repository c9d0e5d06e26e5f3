package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ojud/casefile/demand"
)

// language: a text is in the language if it has many common words of it, and few of any other. It
// is not if that is so of another language, or if nearly none of its letters belong to the script.
// Code says nothing of short texts and of languages that have too many words in common.
func (s *subject) language() (string, error) {
	if s.Language == nil {
		return "", nil
	}
	known := newLexicon()
	return s.over(fmt.Sprintf("is in the language %q", *s.Language), func(v any) error {
		return known.tell(strings.Join(flatten(v), "\n"), *s.Language)
	})
}

// lexicon has the languages of which a word is a common one.
type lexicon map[string][]string

func newLexicon() lexicon {
	of := lexicon{}
	words := commonWords()
	for _, lang := range demand.Languages() {
		for w := range strings.FieldsSeq(words[lang]) {
			of[w] = append(of[w], lang)
		}
	}
	return of
}

// The bounds of what code tells about languages.
const (
	minLetters = 60 // fewer letters tell nothing
	minWords   = 20 // fewer words tell nothing
	minCommon  = 8  // common words that a language needs
	apart      = 4  // how many times as many common words one language has as another
	mostly     = 20 // a script with less than one in so many letters is not that of a text
	dense      = 8  // of so many words, one is a common one, at least
)

// notWords is what belongs to no language: addresses, placeholders, tags, code.
var notWords = regexp.MustCompile("[a-zA-Z]+://\\S+|\\S+@\\S+|\\{[^{}\\n]{0,64}\\}|<[^<>\\n]{0,256}>|`[^`\\n]{0,256}`|%[a-z]\\b")

// tell returns nil if a text is in a language, ErrCannotTell, or why it is not.
func (l lexicon) tell(text, want string) error {
	text = notWords.ReplaceAllString(text, " ")
	letters, all := lettersOf(text)
	if all < minLetters && (all < minLetters/3 || !alone(want)) {
		return unknown("%d letters are too few to tell a language", all)
	}
	own := 0
	for _, script := range scripts(want) {
		own += letters[script]
	}
	switch {
	case own*mostly < all && all >= minLetters:
		return fmt.Errorf("has %d letters, and only %d of them are of the script of the language %q", all, own, want)
	case own*2 < all:
		return unknown("it has letters of several scripts")
	case want == "ja" && letters["kana"] == 0, want == "zh" && letters["kana"] > 0:
		return unknown("Chinese and Japanese have characters in common")
	case alone(want):
		return nil
	}
	return l.byWords(text, want)
}

// alone reports whether a script belongs to one language alone, so that it decides.
func alone(lang string) bool {
	return slices.Contains([]string{"el", "he", "ja", "ko", "th", "zh"}, lang)
}

// scripts are those of a language, as lettersOf counts them.
func scripts(lang string) []string {
	switch lang {
	case "ar", "fa":
		return []string{"arabic"}
	case "bg", "ru", "uk":
		return []string{"cyrillic"}
	case "el", "he", "hi", "ko", "th":
		return []string{lang}
	case "ja":
		return []string{"kana", "han"}
	case "zh":
		return []string{"han"}
	}
	return []string{"latin"}
}

// lettersOf counts the letters of each script.
func lettersOf(text string) (map[string]int, int) {
	tables := []struct {
		name  string
		table *unicode.RangeTable
	}{
		{"latin", unicode.Latin}, {"cyrillic", unicode.Cyrillic}, {"arabic", unicode.Arabic}, {"han", unicode.Han}, {"kana", unicode.Hiragana},
		{"kana", unicode.Katakana}, {"ko", unicode.Hangul}, {"el", unicode.Greek}, {"he", unicode.Hebrew}, {"hi", unicode.Devanagari}, {"th", unicode.Thai},
	}
	out, all := map[string]int{}, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		for _, t := range tables {
			if unicode.Is(t.table, r) {
				out[t.name]++
				break
			}
		}
	}
	return out, all
}

// byWords compares how many common words of each language a text has.
func (l lexicon) byWords(text, want string) error {
	hits, all := map[string]int{}, 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) }) {
		all++
		for _, lang := range l[w] {
			hits[lang]++
		}
	}
	other := "" // the language besides with the most common words, the first of equals
	for _, lang := range demand.Languages() {
		if lang != want && (other == "" || hits[lang] > hits[other]) {
			other = lang
		}
	}
	counted := fmt.Sprintf("of %d words, %d are common ones of the language %q and %d of %q", all, hits[want], want, hits[other], other)
	known := func(lang string) bool { return all >= minWords && hits[lang] >= minCommon && hits[lang]*dense >= all }
	switch {
	case known(other) && hits[want]*apart <= hits[other]:
		return fmt.Errorf("is in another language: %s", counted)
	case known(want) && hits[other]*3 <= hits[want]*2:
		return nil
	}
	return unknown("%s", counted)
}
