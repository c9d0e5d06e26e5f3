package judge

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patterns compiles the regular expressions of a schema within its limits. RE2 takes time linear in the text, but also in the
// size of the expression: a{1000} is a thousand instructions, and it may be nested.
type patterns struct {
	limits Limits
	left   int
}

// pattern is a regular expression whose size is known.
type pattern struct {
	*regexp.Regexp
	size int
}

// compile implements jsonschema.RegexpEngine.
func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > p.limits.PatternBytes {
		return nil, fmt.Errorf("pattern of %d bytes; at most %d", len(text), p.limits.PatternBytes)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", quote(text), err)
	}
	size := sizeOf(tree)
	if p.left -= size; p.left < 0 {
		return nil, fmt.Errorf("patterns are larger than %d instructions together", p.limits.PatternSize)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", quote(text), err)
	}
	return &pattern{re, size}, nil
}

// cost is what matching a text costs, in steps.
func (p *pattern) cost(text string) int { return 1 + p.size*len(text)/64 }

// sizeOf estimates the number of instructions before anything is unrolled.
func sizeOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/2
	for _, sub := range re.Sub {
		n += sizeOf(sub)
	}
	if re.Op == syntax.OpLiteral {
		n = 1 + len(re.Rune)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1, 1)
	}
	return n
}
