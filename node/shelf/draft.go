package shelf

import (
	"fmt"
	"strings"

	"ojud/datasource/kind"
)

// Draft is what a person says of a source; what is empty has its default. Fields are called as the flags of "ojud source add". File
// goes alone; of HTTP, MCP, MCPURL, Files, SQLite and Solana one is said, which is the kind.
type Draft struct {
	Name, Title, Description string
	File                     string // a whole source file

	HTTP, Method, Body, Pointer, Missing string
	Query                                []string // NAME=TEMPLATE
	Headers                              []string // NAME=VALUE; with MCPURL and Solana too
	Allow                                []string // hosts of HTTP; names or patterns of Files
	AllowPrivate                         bool

	MCP, MCPURL, Tool, Dir string
	Env                    []string // NAME=VALUE
	Start                  int      // seconds

	Files, Format string
	MaxRows       int // with SQLite too

	SQLite, SQL string
	Immutable   bool

	Solana, RPC       string
	Address, Programs []string // base58

	Price                   uint64 // lamports
	Who, Rate, TotalRate    string
	Quota                   int
	Freshness               *int64 // seconds; nil: as datasource.DefaultTerms has it
	Retention               *int64 // seconds; nil: nothing is promised
	Promise, Demand, Access []string
	Remove, Mask, Pattern   []string
	InputSchema             string // file
	OutputSchema            string // file
	Timeout                 int    // seconds
}

// Wrong is an error of a Draft.
type Wrong struct {
	Flag    string // as the command line calls it, without dashes; "" if it is about more than one
	Problem string // what is wrong and what would be right
}

// Error names the flag.
func (w *Wrong) Error() string {
	if w.Flag == "" {
		return w.Problem
	}
	if w.Flag == "NAME" {
		return w.Flag + ": " + w.Problem
	}
	return "--" + w.Flag + ": " + w.Problem
}

func wrong(flag, format string, args ...any) error {
	return &Wrong{Flag: flag, Problem: fmt.Sprintf(format, args...)}
}

// kindFlags are the flags that name a kind, in the order in which they are told.
func kindFlags() []string { return []string{"http", "mcp", "mcp-url", "files", "sqlite", "solana"} }

// Kind is the flag that says of which kind the source is. "file" if it stands in a file.
func (d *Draft) Kind() (string, error) {
	said := map[string]string{"http": d.HTTP, "mcp": d.MCP, "mcp-url": d.MCPURL, "files": d.Files, "sqlite": d.SQLite, "solana": d.Solana}
	var named []string
	for _, flag := range kindFlags() {
		if said[flag] != "" {
			named = append(named, flag)
		}
	}
	switch {
	case d.File != "" && len(named) == 0:
		return "file", nil
	case d.File != "":
		return "", wrong("file", "is a whole source, so --%s says it twice; change the file, or leave --file out", named[0])
	case len(named) == 0:
		return "", wrong("", "what is the source? Say one of --%s, or --file", strings.Join(kindFlags(), ", --"))
	case len(named) > 1:
		return "", wrong(named[1], "and --%s are two kinds; a source has one", named[0])
	}
	return named[0], nil
}

// settings are those of the draft's kind.
func (d *Draft) settings() (kind.Settings, error) {
	name, err := d.Kind()
	if err != nil {
		return nil, err
	}
	switch name {
	case "http":
		return d.http()
	case "mcp":
		return d.program()
	case "mcp-url":
		return d.server()
	case "files":
		return d.folder()
	case "sqlite":
		return d.database()
	}
	return d.chain()
}
