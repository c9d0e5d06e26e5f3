package check

import (
	"cmp"
	"fmt"
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
	text    string          // compared form, each text for itself
	words   map[string]bool // folded
	stems   map[string]bool // beginnings of words
	numbers *numbers
	odd     bool            // it is many times as long in normal form, and was not read
	spoken  *string         // the words of text, with single spaces; nil: not needed yet
	terms   map[string]bool // likewise, each
}

// grows is how many times as long a text may be in normal form.
const grows = 3

const stem = 4 // letters that an inflected form keeps

// between separates texts of a source, so that no quotation goes from one to the next.
const between = "\x00"

// newSource reads texts, as far as things of these kinds are looked up in them.
func newSource(texts []string, kinds ...demand.Named) *source {
	s := &source{words: map[string]bool{}, stems: map[string]bool{}}
	var all, counted []string
	seen := map[string]bool{}
	for _, text := range texts {
		short := len(text)
		normal := prose.Normal(text)
		if len(normal) > grows*short {
			s.odd = true // some characters are written out as sentences
			return s
		}
		if all = append(all, normal); slices.Contains(kinds, demand.Numbers) {
			counted = append(counted, numeric(text))
		}
		if !slices.Contains(kinds, demand.Names) {
			continue
		}
		for _, w := range words(normal) {
			if !seen[w] {
				seen[w] = true
				s.words[plain(w)] = true
				s.stems[beginning(plain(w))] = true
			}
		}
	}
	if slices.Contains(kinds, demand.Numbers) {
		s.numbers = numbered(counted...)
	}
	if slices.Contains(kinds, demand.Quotes) {
		s.text = folded(strings.Join(all, between))
	}
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
func (s *source) look(what demand.Named, texts []string) (n int, absent, unsure string) {
	note := func(thing string, found answer) bool {
		switch found {
		case no:
			absent = thing
			return false
		case perhaps:
			unsure = cmp.Or(unsure, thing)
		case yes:
		}
		return true
	}
	for _, text := range texts {
		for _, t := range s.named(what, text) {
			if t.counts {
				n++
			}
			if n > maxThings {
				return n, "", "what comes after the first " + strconv.Itoa(maxThings)
			}
			if !note(t.text, t.found()) {
				return n, absent, ""
			}
		}
	}
	if what == demand.Numbers && n > 0 && unsure == "" {
		unsure = s.numbers.unread(texts)
	}
	return n, "", unsure
}

// thing is what a text names, and how it is looked up.
type thing struct {
	text   string
	counts bool // it shows that the text names something
	found  func() answer
}

type answer int

const (
	no answer = iota
	perhaps
	yes
)

// named returns the things of a kind that a text names.
func (s *source) named(what demand.Named, text string) (out []thing) {
	switch what {
	case demand.Numbers:
		for _, n := range numbersOf(text) {
			out = append(out, thing{n, true, func() answer { return s.numbers.find(n) }})
		}
		if visible := numeric(text); strings.ContainsAny(visible, "-−") {
			for _, m := range negative.FindAllStringSubmatch(visible, maxThings) {
				out = append(out, thing{m[0], false, func() answer {
					if slices.ContainsFunc(readings(m[1]), func(r string) bool { return s.numbers.signed[r] }) {
						return yes
					}
					return perhaps
				}})
			}
		}
	case demand.Names:
		for _, n := range namesOf(text) {
			out = append(out, thing{n.word, n.inside, func() answer {
				if n.ordinary || s.words[plain(n.word)] {
					return yes
				}
				return perhaps // a capital letter alone makes no name
			}})
		}
		if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Lo, r) }) {
			out = append(out, thing{"a word in a script without capital letters", false, func() answer { return perhaps }})
		}
	case demand.Quotes:
		for _, q := range quotesOf(text) {
			out = append(out, thing{q.text, q.long, func() answer { return s.quotation(q) }})
		}
	}
	return out
}

// capital is a word of a text that begins with a capital letter.
type capital struct {
	word     string
	inside   bool // not at the beginning of a sentence, a line or a title
	ordinary bool // one with which a sentence may begin, and which is no name
}

// namesOf returns the words that begin with a capital letter, and may be names.
func namesOf(text string) (out []capital) {
	text, _ = prose.Visible(text)
	usual := openers()
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(line)
		title, begins := titled(fields), true
		for _, field := range fields {
			for _, w := range words(field) {
				first, _ := utf8.DecodeRuneInString(w)
				if unicode.IsUpper(first) && utf8.RuneCountInString(w) > 1 {
					out = append(out, capital{w, !begins && !title, (begins || title) && usual[strings.ToLower(w)]})
				}
				begins = false
			}
			begins = begins || strings.ContainsAny(field[len(field)-1:], ".!?:;\"") || !strings.ContainsFunc(field, unicode.IsLetter) || strings.HasSuffix(field, "…") || strings.HasSuffix(field, "”")
		}
	}
	return out
}

// openers are words that may begin a sentence, and are no names: the common words of languages, and
// some more of English.
func openers() map[string]bool {
	const more = `most some many both each every after before during while although however therefore here there these those such only even still
		then thus since because despite until upon within without below under again another any few several nobody nothing everything everyone two three`
	out := map[string]bool{}
	for _, list := range commonWords() {
		for w := range strings.FieldsSeq(list) {
			out[w] = true
		}
	}
	for w := range strings.FieldsSeq(more) {
		out[w] = true
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

// name looks up a word of a name.
func (s *source) name(written string) answer {
	w := plain(written)
	switch {
	case s.words[w]:
		return yes
	case utf8.RuneCountInString(w) <= stem, s.stems[beginning(w)]:
		return perhaps
	}
	return no
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
		case from.stands(strings.Trim(text, "\"“”„«» ")) == no:
			return "", fmt.Errorf("at %q the result quotes %s, which does not stand in the source", path, prose.Quote(text))
		}
	}
	return fmt.Sprintf("%d quotations stand in the source", len(s.Quoted)), nil
}
