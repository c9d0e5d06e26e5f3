package schema

import (
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patterns compiles the regular expressions of a schema within its limits. RE2 takes time linear in
// the text, but also in the size of the expression: a{1000} is a thousand instructions.
type patterns struct {
	limits Limits
	left   int // RE2 instructions that the schema may still use
}

// pattern is a regular expression of known size.
type pattern struct {
	*regexp.Regexp
	size int
}

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > p.limits.PatternBytes {
		return nil, fmt.Errorf("a pattern of %d bytes; at most %d", len(text), p.limits.PatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the pattern %s: %w", quote(text), err)
	}
	size := instructions(tree)
	if p.left -= size; p.left < 0 {
		return nil, fmt.Errorf("the patterns have more than %d instructions together", p.limits.PatternSize)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern %s: %w", quote(text), err)
	}
	return &pattern{re, size}, nil
}

// instructions estimates the size of an expression without unrolling it.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1, 1)
	}
	return n
}

// match reports whether a text matches, and pays for it.
func (r *run) match(re jsonschema.Regexp, text string) bool {
	p, ok := re.(*pattern)
	if !ok {
		panic(stopped{fmt.Errorf("%w: %w", errSchema, errDialect)}) // the library compiled it on its own
	}
	cost := 1 + p.size*len(text)/64
	r.spend(cost)
	if cost < lookEvery {
		return p.MatchString(text)
	}
	return p.MatchReader(&textReader{run: r, text: text, cost: 1 + p.size/64})
}

// textReader gives a text to a regular expression, so that a match stops when the run does.
type textReader struct {
	run  *run
	text string
	cost int // steps of one rune
}

func (t *textReader) ReadRune() (rune, int, error) {
	if t.text == "" {
		return 0, 0, io.EOF
	}
	t.run.look(t.cost)
	c, n := utf8.DecodeRuneInString(t.text)
	t.text = t.text[n:]
	return c, n, nil
}
