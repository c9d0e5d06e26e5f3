package generator

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// voice writes the sentences of a task and of its document in words that are drawn, so that no
// sentence shows who made it. Both twins have the same voice: the sentences of one number are drawn
// alike, so that nothing but the one difference tells them apart.
type voice struct {
	seed  [32]byte
	label string
	count int
	camel bool // names of fields are written likeThis, not like_this
}

// voice draws how a task is written.
func (d *dice) voice() voice {
	return voice{seed: d.seed, label: fmt.Sprintf("%s:voice:%x", d.label, d.word()), camel: d.chance(25)}
}

// say draws the words of a pattern, and puts the arguments in place of $1, $2 and so on. {a|b} is
// one of a and b; braces may stand in braces, and ¦ is a bar of the text.
func (v *voice) say(pattern string, args ...any) string {
	v.count++
	drawn := roll(v.seed, v.label+":"+strconv.Itoa(v.count)).spin(usual.Replace(pattern))
	return fill(strings.ReplaceAll(drawn, "¦", "|"), args...)
}

// usual are turns of phrase that many sentences have, and what can be said instead.
var usual = strings.NewReplacer(
	"down to a cent", "{down to a cent|down to whole cents|to the cent below|down, so that no fraction of a cent is left|down to full cents}",
	"up to a full cent", "{up to a full cent|up to whole cents|to the next cent|up if a fraction of a cent is left}",
	"up to a cent", "{up to a cent|up to whole cents|to the next cent|up if a fraction of a cent is left}",
	"in cents", "{in cents|in whole cents|as cents|counted in cents}", "10 cents", "{10 cents|0.10|ten cents}",
	"the number of parcels", "{the number of parcels|how many parcels there are|the count of parcels|how many it is}", "the number of rows", "{the number of rows|how many rows|the count of lines}",
	"ids of {the|all} requests", "{ids of the requests|ids of all requests|id of each request|requests (their ids)|id of every request}",
	"in the order in which they are", "{in the order in which they are|in the order of being|as they are|sorted as they are|one after the other as}",
	"is a long one", "{is a long one|is called long|is long for us|has to be called long}",
)

// name draws the name of a field of the result.
func (v *voice) name(pattern string) string {
	text := v.say(pattern)
	if !v.camel {
		return text
	}
	parts := strings.Split(text, "_")
	for i := range parts[1:] {
		parts[i+1] = strings.ToUpper(parts[i+1][:1]) + parts[i+1][1:]
	}
	return strings.Join(parts, "")
}

// claim says what a field is.
func (v *voice) claim(field string, value any) string {
	return v.say("{$1 is $2|$1 must be $2|$1 has to be $2|the right $1 is $2|for $1, $2 is right}", field, value)
}

// fill puts arguments in place of $1 to $9.
func fill(pattern string, args ...any) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		n := 0
		if rest != "" {
			n = int(rest[0] - '0')
		}
		if n < 1 || n > len(args) { // not ours
			out.WriteByte('$')
			pattern = rest
			continue
		}
		fmt.Fprint(&out, args[n-1])
		pattern = rest[1:]
	}
}

// spin draws one of the alternatives of each brace.
func (d *dice) spin(pattern string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		var options []string
		options, pattern = alternatives(rest)
		out.WriteString(d.spin(pick(d, options...)))
	}
}

// alternatives splits what follows an opening brace at its bars, up to its closing brace.
func alternatives(text string) (options []string, rest string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			return append(options, text[begin:i]), text[i+1:]
		case c == '|' && depth == 0:
			options, begin = append(options, text[begin:i]), i+1
		}
	}
	panic("generator: a brace of a pattern is not closed: " + text) // a constant, which the tests draw
}

// spelled reports whether a word has to stay as it is at the beginning of a sentence, because it is
// a name of a field or an id.
func spelled(word string) bool {
	return strings.ContainsAny(word, "_0123456789(") || strings.IndexFunc(word, unicode.IsUpper) > 0
}
