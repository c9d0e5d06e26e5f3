package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// The most characters of a stranger's text on a page.
const (
	maxLong  = 20_000 // of a document
	maxShort = 400    // of a line
)

// plain makes the text of a stranger harmless before a template escapes it. Characters that change
// the direction of text, that cannot be seen, or that steer a terminal become <U+XXXX>. It cuts the
// text and says so.
func plain(text string, most int) string {
	var out strings.Builder
	n := 0
	for i, r := range text {
		if n++; n > most {
			fmt.Fprintf(&out, " … (%d more bytes)", len(text)-i)
			break
		}
		switch {
		case r == '\n' || r == '\t' || r != utf8.RuneError && visible(r):
			out.WriteRune(r)
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		default:
			fmt.Fprintf(&out, "<U+%04X>", r)
		}
	}
	return out.String()
}

// visible reports whether a reader sees the character where it stands.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.Is(unicode.Variation_Selector, r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Line is plain for a text that stands in one line.
func Line(text string) string {
	return strings.Join(strings.Fields(plain(text, maxShort)), " ")
}

// Whole makes all of a JSON value of a stranger harmless, for a reader who decides by it: nothing
// is left out, and nothing is put into another order.
func Whole(raw []byte) string { return plain(indented(raw), math.MaxInt) }

// Passage is a part of a document, made harmless.
type Passage struct {
	Label string // empty: none
	Text  string
	Pre   bool // its line breaks and spaces matter
	Cut   bool // not all of it is here
	Image *shown
	Code  []Token // the text as a program; empty: it is none
}

// maxBlocks bounds the parts of a document that are shown one by one.
const maxBlocks = 24

// Passages takes a JSON document apart for people: strings as text, everything else as JSON.
func Passages(raw []byte) []Passage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || len(members) == 0 || len(members) > maxBlocks {
		return []Passage{value("", raw)}
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]Passage, 0, len(names))
	for _, name := range names {
		out = append(out, value(Line(name), members[name]))
	}
	return out
}

// value shows one JSON value.
func value(label string, raw []byte) Passage {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if i, ok := imageOf(text); ok {
			return Passage{Label: label, Text: i.shown().Words, Image: i.shown()}
		}
		return passage(label, text, maxLong)
	}
	p := passage(label, indented(raw), maxLong)
	p.Pre = true
	return p
}

// passage shows a text, or its first characters.
func passage(label, text string, most int) Passage {
	cut := utf8.RuneCountInString(text) > most
	text = plain(text, most)
	return Passage{Label: label, Text: text, Cut: cut, Pre: strings.ContainsAny(text, "\n\t") || strings.Contains(text, "  ")}
}

// maxIndent bounds how deep JSON is indented: each line of deeper JSON would be mostly spaces.
const maxIndent = 64

// indented writes JSON for people, or as it is if it is no JSON.
func indented(raw []byte) string {
	depth, most := 0, 0
	for _, b := range raw { // a bracket in a string counts, too: such JSON is shown as it is
		switch b {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth--
		}
	}
	var pretty bytes.Buffer
	if most > maxIndent || json.Indent(&pretty, raw, "", "  ") != nil {
		return string(raw)
	}
	return pretty.String()
}

// Short returns the two ends of a key's text.
func Short(k voting.Key) string {
	text := casefile.Address(k).String()
	if len(text) <= 10 {
		return text
	}
	return text[:4] + "…" + text[len(text)-4:]
}

// sol writes lamports as SOL.
func sol(lamports uint64) string { return onchain.SOL(lamports) }

// Clock writes a time of the chain. It is empty for a time that is not known.
func Clock(unix int64) string {
	if unix <= 0 {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format("15:04:05")
}

// due writes when something ends: with its date if that is not soon.
func due(until, now int64) string {
	const soon = 12 * 60 * 60
	if until-now > soon {
		return Day(until)
	}
	return Clock(until) + " UTC"
}

// Day writes a date and a time of the chain.
func Day(unix int64) string {
	if unix <= 0 {
		return "not known yet"
	}
	return time.Unix(unix, 0).UTC().Format("2 January 2006, 15:04:05 UTC")
}

// Date writes the day of a time of the chain.
func Date(unix int64) string {
	if unix <= 0 {
		return "not known"
	}
	return time.Unix(unix, 0).UTC().Format("2 January 2006")
}

// Count writes a number of things: "1 judge", "3 judges".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
