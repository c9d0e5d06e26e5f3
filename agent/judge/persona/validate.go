package persona

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ojud/agent/judge/class"
)

// The limits of a persona, whose text is part of every prompt.
const (
	maxName   = 40  // bytes
	maxTitle  = 120 // bytes
	maxText   = 800 // bytes of look and of doubt
	maxSteps  = 8   // of method
	maxStep   = 400 // bytes
	maxWeight = 4.0 // of a class
)

// Validate returns an error that wraps ErrPersona and names the wrong field, its limit and the fix.
func (p Persona) Validate() error {
	if !validName(p.Name) {
		return fmt.Errorf("%w: the name %.60q is not 1 to %d of a-z 0-9 -; rename the file", ErrPersona, p.Name, maxName)
	}
	if !slices.Contains(Dimensions(), p.Dimension) {
		return fmt.Errorf("%w: dimension is %.60q; set it to one of %s", ErrPersona, p.Dimension, listed(Dimensions()))
	}
	if len(p.Method) == 0 || len(p.Method) > maxSteps {
		return fmt.Errorf("%w: method has %d steps; write 1 to %d", ErrPersona, len(p.Method), maxSteps)
	}
	for _, f := range p.fields() {
		if err := f.validate(); err != nil {
			return err
		}
	}
	return p.validWeights()
}

type field struct {
	name, text string
	most       int
}

func (p Persona) fields() []field {
	out := []field{{"title", p.Title, maxTitle}, {"look", p.Look, maxText}, {"doubt", p.Doubt, maxText}}
	for i, step := range p.Method {
		out = append(out, field{fmt.Sprintf("method[%d]", i), step, maxStep})
	}
	return out
}

func (f field) validate() error {
	switch {
	case strings.TrimSpace(f.text) == "":
		return fmt.Errorf("%w: %s is empty; write 1 to %d bytes", ErrPersona, f.name, f.most)
	case len(f.text) > f.most:
		return fmt.Errorf("%w: %s is %d bytes; shorten it to %d", ErrPersona, f.name, len(f.text), f.most)
	case !utf8.ValidString(f.text) || strings.ContainsFunc(f.text, unseen):
		return fmt.Errorf("%w: %s has invisible characters; remove them", ErrPersona, f.name)
	}
	return nil
}

// unseen reports whether an owner cannot see a character, which a prompt must not contain.
func unseen(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}

func (p Persona) validWeights() error {
	for _, c := range slices.Sorted(maps.Keys(p.Weights)) {
		switch w := p.Weights[c]; {
		case !c.Known():
			return fmt.Errorf("%w: weights.%.60s is no class of tasks; the classes are %s", ErrPersona, c, listed(class.All()))
		case !(w >= 0 && w <= maxWeight): // also NaN
			return fmt.Errorf("%w: weights.%s is %g; set it to 0 to %g", ErrPersona, c, w, maxWeight)
		}
	}
	return nil
}

// validName reports whether a name is 1 to 40 of a-z 0-9 -.
func validName(name string) bool {
	return name != "" && len(name) <= maxName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func listed[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
