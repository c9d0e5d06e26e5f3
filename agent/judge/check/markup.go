package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ojud/agent/judge/prose"
)

// placeholder is what a program fills in.
var placeholder = regexp.MustCompile(`(?:^|[^0-9%])(\{\{[^{}\n]{1,64}\}\}|\$\{[^{}\n]{1,64}\}|\{[A-Za-z0-9_.]{0,64}\}|%\([A-Za-z_]\w{0,64}\)[sd]|%(?:[0-9]\$)?[sd@])`)

// numbering is the number that a placeholder may have, so that its place can change.
var numbering = regexp.MustCompile(`%[0-9]\$`)

func (g segment) placeholders() error {
	if !strings.ContainsAny(g.from, "{%") && !strings.ContainsAny(g.to, "{%") {
		return nil
	}
	from, to := submatches(placeholder, g.from), submatches(placeholder, g.to)
	if err := same("placeholder", unnumbered(from), unnumbered(to)); err != nil || maps.Equal(from, to) {
		return err
	}
	n := 0
	for thing, times := range from {
		if strings.HasPrefix(thing, "%") {
			n += times
		}
	}
	for i := range n {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(thing string) bool { return strings.HasPrefix(thing, fmt.Sprintf("%%%d$", i+1)) }) {
			return unknown("its placeholders have other numbers than those of the text")
		}
	}
	return nil
}

// unnumbered are placeholders without their numbers.
func unnumbered(all map[string]int) map[string]int {
	out := map[string]int{}
	for thing, n := range all {
		out[numbering.ReplaceAllString(thing, "%")] += n
	}
	return out
}

func submatches(re *regexp.Regexp, text string) map[string]int {
	out := map[string]int{}
	for from := 0; ; { // a match may begin at the last character of the one before
		m := re.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return out
		}
		out[text[from+m[2]:from+m[3]]]++
		if m[3] == 0 {
			return out
		}
		_, size := utf8.DecodeLastRuneInString(text[from : from+m[3]])
		from += m[3] - size
	}
}

// tag is the beginning of a tag with its name.
var tag = regexp.MustCompile(`(</?[A-Za-z][A-Za-z0-9-]{0,30})(?:[\s/][^<>]{0,500})?>`)

// verbatim is what markup shows as it is: code, and addresses of mail.
var verbatim = regexp.MustCompile("(`[^`\\n]{1,200}`|[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,60}(?:\\.[A-Za-z0-9-]{1,60})+)")

// elements are names of tags that no text has between < and > for a reader to fill in.
const elements = `a abbr b blockquote br button cite code div em font g h1 h2 h3 h4 h5 h6 hr i img input kbd label li mark ol option p pre ph q s samp select
	small span strong sub sup table tbody td th thead tr u ul var x bpt ept`

func (g segment) markup() error {
	if !strings.ContainsAny(g.from, "<`@") && !strings.ContainsAny(g.to, "<`@") {
		return nil
	}
	from, to := matches(tag, g.from), matches(tag, g.to)
	if err := same("tag", from, to); err != nil {
		for _, thing := range slices.Collect(maps.Keys(to)) {
			from[thing] = max(from[thing], 1)
		}
		for thing := range from {
			if !slices.Contains(strings.Fields(elements), strings.ToLower(strings.Trim(thing, "</"))) {
				return unknown("%s, or another thing between < and >, may be words", prose.Quote(thing))
			}
		}
		return err
	}
	return same("text", matches(verbatim, g.from), matches(verbatim, g.to))
}

func matches(re *regexp.Regexp, text string) map[string]int {
	out := map[string]int{}
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		out[m[1]]++
	}
	return out
}

// same: each thing of the text stands in the translation, and no other. How often it stands there
// may depend on the grammar.
func same(what string, from, to map[string]int) error {
	for _, thing := range slices.Sorted(maps.Keys(from)) {
		if to[thing] == 0 {
			return fmt.Errorf("it lacks the %s %s", what, prose.Quote(thing))
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(to)) {
		if from[thing] == 0 {
			return fmt.Errorf("it has the %s %s, which the text does not have", what, prose.Quote(thing))
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(from)) {
		if from[thing] != to[thing] {
			return unknown("the %s %s stands %d times in the text and %d times in the translation", what, prose.Quote(thing), from[thing], to[thing])
		}
	}
	return nil
}
