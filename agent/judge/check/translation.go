package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
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

// translation compares a value with a text of the task, segment by segment: what no translator may
// change stands in it. Whether it says the same is for readers.
func (s *subject) translation() (string, error) {
	t := s.Translation
	if t == nil {
		return "", nil
	}
	of, err := pointer.Find(s.Task, t.Of)
	if err != nil {
		return "", unknown("the task has no text at %q: %v", t.Of, err)
	}
	var segments []segment
	if err := pair(of, s.value, "", &segments); err != nil {
		return "", err
	}
	if !slices.ContainsFunc(segments, func(g segment) bool { return !prose.Blank(g.from) }) {
		return "", unknown("the text of the task is empty")
	}
	if err := read(segments); err != nil {
		return "", err
	}
	var doubt error
	keep := names(t.Keep)
	for _, g := range segments {
		for _, keeps := range []func(segment) error{segment.filled, segment.placeholders, segment.markup, segment.numbers, keep.stand} {
			switch err := keeps(g); {
			case errors.Is(err, ErrCannotTell):
				doubt = cmp.Or(doubt, fmt.Errorf("%s: %w", g.place(), err))
			case err != nil:
				return "", fmt.Errorf("%s: %w", g.place(), err)
			}
		}
	}
	for _, demanded := range []func([]segment) error{whole(*t).copied, whole(*t).length, whole(*t).language} {
		switch err := demanded(segments); {
		case errors.Is(err, ErrCannotTell):
			doubt = cmp.Or(doubt, err)
		case err != nil:
			return "", err
		}
	}
	return fmt.Sprintf("its %d segments have the numbers, placeholders and markup of the text", len(segments)), doubt
}

// The bounds of what code compares. The longest text of a task may grow twice.
const (
	maxFrom     = 64 << 10  // bytes
	maxTo       = 128 << 10 // bytes
	maxSegments = 2048
)

// read checks that the segments are bounded, and writes them in normal form. A longer translation
// is none, because padding must not be a way out.
func read(all []segment) error {
	from, to := 0, 0
	for _, g := range all {
		from, to = from+len(g.from), to+len(g.to)
	}
	switch {
	case from > maxFrom || len(all) > maxSegments:
		return unknown("the text of the task has %d bytes in %d segments; code compares %d in %d", from, len(all), maxFrom, maxSegments)
	case to > maxTo:
		return fmt.Errorf("it has %d bytes; code compares %d", to, maxTo)
	}
	for i, g := range all {
		all[i].was, all[i].is = prose.Normal(g.from), prose.Normal(g.to)
	}
	return nil
}

// segment is a text of the task with its translation, as they are written and in normal form.
type segment struct{ at, from, to, was, is string }

func (g segment) place() string {
	if g.at == "" {
		return "the text"
	}
	return "the segment at " + strconv.Quote(g.at)
}

// pair finds the segments of two values of one form. What is no text is the same in both.
func pair(from, to any, at string, out *[]segment) error {
	switch from := from.(type) {
	case string:
		text, ok := to.(string)
		if !ok {
			return fmt.Errorf("at %q it is %s instead of a text", at, pointer.Describe(to))
		}
		*out = append(*out, segment{at: at, from: from, to: text})
	case []any:
		list, ok := to.([]any)
		if !ok || len(list) != len(from) {
			return fmt.Errorf("at %q it has %d segments instead of %d", at, len(list), len(from))
		}
		for i := range from {
			if err := pair(from[i], list[i], at+"/"+strconv.Itoa(i), out); err != nil {
				return err
			}
		}
	case map[string]any:
		members, _ := to.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(from)) {
			there := string(pointer.Append([]byte(at), name))
			part, ok := members[name]
			if !ok {
				return fmt.Errorf("there is nothing at %q", there)
			}
			if err := pair(from[name], part, there, out); err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, ok := from[name]; !ok {
				return fmt.Errorf("at %q it has %s, which the text does not have", at, prose.Quote(name))
			}
		}
	default:
		want, err := key(from)
		have, bad := key(to)
		if err != nil || bad != nil || want != have {
			return fmt.Errorf("at %q it is %s instead of %s, which is no text to translate", at, shown(to), shown(from))
		}
	}
	return nil
}

