package demand

import (
	"slices"
	"strings"
)

// The grammars that code can check a text with.
const (
	Go   = "go"   // a whole file of Go, with its package clause
	JSON = "json" // one value of JSON (RFC 8259)
)

// grammars are those that code can check a text with.
func grammars() []string { return []string{Go, JSON} }

func (d Demands) parses() *problem {
	if d.Parses == nil || slices.Contains(grammars(), *d.Parses) {
		return nil
	}
	return wrong("parses", "is %.20q; code can parse %s", *d.Parses, strings.Join(grammars(), ", "))
}
