package meaning

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What a text has at most, so that two can be compared in little time.
const (
	maxNames   = 32
	maxNumbers = 256
)

// text is a prose field, prepared for comparisons.
type text struct {
	embedding
	numbers  []string        // sorted
	negated  int             // how often
	names    []string        // words with a capital letter, in the order of their first places
	opening  string          // the one of them that begins the text, which need not be a name
	one, two uint64          // pairs of opposites of which it has one side and the other
	words    map[string]bool // in lower case
	tokens   []uint32        // hashes of the words in lower case, as they stand
	sorted   []uint32        // the same, sorted
	crowded  bool            // it has more names or numbers than are compared
	inverted bool            // an odd number of words such as "by", after which roles are swapped
}

// prepare reads a text.
func prepare(raw string) text {
	raw = norm.NFKC.String(raw)
	t := text{words: map[string]bool{}, embedding: embed(raw)}
	tokens := split(raw)
	t.numbers = numbers(tokens)
	for i, w := range tokens {
		low := strings.ToLower(w)
		plain := strings.TrimSuffix(low, "'s")
		s := stem(plain)
		t.tokens = append(t.tokens, uint32(hash(3, []rune(low))))
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
		if first := []rune(w)[0]; unicode.IsUpper(first) && len(t.names) <= maxNames && !slices.Contains(t.names, plain) && months[plain] == 0 {
			t.names = append(t.names, plain)
			if i == 0 {
				t.opening = plain
			}
		}
	}
	t.crowded = len(t.names) > maxNames || len(t.numbers) > maxNumbers
	t.sorted = slices.Sorted(slices.Values(t.tokens))
	return t
}

// split cuts a text into words and numbers. An apostrophe, a point or a comma within a word or a
// number belongs to it.
func split(raw string) (out []string) {
	runes := []rune(strings.ReplaceAll(raw, "’", "'"))
	inside := func(i int) bool {
		return i > 0 && i+1 < len(runes) && (runes[i] == '\'' && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1]) ||
			(runes[i] == '.' || runes[i] == ',') && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1]))
	}
	start := -1
	for i, r := range runes {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || inside(i)
		if word && start < 0 {
			start = i
		}
		if !word && start >= 0 {
			out = append(out, string(runes[start:i]))
			start = -1
		}
	}
	if start >= 0 {
		out = append(out, string(runes[start:]))
	}
	return out
}

// numbers are those of a text in one spelling each: 1,200 and "twelve hundred" are 1200, March is
// month 3, and 2020-03-05 is 2020, month 3 and 5.
func numbers(tokens []string) (out []string) {
	sum, part, open := 0, 0, false
	end := func() {
		if open {
			out = append(out, strconv.Itoa(sum+part))
		}
		sum, part, open = 0, 0, false
	}
	for i, w := range tokens {
		low := strings.ToLower(w)
		if n, ok := numerals[low]; ok {
			if last := part % 100; n < 100 && last != 0 && (last < 20 || last%10 != 0 || n > 9) {
				end() // "five six" is two numbers, "fifty six" is one
			}
			open = true
			switch {
			case n >= 1000:
				sum, part = (sum+max(part, 1))*n%1_000_000_007, 0
			case n == 100:
				part = max(part, 1) * 100
			default:
				part += n
			}
			continue
		}
		if low == "and" && open && part%100 == 0 {
			continue
		}
		end()
		digit := unicode.IsDigit([]rune(w)[0])
		switch m := months[low]; {
		case m > 0 && (low != "may" || w != low):
			out = append(out, "month "+strconv.Itoa(m))
		case digit && i > 0 && len(tokens[i-1]) == 4 && len(w) == 2 && i+1 < len(tokens) && len(tokens[i+1]) == 2 && isDate(tokens[i-1:i+2]):
			out = append(out, "month "+strings.TrimLeft(w, "0"))
		case digit:
			out = append(out, number(low))
		}
	}
	end()
	slices.Sort(out)
	return slices.Compact(out)
}

// isDate reports whether three tokens are a year, a month and a day.
func isDate(tokens []string) bool {
	for _, w := range tokens {
		if _, err := strconv.Atoi(w); err != nil {
			return false
		}
	}
	return tokens[1] <= "12"
}

// number is one with separators and an ending: 1,200.50 is 1200.5, and 5th is 5.
func number(w string) string {
	end := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	unit := ""
	if end >= 0 {
		w, unit = w[:end], w[end:]
	}
	if slices.Contains([]string{"st", "nd", "rd", "th"}, unit) {
		unit = ""
	}
	w = strings.TrimRight(strings.ReplaceAll(w, ",", ""), ".")
	w = strings.TrimLeft(w, "0")
	if strings.Contains(w, ".") {
		w = strings.TrimRight(strings.TrimRight(w, "0"), ".")
	}
	if w == "" || w[0] == '.' {
		w = "0" + w
	}
	return w + unit
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
