package sources

import (
	"fmt"
	"strings"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// Draft describes a source with the names of the flags of "ojud source add".
type Draft struct {
	Name, Title, Description string

	As       string      // the name of a preset; Apply fills in what it says
	File     string      // a whole source file; Upstream is then empty
	Upstream kind.Values // the flags of a kind

	Price                   uint64 // lamports
	Who, Rate, TotalRate    string
	Quota                   int
	Freshness               *int64 // seconds; nil: the default of datasource.DefaultTerms
	Retention               *int64 // seconds; nil: no promise
	Promise, Demand, Access []string
	datasource.Redact
	InputSchema  string // path of a file, or the schema itself, which begins with {
	OutputSchema string // the same
	calls
}

// calls says how the upstream is called.
type calls struct {
	Timeout int    // seconds
	MaxRate string // empty: no bound
}

func wrong(flag, format string, args ...any) error {
	return &kind.FlagError{Flag: flag, Problem: fmt.Sprintf(format, args...)}
}

// Form returns the form of the flags in Upstream. It returns nil for a draft with a File.
func (d *Draft) Form() (*kind.Form, error) {
	var all []string
	var chosen []kind.Form
	for _, form := range kind.Forms() {
		all = append(all, form.Name)
		if len(d.Upstream[form.Name]) > 0 {
			chosen = append(chosen, form)
		}
	}
	switch {
	case d.File != "" && len(chosen) == 0:
		return nil, nil
	case d.File != "":
		return nil, wrong("file", "is a whole source, so --%s says it twice; change the file, or leave --file out", chosen[0].Name)
	case len(chosen) == 0:
		return nil, wrong("", "what is the source? Say one of --%s, --as, or --file", strings.Join(all, ", --"))
	case len(chosen) > 1:
		return nil, wrong(chosen[1].Name, "and --%s are two kinds; a source has one", chosen[0].Name)
	}
	return &chosen[0], nil
}
