package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patterns compiles the regular expressions of a schema within its limits. RE2 takes time linear in the text, but also in the size of the
// expression: a{1000} is a thousand instructions, and it may be nested.
type patterns struct {
	limits Limits
	left   int // RE2 instructions that may still come
}

// pattern is a regular expression whose size is known.
type pattern struct {
	*regexp.Regexp
	size int
}

// compile implements jsonschema.RegexpEngine.
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

// cost is what matching a text costs, in steps.
func (p *pattern) cost(text string) int { return 1 + p.size*len(text)/64 }

// instructions estimates the size of an expression before anything is unrolled.
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
