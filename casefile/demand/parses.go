package demand

import (
	"slices"
	"strings"
)

// The grammars that code can check a text with.
const (
	Go   = "go"   // a whole file of Go, with its package clause
	JSON = "json" // one value of JSON (RFC 8259)

	// The parsers of these are modules of the engine (docs/adr/0041-programs-as-evidence.md).
	JavaScript = "javascript" // a script or a module
	SQL        = "sql"        // statements of SQLite
	Python     = "python"     // a module of Python 3.12
)

// grammars are those that code can check a text with.
func grammars() []string { return []string{Go, JSON, JavaScript, SQL, Python} }

// InEngine reports whether an interpreter of the engine parses the text.
func (d Demands) InEngine() bool {
	return d.Parses != nil && slices.Contains([]string{JavaScript, SQL, Python}, *d.Parses)
}

func (d Demands) parses() *problem {
	if d.Parses == nil || slices.Contains(grammars(), *d.Parses) {
		return nil
	}
	return wrong("parses", "is %.20q; code can parse %s", *d.Parses, strings.Join(grammars(), ", "))
}
