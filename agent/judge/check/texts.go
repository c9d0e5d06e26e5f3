package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ojud/agent/judge/prose"
	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// over makes a demand on each part. One that is not met decides before one that code cannot tell.
func (s *subject) over(made string, test func(v any) error) (string, error) {
	parts, err := s.parts()
	if err != nil {
		return "", err
	}
	var doubt error
	for _, p := range parts {
		switch err := test(p.value); {
		case errors.Is(err, ErrCannotTell):
			if doubt == nil {
				doubt = fmt.Errorf("%s: %w", p.place, err)
			}
		case err != nil:
			return "", fmt.Errorf("%s %w", p.place, err)
		}
	}
	if doubt != nil {
		return "", doubt
	}
	if s.Each != nil {
		return fmt.Sprintf("each of %d items %s", len(parts), made), nil
	}
	return "it " + made, nil
}

// onText is a test of a text.
func onText(test func(text string) error) func(any) error {
	return func(v any) error {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("is %s instead of a string", pointer.Describe(v))
		}
		return test(text)
	}
}

// near compares numbers exactly: 0.3 is within 0.1 of 0.2.
func (s *subject) near() (string, error) {
	if s.Near == nil {
		return "", nil
	}
	to, ok := demand.Number(string(s.Near.To))
	within, well := demand.Number(string(s.Near.Within))
	if !ok || !well {
		return "", unknown("the demand has no numbers")
	}
	return s.over(fmt.Sprintf("is within %s of %s", s.Near.Within, s.Near.To), func(v any) error {
		number, ok := v.(json.Number)
		if !ok {
			return fmt.Errorf("is %s instead of a number", pointer.Describe(v))
		}
		n, ok := demand.Number(string(number))
		if !ok {
			return unknown("a number beyond a double")
		}
		if apart := n.Sub(n, to); apart.Abs(apart).Cmp(within) > 0 {
			return fmt.Errorf("is %.40s, which is %s away from %s; at most %s are allowed", number, decimals(apart), s.Near.To, s.Near.Within)
		}
		return nil
	})
}

// decimals writes a number for a reader.
func decimals(n *big.Rat) string {
	f, _ := n.Float64()
	return fmt.Sprintf("%.6g", f)
}

// dates: a bound without a time is compared with the day as it is written, and one with a time with
// the moment. A day without a time is before or after a moment only if all of it is, in UTC.
func (s *subject) dates() (string, error) {
	if s.Dates == nil {
		return "", nil
	}
	return s.over(fmt.Sprintf("is a date between %s and %s", orNone(s.Dates.Min), orNone(s.Dates.Max)), onText(func(text string) error {
		at, timed, ok := demand.Date(text)
		if !ok {
			return fmt.Errorf("is %s, which is no date as 2026-01-31 or 2026-01-31T12:00:00Z", prose.Quote(text))
		}
		for _, b := range []struct {
			bound string
			sign  int // of the comparison that is not allowed
			word  string
		}{{s.Dates.Min, -1, "before"}, {s.Dates.Max, 1, "after"}} {
			if b.bound == "" {
				continue
			}
			switch n, known := compareDates(at, timed, b.bound); {
			case !known:
				return unknown("%s has no time, and %s has", prose.Quote(text), b.bound)
			case n == b.sign:
				return fmt.Errorf("is %s, which is %s %s", prose.Quote(text), b.word, b.bound)
			}
		}
		return nil
	}))
}

func orNone(bound string) string {
	if bound == "" {
		return "any"
	}
	return bound
}

// compareDates compares a date with a bound.
func compareDates(at time.Time, timed bool, bound string) (n int, known bool) {
	b, exact, ok := demand.Date(bound)
	switch {
	case !ok:
		return 0, false
	case !exact: // days as they are written
		y, m, d := at.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Compare(b), true
	case timed:
		return at.Compare(b), true
	case !at.Add(24 * time.Hour).After(b):
		return -1, true
	case at.After(b):
		return 1, true
	}
	return 0, false
}

// maxMatched is the size of a text that a pattern is matched with, in bytes.
const maxMatched = 16 << 10

func (s *subject) pattern() (string, error) {
	if s.Pattern == nil {
		return "", nil
	}
	re, err := demand.Compiled(*s.Pattern)
	if err != nil {
		return "", unknown("the pattern %v", err)
	}
	left := maxMatched
	return s.over("matches "+prose.Quote(*s.Pattern), onText(func(text string) error {
		if left -= len(text); left < 0 {
			return fmt.Errorf("makes the texts longer than %d bytes, more than a pattern is matched with", maxMatched)
		}
		if !re.MatchString(text) {
			return fmt.Errorf("is %s, which does not match %s", prose.Quote(text), prose.Quote(*s.Pattern))
		}
		return nil
	}))
}

