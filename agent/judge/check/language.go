package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ojud/casefile/demand"
)

// language: a text is in the language if it has many common words of it, and few of any other, also
// of languages that no task can demand, in all its parts. It is not if nearly all is so in another
// language. Code says nothing of short texts, of mixed ones, and of languages that have too many
// words in common.
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
type lexicon struct {
	of  map[string][]string
	all []string // languages, with their neighbours
}

func newLexicon() lexicon {
	of := map[string][]string{}
	words := commonWords()
	others := neighbours()
	all := slices.Concat(demand.Languages(), slices.Sorted(maps.Keys(others)))
	for _, lang := range all {
		for w := range strings.FieldsSeq(cmp.Or(words[lang], others[lang])) {
			of[w] = append(of[w], lang)
		}
	}
	return lexicon{of, all}
}

// The bounds of what code tells about languages.
const (
	minLetters = 60  // fewer letters tell nothing
	minWords   = 20  // fewer words tell nothing
	minCommon  = 8   // common words that a language needs
	mostly     = 20  // a script with less than one in so many letters is not that of a text
	dense      = 6   // of so many words, one is a common one, at least
	crowded    = 4   // of five words, so many are no sentence
	mixed      = 4   // one common word of another language on so many of this one makes doubt
	foreign    = 8   // so many of another language on one of this one make it that language
	window     = 24  // words of a part that is looked at by itself
	fewStrange = 3   // so many words that the language hardly has make doubt
	likeness   = 5   // common words that a text needs which the most similar language does not have
	strange    = 200 // one letter in so many that the language does not have makes doubt
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
	odd := 0
	for _, r := range strangeLetters(want) {
		odd += strings.Count(text, string(r))
	}
	switch {
	case own*mostly < all && all >= minLetters:
		why := fmt.Sprintf("has %d letters, and only %d of them are of the script of the language %q", all, own, want)
		if 2*(letters["latin"]+letters["cyrillic"]+letters["arabic"]) > all && l.count(text, want).other() == "" {
			return unknown("it %s; it may be written in another script", why)
		}
		return errors.New(why)
	case own*10 < all*9:
		return unknown("it has letters of several scripts")
	case odd > 1 && odd*strange >= all:
		return unknown("it has letters that the language %q does not have", want)
	case want == "ja" && letters["kana"] == 0, want == "zh" && letters["kana"] > 0:
		return unknown("Chinese and Japanese have characters in common")
	}
	if n := l.strangers(text, want); n >= fewStrange {
		return unknown("%d of its words are hardly of the language %q", n, want)
	}
	if alone(want) {
		return nil
	}
	return l.byWords(text, want)
}

// strangers counts the words of a text that the language hardly has.
func (lexicon) strangers(text, want string) (n int) {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(strangeWords(want)) {
		all[w] = true
	}
	if len(all) == 0 {
		return 0
	}
	for _, w := range lowerWords(text) {
		if all[w] {
			n++
		}
	}
	return n
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

// counts are the common words of a text: of each language, and how many of these are also common in
// the one that is wanted.
type counts struct {
	want       string
	all        int
	hits, both map[string]int
}

func (l lexicon) count(text, want string) counts { return l.counted(lowerWords(text), want) }

func lowerWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) })
}

func (l lexicon) counted(words []string, want string) counts {
	c := counts{want: want, all: len(words), hits: map[string]int{}, both: map[string]int{}}
	for _, w := range words {
		langs := l.of[w]
		wanted := slices.Contains(langs, want)
		for _, lang := range langs {
			c.hits[lang]++
			if wanted {
				c.both[lang]++
			}
		}
	}
	return c
}

// theirs are the common words of a language that are not common in the wanted one, and ours those
// of the wanted one that are not common in the other.
func (c counts) theirs(lang string) int { return c.hits[lang] - c.both[lang] }
func (c counts) ours(lang string) int   { return c.hits[c.want] - c.both[lang] }

// other returns the language that a text is in, for certain, instead of the wanted one; empty: code
// cannot tell. Neighbours are never certain.
func (c counts) other() string {
	for _, lang := range demand.Languages() {
		if lang != c.want && c.all >= minWords && c.theirs(lang) >= minCommon && c.hits[lang]*dense >= c.all && c.ours(lang)*foreign <= c.theirs(lang) {
			return lang
		}
	}
	return ""
}

// mix returns a language of which a text has too many words to be in the wanted one alone.
func (c counts) mix(of []string, few int) string {
	for _, lang := range of {
		if lang != c.want && c.theirs(lang) >= few && c.theirs(lang)*mixed > c.ours(lang) {
			return lang
		}
	}
	return ""
}

// byWords compares how many common words of each language a text has, as a whole and in parts.
func (l lexicon) byWords(text, want string) error {
	words := lowerWords(text)
	c := l.counted(words, want)
	own := fmt.Sprintf("of %d words, %d are common ones of the language %q", c.all, c.hits[want], want)
	if other := c.other(); other != "" {
		return fmt.Errorf("is in another language: %s and %d of %q", own, c.hits[other], other)
	}
	switch other := c.mix(l.all, 1); {
	case c.all < minWords || c.hits[want] < minCommon || c.hits[want]*dense < c.all:
		return unknown("%s", own)
	case c.hits[want]*5 > c.all*crowded:
		return unknown("%s, which are no sentences", own)
	case other != "":
		return unknown("%s and %d of %q", own, c.hits[other], other)
	case slices.Contains(analytic(), want) && c.hits[want]*3 < c.all:
		return unknown("%s, which are few", own)
	}
	if i := slices.IndexFunc(l.all, func(lang string) bool {
		return c.both[lang]*2 > c.hits[want] && lang != want && c.ours(lang) < likeness
	}); i >= 0 {
		return unknown("%s, and nearly all of these are common ones of %q, too", own, l.all[i])
	}
	const few = 5 // words of another language in a part
	for from := 0; from+window/2 < len(words); from += window / 2 {
		part := l.counted(words[from:min(len(words), from+window)], want)
		if other := part.mix(l.all, few); other != "" && part.theirs(other) > 2*part.ours(other) {
			return unknown("a part of it has words of the language %q", other)
		}
	}
	return nil
}

// analytic are the languages of which a third of the words of most texts are common ones.
func analytic() []string {
	return []string{"da", "de", "en", "es", "fr", "it", "nb", "nl", "pt", "sv"}
}

// sentence returns the language that words are in, for certain enough to say that a copy of them is
// not translated; empty: they may be names or labels.
func (l lexicon) sentence(text, want string) string {
	const least = 4 // common words
	c := l.count(notWords.ReplaceAllString(text, " "), want)
	for _, lang := range demand.Languages() {
		if lang != want && c.theirs(lang) >= least && c.hits[lang]*mixed >= c.all && c.ours(lang)*mixed <= c.theirs(lang) {
			return lang
		}
	}
	return ""
}
