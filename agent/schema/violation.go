package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// leaf is an innermost error of the validator.
type leaf struct {
	path string
	err  *jsonschema.ValidationError
}

// violations lists the innermost errors with the smallest paths, each once. The library walks over maps, so its order means nothing; and
// there may be a hundred thousand of them, so only those that can be listed are put into words.
func (s *Schema) violations(e *jsonschema.ValidationError) []Violation {
	leaves := innermost(e, nil)
	slices.SortFunc(leaves, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	var out []Violation
	for i, l := range leaves {
		if len(out) >= s.limits.Violations && l.path != leaves[i-1].path {
			break
		}
		_, problem, _ := strings.Cut(l.err.Error(), "': ")
		out = append(out, Violation{short(l.path), short(problem)})
	}
	slices.SortFunc(out, func(a, b Violation) int { return strings.Compare(a.Path+"\x00"+a.Problem, b.Path+"\x00"+b.Problem) })
	out = slices.Compact(out)
	return out[:min(len(out), s.limits.Violations)]
}

func innermost(e *jsonschema.ValidationError, leaves []leaf) []leaf {
	for _, cause := range e.Causes {
		leaves = innermost(cause, leaves)
	}
	if len(e.Causes) == 0 {
		leaves = append(leaves, leaf{pointer(e.InstanceLocation), e})
	}
	return leaves
}

// pointer writes a JSON pointer.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// short cuts a text that may be as long as a value.
func short(s string) string {
	const most = 190
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "")
}