// filled: what says something is not translated as nothing.
func (g segment) filled() error {
	if !prose.Blank(g.from) && prose.Blank(g.to) {
		return errors.New("it is empty")
	}
	return nil
}

// scaled is a number with a word behind it that may be a power of ten: a language may need another
// number for it.
var scaled = regexp.MustCompile(`(?i)(\p{Nd}+(?:[.,'’ ]\p{Nd}+)*)[ \x{a0}-]?(?:m|mi|mio|mln|mn|mill\p{L}*|milh\p{L}*|mili\p{L}*|b|bn|bi|bil\p{L}*|mrd|mld|md|trill\p{L}*|k|tsd|thousand|tausend|mil|mille|mila|duizend|lakh|crore|万|億|亿|兆|億|тыс\p{L}*|млн|млрд|милл\p{L}*|tys\p{L}*|tis\p{L}*|ezer|bin)\b`)

// scaledIn returns the numbers of a text in normal form that have such a word behind them.
func scaledIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range scaled.FindAllStringSubmatch(text, -1) {
		for _, n := range numbersIn(m[1]) {
			out[n] = true
		}
	}
	return out
}

// numbers: each number of the text stands in the translation, with any separators. One that
// translators may write as a word or as a part of a date is one that code cannot tell.
func (g segment) numbers() error {
	if !strings.ContainsFunc(g.was, unicode.IsDigit) && !strings.ContainsFunc(g.is, unicode.IsDigit) {
		return nil
	}
	from, to := numeric(numbering.ReplaceAllString(g.from, "%")), numeric(numbering.ReplaceAllString(g.to, "%"))
	there := numbered(to)
	var scales map[string]bool
	var doubt error
	all, others := numbersIn(from), numbersIn(to)
	for i, n := range all {
		if i >= maxThings {
			return unknown("it has more than %d numbers", maxThings)
		}
		found := there.find(n)
		if found == no && scales == nil {
			scales = scaledIn(from)
		}
		switch {
		case found == yes:
		case found == no && !scales[n] && !there.dated(n):
			return fmt.Errorf("it lacks the number %s", prose.Quote(n))
		default:
			doubt = cmp.Or(doubt, unknown("the number %s may stand in it in another form", prose.Quote(n)))
		}
	}
	here := numbered(from)
	for i, n := range others {
		if doubt == nil && (i >= maxThings || here.find(n) != yes) {
			doubt = unknown("it has the number %s, which the text does not have as a number", prose.Quote(n))
		}
	}
	if doubt == nil && !inOrder(from, to) {
		doubt = unknown("its numbers stand in another order than those of the text")
	}
	return doubt
}

// day is a date in digits, whose parts another language writes in another order.
var day = regexp.MustCompile(`\b[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}\b|\b[0-9]{1,2}[-./][0-9]{1,2}[-./][0-9]{2,4}\b`)

// inOrder reports whether two texts have the same numbers in the same order, besides dates.
func inOrder(from, to string) bool {
	a, b := numbersIn(day.ReplaceAllString(from, " ; ")), numbersIn(day.ReplaceAllString(to, " ; "))
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		other := readings(b[i])
		if !slices.ContainsFunc(readings(a[i]), func(r string) bool { return slices.Contains(other, r) }) {
			return false
		}
	}
	return true
}

// dated reports whether a number may be a date, which another language writes in another way: all
// its parts that cannot be a day or a month stand in the text.
func (s *numbers) dated(written string) bool {
	const days = 31
	parts := groups(written)
	if len(parts) < 2 {
		return false
	}
	small := 0
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		switch {
		case err == nil && n <= days && len(p) <= 2:
			small++
		case !s.known[value(p, "")]:
			return false
		}
	}
	return small > 0
}

