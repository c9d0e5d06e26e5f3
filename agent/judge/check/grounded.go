package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/agent/judge/prose"
	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// grounded: everything of some kinds that a text names stands in its source. A thing that may be
// there in another form (an inflected name, "three" for 3) is one that code cannot tell.
func (s *subject) grounded() (string, error) {
	g := s.Grounded
	if g == nil {
		return "", nil
	}
	value, sources := s.value, []any{}
	for _, path := range g.In {
		v, err := pointer.Find(s.Task, path)
		if err != nil {
			return "", unknown("the task has nothing at %q: %v", path, err)
		}
		sources = append(sources, v)
	}
	if g.Text != nil {
		v, err := pointer.Find(s.Result, *g.Text)
		if err != nil {
			return "", fmt.Errorf("in the result, %w", err)
		}
		value, sources = v, []any{s.value}
	}
	source := newSource(flatten(sources), g.What...)
	if source.odd {
		return "", unknown("the source is too long when its characters are written out")
	}
	texts := flatten(value)
	var found []string
	var doubt error
	for _, what := range g.What {
		n, absent, unsure := source.look(what, texts)
		switch {
		case absent != "":
			return "", fmt.Errorf("%s, one of its %s, does not stand in the source", prose.Quote(absent), what)
		case unsure != "":
			doubt = unknown("%s, one of its %s, may stand in the source in another form", prose.Quote(unsure), what)
		case n > 0:
			found = append(found, fmt.Sprintf("all %d %s stand in the source", n, what))
		}
	}
	if len(found) == 0 && doubt == nil {
		return "", unknown("it has none of the %v that the demand is about", g.What)
	}
	return strings.Join(found, ", "), doubt
}

// source is a text in which things are looked up.
type source struct {
	text    string          // compared form
	words   map[string]bool // folded
	stems   map[string]bool // beginnings of words
	numbers map[string]bool // readings of its numbers
	odd     bool            // it is many times as long in normal form, and was not read
}

// grows is how many times as long a text may be in normal form.
const grows = 3

const stem = 4 // letters that an inflected form keeps

// newSource reads texts, as far as things of these kinds are looked up in them.
func newSource(texts []string, kinds ...demand.Named) source {
	s := source{words: map[string]bool{}, stems: map[string]bool{}, numbers: map[string]bool{}}
	var all []string
	seen := map[string]bool{}
	for _, text := range texts {
		short := len(text)
		if text = prose.Normal(text); len(text) > grows*short {
			s.odd = true // some characters are written out as sentences
			return s
		}
		if all = append(all, text); slices.Contains(kinds, demand.Numbers) {
			s.note(text)
		}
		if !slices.Contains(kinds, demand.Names) {
			continue
		}
		for _, w := range words(text) {
			if !seen[w] {
				seen[w] = true
				s.words[plain(w)] = true
				s.stems[beginning(plain(w))] = true
			}
		}
	}
	if slices.Contains(kinds, demand.Quotes) {
		s.text = folded(strings.Join(all, " "))
	}
	return s
}

// note notes the numbers of a text in normal form.
func (s source) note(text string) {
	for _, n := range slices.Concat(number.FindAllString(text, -1), spaced.FindAllString(text, -1)) {
		for _, r := range readings(n) {
			s.numbers[r] = true
		}
		for _, p := range fields(n) {
			s.numbers[value(p, "")] = true
		}
	}
}

// numbered is a source of numbers alone, from a text in normal form.
func numbered(text string) source {
	s := source{numbers: map[string]bool{}}
	s.note(text)
	return s
}

// beginning returns the first letters of a word.
func beginning(w string) string {
	n := 0
	for at := range w {
		if n++; n > stem {
			return w[:at]
		}
	}
	return w
}

// words are runs of letters and digits, with apostrophes and hyphens as ends.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) })
}

// maxThings bounds the things of a kind that code looks up.
const maxThings = 2000

