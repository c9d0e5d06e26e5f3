package check

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/agent/judge/prose"
)

// quote is what may be a quotation of a text.
type quote struct {
	text string
	long bool // it has so many words that it is one, and not only a word that is called so
	sure bool // it stands between double marks of one kind
}

// quotation is a text between quotation marks of one kind that open and close. The first two are
// used for nothing else.
var quotation = regexp.MustCompile(`“([^”“„]+)[”“]|„([^“”„]+)[“”]|«([^«»]+)»|»([^«»]+)«|‹([^‹›]+)›|「([^「」]+)」|『([^『』]+)』`)

// single is a text between marks that are apostrophes, too.
var single = regexp.MustCompile(`(?:^|[\s(\[])['‘‚]([^\n]{8,400}?)['’‘](?:$|[\s.,;:!?)\]])`)

// block is a line that is set off as a quotation.
var block = regexp.MustCompile(`(?m)^[ \t]*>[ \t]*(.+)$`)

// marks are those of quotations.
const marks = "“”„«»‹›「」『』\""

// quotesOf returns what may be quotations of a text. A mark that belongs to none stands for one
// that code does not see.
func quotesOf(text string) (out []quote) {
	text, _ = prose.Visible(text)
	add := func(q string, sure bool) {
		n := len(words(q))
		if strings.ContainsFunc(q, func(r rune) bool { return unicode.Is(unicode.Lo, r) }) {
			n, sure = max(n, utf8.RuneCountInString(q)/2), false
		}
		out = append(out, quote{q, n >= minQuote, sure})
	}
	rest := quotation.ReplaceAllStringFunc(text, func(whole string) string {
		first, open := utf8.DecodeRuneInString(whole)
		_, end := utf8.DecodeLastRuneInString(whole)
		add(whole[open:len(whole)-end], strings.ContainsRune("“„«", first))
		return " "
	})
	pieces := strings.Split(rest, `"`)
	paired := len(pieces)%2 == 1
	for i := 1; i+1 < len(pieces); i += 2 {
		paired = paired && outside(pieces[i-1], true) && outside(pieces[i+1], false) && !outside(pieces[i], true) && !outside(pieces[i], false)
	}
	for i := 1; i < len(pieces); i += 2 {
		add(pieces[i], paired)
	}
	for _, form := range []*regexp.Regexp{single, block} {
		for _, m := range form.FindAllStringSubmatch(rest, maxThings) {
			add(m[1], false)
		}
	}
	if strings.ContainsAny(rest, strings.Trim(marks, `"`)) {
		out = append(out, quote{text: "a quotation mark without another"})
	}
	return out
}

// outside reports whether the end, or the beginning, of a text is where one stands that is beside
// a quotation, and not within.
func outside(text string, end bool) bool {
	r, size := utf8.DecodeRuneInString(text)
	if end {
		r, size = utf8.DecodeLastRuneInString(text)
	}
	return size == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{-–—/,;", r) || !end && strings.ContainsRune(".:!?)]}", r)
}

// gap is what stands for words that a quotation leaves out, or words that it adds.
var gap = regexp.MustCompile(`\s*(?:\[[^\[\]\n]{0,80}\]|\([.…]+\)|…|\.\.\.)\s*`)

// quotation looks up a quotation. It is absent only if it is one for certain, and if most of its
// words stand in the source, but not in this order. Otherwise it may be a title, or translated.
func (s *source) quotation(q quote) answer {
	const many = 4
	found := s.stands(q.text)
	if found != no {
		return found
	}
	there, all := 0, words(comparable(q.text))
	s.read()
	for _, w := range all {
		if s.terms[w] {
			there++
		}
	}
	if !q.sure || !q.long || len(all) < many || 2*there < len(all) {
		return perhaps
	}
	return no
}

// stands looks up a text: its parts between gaps stand in the source, in this order. If only its
// words do, with other marks between them, it may be there.
func (s *source) stands(text string) answer {
	const least = 2 // words of a part that says something
	from, pieces, tiny := 0, 0, false
	found := true
	for _, piece := range gap.Split(text, -1) {
		piece = strings.Trim(comparable(piece), " .,;:!?")
		if piece == "" {
			continue
		}
		i := strings.Index(s.text[from:], piece)
		if found = i >= 0; !found {
			break
		}
		from, pieces, tiny = from+i+len(piece), pieces+1, tiny || len(words(piece)) < least
	}
	switch {
	case found && pieces > 0 && (pieces == 1 || !tiny):
		return yes
	case found:
		return perhaps
	}
	s.read()
	if plainly := " " + strings.Join(words(comparable(text)), " ") + " "; strings.Contains(*s.spoken, plainly) {
		return perhaps
	}
	return no
}

// read lists the words of the source.
func (s *source) read() {
	if s.spoken != nil {
		return
	}
	all := words(s.text)
	spoken := " " + strings.Join(all, " ") + " "
	s.spoken, s.terms = &spoken, make(map[string]bool, len(all))
	for _, w := range all {
		s.terms[w] = true
	}
}
