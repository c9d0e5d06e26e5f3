package demand

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

func (d Demands) near() *problem {
	if d.Near == nil {
		return nil
	}
	for _, f := range []struct {
		name string
		raw  json.RawMessage
	}{{"near.to", d.Near.To}, {"near.within", d.Near.Within}} {
		n, ok := Number(string(f.raw))
		if !ok {
			return wrong(f.name, "is no number")
		}
		if f.name == "near.within" && n.Sign() < 0 {
			return wrong(f.name, "is below 0")
		}
	}
	return nil
}

// Number reads a number of JSON exactly. It takes none that is beyond a double, because one of
// three bytes could have a billion digits.
func Number(raw string) (*big.Rat, bool) {
	const longest = 400
	var f float64
	if len(raw) > longest || json.Unmarshal([]byte(raw), &f) != nil || raw == "null" {
		return nil, false
	}
	if _, exponent, found := strings.Cut(strings.ToLower(raw), "e"); found && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return new(big.Rat), f == 0 // 1e-9999 is 0 as a double
	}
	return new(big.Rat).SetString(raw)
}

// dateTime is how a date with a time is written.
const dateTime = time.RFC3339Nano

// Date reads a date, or a date with a time and zone (RFC 3339).
func Date(text string) (at time.Time, timed, ok bool) {
	const longest = 40
	if len(text) > longest {
		return time.Time{}, false, false
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, false, true
	}
	at, err := time.Parse(dateTime, text)
	return at, true, err == nil
}

func (d Demands) dates() *problem {
	if d.Dates == nil {
		return nil
	}
	least, _, good := Date(d.Dates.Min)
	most, _, well := Date(d.Dates.Max)
	const form = "%.50q is no date; write 2026-01-31, or 2026-01-31T12:00:00Z"
	switch {
	case d.Dates.Min == "" && d.Dates.Max == "":
		return wrong("dates", "bounds nothing; give min, max or both")
	case d.Dates.Min != "" && !good:
		return wrong("dates.min", form, d.Dates.Min)
	case d.Dates.Max != "" && !well:
		return wrong("dates.max", form, d.Dates.Max)
	case good && well && least.After(most):
		return wrong("dates.min", "is after max, so that no date would do")
	}
	return nil
}

// Compiled returns the regular expression of a pattern. Its size is bounded, because the time of a
// match grows with it.
func Compiled(pattern string) (*regexp.Regexp, error) {
	if len(pattern) == 0 || len(pattern) > maxPattern {
		return nil, fmt.Errorf("has %d bytes; 1 to %d are allowed", len(pattern), maxPattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("is no regular expression of RE2: %w", err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("is no regular expression of RE2: %w", err)
	}
	if len(prog.Inst) > maxSize {
		return nil, fmt.Errorf("has %d instructions when it is compiled; at most %d are allowed; repeat less", len(prog.Inst), maxSize)
	}
	return regexp.Compile(pattern)
}

func (d Demands) pattern() *problem {
	if d.Pattern == nil {
		return nil
	}
	if _, err := Compiled(*d.Pattern); err != nil {
		return wrong("pattern", "%v", err)
	}
	return nil
}

func (d Demands) notContains() *problem {
	if len(d.NotContains) > maxTexts {
		return wrong("not_contains", "has %d texts; at most %d are allowed", len(d.NotContains), maxTexts)
	}
	for i, s := range d.NotContains {
		if strings.TrimSpace(s) == "" || len(s) > maxText || !utf8.ValidString(s) {
			return wrong(fmt.Sprintf("not_contains[%d]", i), "has %d bytes; 1 to %d are allowed, and not white space alone", len(s), maxText)
		}
	}
	return nil
}

func (d Demands) words() *problem {
	const most = 1 << 32
	w := d.Words
	switch {
	case w == nil:
	case w.Min == nil && w.Max == nil:
		return wrong("words", "bounds nothing; give min, max or both")
	case w.Min != nil && *w.Min > most, w.Max != nil && *w.Max > most:
		return wrong("words", "has a bound above 2^32")
	case w.Min != nil && w.Max != nil && *w.Min > *w.Max:
		return wrong("words.min", "is more than max, so that no text would do")
	}
	return nil
}

// host is how a name of a host is written.
var host = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// scheme is how a scheme is written.
var scheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]{0,19}$`)

func (d Demands) url() *problem {
	if d.URL == nil {
		return nil
	}
	for _, list := range []struct {
		name  string
		texts []string
		form  *regexp.Regexp
	}{{"url.schemes", d.URL.Schemes, scheme}, {"url.hosts", d.URL.Hosts, host}} {
		if len(list.texts) > maxTexts {
			return wrong(list.name, "has %d entries; at most %d are allowed", len(list.texts), maxTexts)
		}
		for i, s := range list.texts {
			if !list.form.MatchString(s) {
				return wrong(fmt.Sprintf("%s[%d]", list.name, i), "%.60q has another form; write it in small letters, such as https or example.org", s)
			}
		}
	}
	return nil
}

func (d Demands) grounded(ofSource bool) *problem {
	g := d.Grounded
	switch {
	case g == nil:
		return nil
	case len(g.What) == 0:
		return wrong("grounded.what", "is empty; give numbers, names, quotes, or several of them")
	case ofSource != (g.Text != nil):
		return wrong("grounded.result", "belongs to a check with data, which compares a text of the result with the source's answer; with data it is needed")
	case ofSource != (len(g.In) == 0):
		return wrong("grounded.in", "names the parts of the task where everything has to stand, such as /input_data; with data it is left out")
	case len(g.In) > maxTexts:
		return wrong("grounded.in", "has %d pointers; at most %d are allowed", len(g.In), maxTexts)
	}
	for i, k := range g.What {
		if k != Numbers && k != Names && k != Quotes || slices.Contains(g.What[:i], k) {
			return wrong(fmt.Sprintf("grounded.what[%d]", i), "is %.20q; give numbers, names or quotes, each once", string(k))
		}
	}
	for i, path := range g.In {
		if p := at(fmt.Sprintf("grounded.in[%d]", i), path); p != nil {
			return p
		}
	}
	if g.Text != nil {
		return at("grounded.result", *g.Text)
	}
	return nil
}

func (d Demands) quoted(ofSource bool) *problem {
	switch {
	case d.Quoted == nil:
		return nil
	case !ofSource:
		return wrong("quoted", "belongs to a check with data, because a quotation stands in the source's answer")
	case len(d.Quoted) > maxTexts:
		return wrong("quoted", "has %d pointers; at most %d are allowed", len(d.Quoted), maxTexts)
	}
	for i, path := range d.Quoted {
		if p := at(fmt.Sprintf("quoted[%d]", i), path); p != nil {
			return p
		}
	}
	return nil
}

func (d Demands) has() *problem {
	if len(d.Has) == 0 {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(d.Has, &members) != nil || len(members) == 0 || len(d.Has) > maxHas {
		return wrong("has", "is no object with at least one member and at most %d bytes", maxHas)
	}
	return nil
}