// look counts the things of a kind in texts, and returns the first that is absent, and the first
// that may be there.
func (s source) look(what demand.Named, texts []string) (n int, absent, unsure string) {
	for _, text := range texts {
		things, find := named(what, text), s.test(what)
		for _, thing := range things {
			if n++; n > maxThings {
				return n, "", "what comes after the first " + strconv.Itoa(maxThings)
			}
			switch find(thing) {
			case yes:
			case no:
				return n, thing, ""
			case perhaps:
				unsure = thing
			}
		}
	}
	return n, "", unsure
}

type answer int

const (
	no answer = iota
	perhaps
	yes
)

func (s source) test(what demand.Named) func(string) answer {
	switch what {
	case demand.Numbers:
		return s.number
	case demand.Names:
		return s.name
	case demand.Quotes:
	}
	return s.quote
}

// named returns the things of a kind that a text names.
func named(what demand.Named, text string) []string {
	switch what {
	case demand.Numbers:
		return numbersOf(text)
	case demand.Names:
		return namesOf(text)
	case demand.Quotes:
	}
	return quotesOf(text)
}

// number is a number as people write it, in any digits.
var number = regexp.MustCompile(`\p{Nd}+(?:[.,'’]\p{Nd}+)*`)

// spaced is a number with a space between thousands, or several numbers.
var spaced = regexp.MustCompile(`\b[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?\b`)

// enumeration is the number of a point of a list.
var enumeration = regexp.MustCompile(`(?m)^[ \t]*\p{Nd}{1,3}[.)](?:[ \t]|$)`)

// numbersOf returns the numbers of a text, without the numbers of its points.
func numbersOf(text string) []string {
	text, _ = prose.Visible(text)
	return numbersIn(prose.Normal(enumeration.ReplaceAllString(text, " ")))
}

// numbersIn returns the numbers of a text in normal form.
func numbersIn(text string) []string {
	return append(spaced.FindAllString(text, -1), number.FindAllString(spaced.ReplaceAllString(text, " "), -1)...)
}

// fields returns the numbers that a written one may consist of: those of a date, a version, or of a
// row. A number with one mark is one number.
func fields(written string) []string {
	parts := strings.FieldsFunc(written, func(r rune) bool { return !unicode.IsDigit(r) })
	if len(parts) > 2 || strings.Contains(written, " ") {
		return parts
	}
	return nil
}

// readings are the values that a written number may have: 1,200 is a thousand and some, or one and
// a part.
func readings(written string) (out []string) {
	parts := strings.FieldsFunc(written, func(r rune) bool { return !unicode.IsDigit(r) })
	last := len(parts) - 1
	grouped := !slices.ContainsFunc(parts[1:], func(p string) bool { return utf8.RuneCountInString(p) != 3 })
	if last == 0 || grouped {
		out = append(out, value(strings.Join(parts, ""), ""))
	}
	if mark := strings.LastIndexAny(written, ".,"); last > 0 && mark == len(written)-len(parts[last])-1 {
		out = append(out, value(strings.Join(parts[:last], ""), parts[last]))
	}
	return append(out, strings.Join(parts, "|")) // as it stands
}

// value writes a number without zeros that say nothing.
func value(whole, fraction string) string {
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// number: a small whole number may stand in the source as a word.
func (s source) number(written string) answer {
	const spelled, tens = 20, 100
	all, parts := readings(written), fields(written)
	known := func(r string) bool { return s.numbers[r] }
	n, err := strconv.Atoi(all[0])
	switch {
	case slices.ContainsFunc(all, known):
		return yes
	case len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return !known(value(p, "")) }):
		return yes
	case strings.ContainsFunc(written, func(r rune) bool { return unicode.IsDigit(r) && r > '9' }):
		return perhaps // digits of another script
	case err == nil && (n <= spelled || n <= tens && n%10 == 0):
		return perhaps
	}
	return no
}