func (s *subject) notContains() (string, error) {
	if s.NotContains == nil {
		return "", nil
	}
	words := make([]string, len(s.NotContains))
	for i, w := range s.NotContains {
		words[i] = comparable(w)
	}
	return s.over(fmt.Sprintf("contains none of %d texts", len(words)), func(v any) error {
		texts := flatten(v)
		if !slices.ContainsFunc(texts, func(t string) bool { return !prose.Blank(t) }) {
			return unknown("there is no text")
		}
		for i, t := range texts {
			texts[i] = comparable(t)
		}
		all := strings.Join(texts, between)
		for i, w := range words {
			if w != "" && strings.Contains(all, w) {
				return fmt.Errorf("contains %s", prose.Quote(s.NotContains[i]))
			}
		}
		return nil
	})
}

// comparable is the form in which texts are compared: without case, hidden characters, ways to
// write one character, and sorts of white space and quotation marks.
func comparable(text string) string { return folded(prose.Normal(text)) }

// folded is the compared form of a text in normal form.
func folded(normal string) string { return straight.Replace(prose.Fold(normal)) }

// straight writes quotation marks and dashes in one way.
var straight = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'", "–", "-", "—", "-", "‐", "-", "−", "-")

// plain is a text without case and accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(prose.Fold(text)))
}

// flatten lists the texts and numbers of a value, by the names of members.
func flatten(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{string(v)}
	case []any:
		for _, item := range v {
			out = append(out, flatten(item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, flatten(v[name])...)
		}
	}
	return out
}

func (s *subject) words() (string, error) {
	w := s.Words
	if w == nil {
		return "", nil
	}
	bounds := prose.Bounds{Most: math.MaxInt}
	if w.Min != nil {
		bounds.Least = int(*w.Min)
	}
	if w.Max != nil {
		bounds.Most = int(*w.Max)
	}
	return s.over("has a number of words that is allowed", onText(func(text string) error {
		counts := prose.Count(prose.UnitWords, text)
		switch ok, known := bounds.Holds(counts); {
		case len(counts) == 0:
			return unknown("its script does not separate words")
		case !known:
			return unknown("it has %d to %d words, as one counts", slices.Min(counts), slices.Max(counts))
		case !ok && slices.Max(counts) < bounds.Least:
			return fmt.Errorf("has %d words at most; at least %d are needed", slices.Max(counts), bounds.Least)
		case !ok:
			return fmt.Errorf("has %d words at least; at most %d are allowed", slices.Min(counts), bounds.Most)
		}
		return nil
	}))
}

// maxURL bounds an address, as browsers do.
const maxURL = 2048

func (s *subject) url() (string, error) {
	if s.URL == nil {
		return "", nil
	}
	schemes := s.URL.Schemes
	if len(schemes) == 0 {
		schemes = []string{"http", "https"}
	}
	return s.over("is the address of a page or file", onText(func(text string) error {
		u, err := url.Parse(text)
		odd := func(r rune) bool {
			return r <= ' ' || r > '~' && r < 0xa0 || unicode.IsSpace(r) || strings.ContainsRune("<>\"\\", r)
		}
		switch {
		case err == nil && strings.ContainsAny(text, "^`{|}"):
			return unknown("%s has characters that browsers take, and the standard does not", prose.Quote(text))
		case len(text) > maxURL, err != nil, strings.ContainsFunc(text, odd), !u.IsAbs(), u.Opaque != "":
			return fmt.Errorf("is %s, which is no full address", prose.Quote(text))
		case !slices.Contains(schemes, u.Scheme):
			return fmt.Errorf("is %s; its scheme is none of %s", prose.Quote(text), strings.Join(schemes, ", "))
		case u.Hostname() == "", strings.Contains(u.Hostname(), ".."), strings.HasPrefix(u.Hostname(), "."):
			return fmt.Errorf("is %s, which names no host", prose.Quote(text))
		case u.User != nil:
			return fmt.Errorf("is %s, which hides its host behind the name of a user", prose.Quote(text))
		}
		name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if len(s.URL.Hosts) > 0 && !slices.ContainsFunc(s.URL.Hosts, func(h string) bool { return name == h || strings.HasSuffix(name, "."+h) }) {
			return fmt.Errorf("is %s; its host is none of %s", prose.Quote(text), strings.Join(s.URL.Hosts, ", "))
		}
		return nil
	}))
}
