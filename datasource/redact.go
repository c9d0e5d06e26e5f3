package datasource

import (
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Redact lists the parts to remove from every answer. An entry of Remove or Mask is a name, which
// means that member at any depth, or a JSON pointer with * for any member or item.
type Redact struct {
	// Remove removes the member or item.
	Remove []string `json:"remove,omitempty"`
	// Mask replaces it by "[redacted]".
	Mask []string `json:"mask,omitempty"`
	// Patterns are regular expressions (RE2) whose matches, in names too, become "[redacted]".
	Patterns []string `json:"patterns,omitempty"`
}

// Redacted replaces a part that was removed.
const Redacted = "[redacted]"

const (
	maxPatterns    = 16
	maxPattern     = 512  // bytes
	maxPatternSize = 2000 // RE2 instructions, all patterns together
	// maxRedaction bounds instructions times bytes of text, for one answer: about one second on a
	// shared core (go test ./datasource -run xxx -bench Redact). RE2 takes time linear in both, and
	// a stranger may have written the text.
	maxRedaction = 160 << 20
)

func (r Redact) empty() bool { return len(r.Remove)+len(r.Mask)+len(r.Patterns) == 0 }

type redactor struct {
	remove, mask []selector
	patterns     []*regexp.Regexp
	size         int // RE2 instructions of the patterns
}

func (r Redact) compile() (*redactor, error) {
	var out redactor
	var err error
	if out.remove, err = selectors("redact.remove", r.Remove); err != nil {
		return nil, err
	}
	if out.mask, err = selectors("redact.mask", r.Mask); err != nil {
		return nil, err
	}
	if len(r.Patterns) > maxPatterns {
		return nil, wrong("redact.patterns", "has %d entries; at most %d", len(r.Patterns), maxPatterns)
	}
	left := maxPatternSize
	for i, text := range r.Patterns {
		field := fmt.Sprintf("redact.patterns[%d]", i)
		tree, err := syntax.Parse(text, syntax.Perl)
		if err != nil || len(text) > maxPattern {
			return nil, wrong(field, "is no regular expression of RE2 with at most %d bytes", maxPattern)
		}
		if left -= sizeOf(tree); left < 0 {
			return nil, wrong(field, "makes the patterns larger than %d instructions together; use smaller repetitions", maxPatternSize)
		}
		re, err := regexp.Compile(text)
		if err != nil || re.MatchString("") || re.MatchString(Redacted) {
			return nil, wrong(field, "matches the empty text, or %q itself; make it say what it means", Redacted)
		}
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			return nil, wrong(field, "is no regular expression of RE2")
		}
		out.patterns, out.size = append(out.patterns, re), out.size+len(program.Inst)
	}
	return &out, nil
}

// sizeOf estimates the instructions of a regular expression before anything is unrolled.
func sizeOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += sizeOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1, 1)
	}
	return n
}

// apply removes the secret parts from a decoded value, which it changes. If that would cost too
// much, it returns ErrLarge, and the answer must not be returned.
func (r *redactor) apply(doc any) (any, error) {
	if n := textBytes(doc); r.size > 0 && n > maxRedaction/r.size {
		return nil, fmt.Errorf("%w: %d bytes of text cannot be searched by patterns of %d instructions; make the patterns smaller", ErrLarge, n, r.size)
	}
	return r.walk(doc, r.remove, r.mask), nil
}

// textBytes counts the bytes of strings and names.
func textBytes(doc any) int {
	n := 0
	switch v := doc.(type) {
	case string:
		n = len(v)
	case map[string]any:
		for name, item := range v {
			n += len(name) + textBytes(item)
		}
	case []any:
		for _, item := range v {
			n += textBytes(item)
		}
	}
	return n
}

func (r *redactor) walk(doc any, remove, mask []selector) any {
	switch v := doc.(type) {
	case map[string]any:
		return r.object(v, remove, mask)
	case []any:
		out := v[:0]
		for i, item := range v {
			if item, ok := r.part(item, strconv.Itoa(i), remove, mask); ok {
				out = append(out, item)
			}
		}
		return out
	case string:
		return r.text(v)
	}
	return doc
}

func (r *redactor) object(v map[string]any, remove, mask []selector) map[string]any {
	out := make(map[string]any, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		item, ok := r.part(v[name], name, remove, mask)
		if !ok {
			continue
		}
		shown := r.text(name)
		for i := 2; shown != name && taken(out, v, shown); i++ {
			shown = r.text(name) + " " + strconv.Itoa(i)
		}
		out[shown] = item
	}
	return out
}

// taken reports whether a redacted name already exists or comes later.
func taken(out, v map[string]any, name string) bool {
	_, before := out[name]
	_, own := v[name]
	return before || own
}

// part redacts a member or item. If ok is false, it is removed.
func (r *redactor) part(item any, token string, remove, mask []selector) (any, bool) {
	remove, gone := step(remove, token)
	if gone {
		return nil, false
	}
	mask, hidden := step(mask, token)
	if hidden {
		return Redacted, true
	}
	return r.walk(item, remove, mask), true
}

func (r *redactor) text(s string) string {
	for _, re := range r.patterns {
		if s = re.ReplaceAllLiteralString(s, Redacted); len(s) > 2*MaxAnswer {
			return Redacted // patterns that match each other's marks, over and over
		}
	}
	return s
}

// hidden reports whether a part of a string was redacted.
func hidden(item any) bool {
	text, ok := item.(string)
	return ok && strings.Contains(text, Redacted)
}

// unmasked copies a value without the strings with redacted parts.
func unmasked(doc any) any {
	switch v := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, item := range v {
			if !hidden(item) && !hidden(name) {
				out[name] = unmasked(item)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if !hidden(item) {
				out = append(out, unmasked(item))
			}
		}
		return out
	}
	return doc
}