// namesOf returns the words that begin with a capital letter, and not only because they begin a
// sentence, a line or a title.
func namesOf(text string) (out []string) {
	text, _ = prose.Visible(text)
	small := map[string]bool{}
	for _, w := range words(text) {
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsLower(first) {
			small[plain(w)] = true
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(line)
		if titled(fields) {
			continue
		}
		begins := true
		for _, field := range fields {
			for _, w := range words(field) {
				first, _ := utf8.DecodeRuneInString(w)
				if unicode.IsUpper(first) && !begins && utf8.RuneCountInString(w) > 2 && !small[plain(w)] {
					out = append(out, w)
				}
				begins = false
			}
			begins = begins || strings.ContainsAny(field[len(field)-1:], ".!?:;\"") || !strings.ContainsFunc(field, unicode.IsLetter) || strings.HasSuffix(field, "…") || strings.HasSuffix(field, "”")
		}
	}
	return out
}

// titled reports whether nearly all words of a line begin with a capital letter.
func titled(fields []string) bool {
	capital := 0
	for _, f := range fields {
		if first, _ := utf8.DecodeRuneInString(f); unicode.IsUpper(first) {
			capital++
		}
	}
	return len(fields) > 3 && capital*4 > len(fields)*3
}

func (s source) name(written string) answer {
	w := plain(written)
	switch {
	case s.words[w]:
		return yes
	case utf8.RuneCountInString(w) <= stem, s.stems[beginning(w)]:
		return perhaps
	}
	return no
}

// quotation is a text between quotation marks of one kind.
var quotation = regexp.MustCompile(`"([^"\n]+)"|“([^”“\n]+)[”“]|„([^“”„\n]+)[“”]|«([^»\n]+)»|»([^«\n]+)«`)

// quotesOf returns the quotations of a text that have several words. A word in quotation marks may
// only be called so.
func quotesOf(text string) (out []string) {
	text, _ = prose.Visible(text)
	for _, m := range quotation.FindAllStringSubmatch(text, -1) {
		for _, q := range m[1:] {
			if len(words(q)) > 2 {
				out = append(out, q)
			}
		}
	}
	return out
}

// ellipsis is what stands for words that a quotation leaves out.
var ellipsis = regexp.MustCompile(`\s*[\[(]?(?:…|\.\.\.)[\])]?\s*`)

// quote: the parts of the quotation stand in the source, in this order.
func (s source) quote(written string) answer {
	from := 0
	for _, piece := range ellipsis.Split(written, -1) {
		piece = strings.Trim(comparable(piece), " .,;:!?")
		i := strings.Index(s.text[from:], piece)
		if i < 0 {
			return no
		}
		from += i + len(piece)
	}
	return yes
}

// minQuote is how many words a quotation needs to say something.
const minQuote = 3

// quoted: the texts of the result stand in the source's answer.
func (s *subject) quoted() (string, error) {
	if s.Quoted == nil {
		return "", nil
	}
	from := newSource(flatten(s.value), demand.Quotes)
	if from.odd {
		return "", unknown("the answer is too long when its characters are written out")
	}
	for _, path := range s.Quoted {
		v, err := pointer.Find(s.Result, path)
		if err != nil {
			return "", fmt.Errorf("in the result, %w", err)
		}
		text, ok := v.(string)
		switch {
		case !ok:
			return "", fmt.Errorf("at %q the result has %s instead of a quotation", path, pointer.Describe(v))
		case len(words(text)) < minQuote:
			return "", fmt.Errorf("at %q the result quotes %s; a quotation has at least %d words", path, prose.Quote(text), minQuote)
		case from.quote(strings.Trim(text, "\"“”„«» ")) != yes:
			return "", fmt.Errorf("at %q the result quotes %s, which does not stand in the source", path, prose.Quote(text))
		}
	}
	return fmt.Sprintf("%d quotations stand in the source", len(s.Quoted)), nil
}
