package meaning

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What a text has at most, so that two can be compared in little time.
const (
	maxNames   = 32
	maxNumbers = 256
	maxPairs   = 16
)

// text is a prose field, prepared for comparisons.
type text struct {
	embedding
	numbers  []string        // sorted
	signs    []string        // sorted
	counts   []quantity      // by what is counted
	pairs    []pair          // of numbers, such as those of a score
	alone    []string        // what "only" is said of, sorted
	negated  int             // how often
	names    []string        // words with a capital letter, in the order of their first places
	opening  string          // the one of them that begins the text, which need not be a name
	one, two uint64          // pairs of opposites of which it has one side and the other
	words    map[string]bool // in lower case
	tokens   []uint32        // hashes of the words in lower case and of the signs, as they stand
	seams    []seam          // what the tokens are at the ends of parts that may move
	sorted   []uint32        // the same, sorted
	crowded  bool            // it has more names or numbers than are compared
	inverted bool            // an odd number of words such as "by", after which roles are swapped
}

// prepare reads a text.
func prepare(raw string) text {
	raw = norm.NFKC.String(raw)
	t := text{words: map[string]bool{}, embedding: embed(raw)}
	tokens := split(raw)
	for _, w := range tokens {
		low := strings.ToLower(w)
		t.tokens, t.seams = append(t.tokens, uint32(hash(3, []rune(low)))), append(t.seams, seams[low])
	}
	t.signs = signs(tokens)
	t.counts, t.pairs = counts(tokens)
	t.alone = singled(tokens)
	words := slices.DeleteFunc(tokens, isSign)
	t.numbers = numbers(words)
	for i, w := range words {
		low := strings.ToLower(w)
		plain := strings.TrimSuffix(low, "'s")
		s := stem(plain)
		t.words[plain] = true
		t.words[s] = true
		if negations[low] || strings.HasSuffix(low, "n't") {
			t.negated++
		}
		if swaps[low] {
			t.inverted = !t.inverted
		}
		for _, key := range []string{plain, s} {
			if side, ok := opposites[key]; ok {
				t.one, t.two = t.one|side.one, t.two|side.two
				break
			}
		}
		if stopwords[low] {
			continue
		}
		if first := []rune(w)[0]; unicode.IsUpper(first) && len(t.names) <= maxNames && !slices.Contains(t.names, plain) && months[plain] == 0 && numerals[plain] == 0 {
			t.names = append(t.names, plain)
			if i == 0 {
				t.opening = plain
			}
		}
	}
	t.crowded = len(t.names) > maxNames || len(t.numbers) > maxNumbers || len(t.pairs) > maxPairs || len(t.alone) > maxPairs
	t.sorted = slices.Sorted(slices.Values(t.tokens))
	return t
}

// split cuts a text into words, numbers and signs. An apostrophe, a point or a comma within a word
// or a number belongs to it, and so does the minus before a number.
func split(raw string) (out []string) {
	runes := []rune(strings.ReplaceAll(raw, "’", "'"))
	inside := func(i int) bool {
		return i > 0 && i+1 < len(runes) && (runes[i] == '\'' && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1]) ||
			(runes[i] == '.' || runes[i] == ',') && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]))
	}
	start, before := -1, ""
	end := func(i int) {
		if start >= 0 {
			out = append(out, before+string(runes[start:i]))
			start, before = -1, ""
		}
	}
	for i, r := range runes {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || inside(i) {
			if start < 0 {
				start = i
			}
			continue
		}
		end(i)
		if minus(runes, i) {
			before = "-"
		} else if r == '°' && i+1 < len(runes) && unicode.IsLetter(runes[i+1]) {
			before = "°"
		} else if s := sign(runes, i); s != "" {
			out = append(out, s)
		}
	}
	end(len(runes))
	return out
}

// stem cuts the common endings of English words.
func stem(w string) string {
	for _, end := range []string{"ing", "ies", "ied", "es", "ed", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 && !strings.HasSuffix(w, "ss") {
			w = s
			break
		}
	}
	if len(w) > 3 {
		w = strings.TrimRight(w, "ey")
	}
	if n := len(w); n > 4 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}