// names are texts that a translation leaves as they are.
type names []string

// stand: what stays as it is stands in the translation of a segment in which it stands. A name with
// another ending is one that code cannot tell.
func (n names) stand(g segment) error {
	if len(n) == 0 {
		return nil
	}
	from, to := folded(g.was), folded(g.is)
	for _, name := range n {
		if c := comparable(name); !strings.Contains(from, c) || strings.Contains(to, c) {
			continue
		}
		there := newSource([]string{g.to}, demand.Names)
		if there.odd {
			return unknown("it is too long when its characters are written out")
		}
		if slices.ContainsFunc(words(prose.Normal(name)), func(w string) bool { return there.name(w) == no }) {
			return fmt.Errorf("it lacks the name %s", prose.Quote(name))
		}
		return unknown("the name %s may stand in it in another form", prose.Quote(name))
	}
	return nil
}

// minCopied is how many words a text needs so that its translation has to differ.
const minCopied = 8

// copied looks for sentences that were left as they are. Names and labels may be the same in two
// languages.
func (t whole) copied(all []segment) error {
	const few = 3 // words of a label
	known := newLexicon()
	var doubt error
	var left []string // the texts that were copied, with their marks
	n, changed := 0, false
	for _, g := range all {
		own := words(folded(g.was))
		if n += len(own); len(own) == 0 {
			continue
		}
		why := error(nil)
		switch same := slices.Equal(own, words(folded(g.is))); {
		case !same && t.To == "":
			changed = true
		case !same:
			changed = true
			if lang := known.sentence(g.to, t.To); lang != "" {
				why = unknown("it may be in the language %q", lang)
			}
		case len(own) >= minCopied && t.To != "" && known.sentence(g.from, t.To) != "":
			return fmt.Errorf("%s: it is a copy of the text", g.place())
		default:
			if left = append(left, g.from); len(own) >= few {
				why = unknown("it is the text itself")
			}
		}
		if why != nil {
			doubt = cmp.Or(doubt, fmt.Errorf("%s: %w", g.place(), why))
		}
	}
	switch {
	case changed:
		return doubt
	case n >= minCopied && known.sentence(strings.Join(left, "\n"), t.To) != "":
		return errors.New("it is a copy of the text")
	}
	return unknown("it is the text itself, which is short, or may be names and labels")
}

// whole has the demands on a translation as a whole.
type whole demand.Translation

// length compares the numbers of characters.
func (t whole) length(all []segment) error {
	if t.Ratio == nil {
		return nil
	}
	least, ok := demand.Number(string(t.Ratio.Min))
	most, well := demand.Number(string(t.Ratio.Max))
	from, to := 0, 0
	for _, g := range all {
		from += utf8.RuneCountInString(strings.TrimSpace(g.from))
		to += utf8.RuneCountInString(strings.TrimSpace(g.to))
	}
	if !ok || !well || from == 0 {
		return unknown("there is no ratio of lengths")
	}
	if ratio := big.NewRat(int64(to), int64(from)); ratio.Cmp(least) < 0 || ratio.Cmp(most) > 0 {
		return fmt.Errorf("it has %d characters, %s times as many as the text; %s to %s are allowed", to, decimals(ratio), t.Ratio.Min, t.Ratio.Max)
	}
	return nil
}

func (t whole) language(all []segment) error {
	if t.To == "" {
		return nil
	}
	texts := make([]string, len(all))
	for i, g := range all {
		texts[i] = g.to
	}
	known := newLexicon()
	if err := known.tell(strings.Join(texts, "\n"), t.To); err != nil {
		return fmt.Errorf("it %w", err)
	}
	for _, g := range all {
		if err := known.tell(g.to, t.To); err != nil && !errors.Is(err, ErrCannotTell) {
			return fmt.Errorf("%s %w", g.place(), err)
		}
	}
	return nil
}
