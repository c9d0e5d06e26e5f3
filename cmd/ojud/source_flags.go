package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ojud/node/shelf"
)

// sourceFlags are the flags of source add: what a person says of a source.
type sourceFlags struct {
	shelf.Draft
	shelf.Options
	price                                      amount
	freshness, retention, timeout, startupTime span
	request                                    string
}

func (f *sourceFlags) add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.kinds(flags)
	f.terms(flags)
	flags.StringVar(&f.File, "file", "", "a whole source file, NAME.source.json; goes without the flags above")
	flags.StringVar(&f.request, "request", "", "a request to try the source with, such as '{\"id\":\"7\"}' (default: made up, where that only reads)")
	flags.BoolVar(&f.Untried, "no-test", false, "write it without trying it")
	flags.BoolVar(&f.Replace, "replace", false, "replace the source that has the name")
}

func (f *sourceFlags) kinds(flags *pflag.FlagSet) {
	text := func(into *string, name, help string) { flags.StringVar(into, name, "", help) }
	list := func(into *[]string, name, help string) {
		flags.StringArrayVar(into, name, nil, help+" (repeat for more)")
	}
	text(&f.HTTP, "http", "an HTTP API: URL template, with {name} for members of the request and ${env:NAME} for secrets")
	list(&f.Allow, "allow", "host that may be spoken to (default the URL's), or with --files names and patterns that may be read")
	list(&f.Headers, "header", "NAME=VALUE; secrets as ${env:NAME} or ${file:PATH}")
	list(&f.Query, "query", "NAME=TEMPLATE, left out if the request has no such member")
	text(&f.Method, "method", "GET or POST")
	text(&f.Body, "body", "JSON that is POSTed; a string that is {name} becomes that member")
	text(&f.Pointer, "pointer", "JSON pointer to the part of the API's answer that is given, such as /data")
	text(&f.Missing, "missing", "the answer if the API says 404, such as null")
	flags.BoolVar(&f.AllowPrivate, "allow-private", false, "this machine and private networks may be spoken to")
	text(&f.MCP, "mcp", "a tool of an MCP server: the command that starts it")
	text(&f.MCPURL, "mcp-url", "a tool of an MCP server: its URL (streamable HTTP)")
	text(&f.Tool, "tool", "the server's name of the tool")
	list(&f.Env, "env", "NAME=VALUE for the server's environment; secrets as ${env:NAME}")
	text(&f.Dir, "dir", "the server's working directory (default the folder of the sources)")
	flags.Var(&f.startupTime, "start", "how long the server may take to start, 1s to 5m (default 30s)")
	text(&f.Files, "files", "files: the folder; --allow says which")
	text(&f.Format, "format", "text, json, csv or lines (default text)")
	flags.IntVar(&f.MaxRows, "max-rows", 0, "rows or lines of one answer, at most 10000 (default 1000, SQLite 100)")
	text(&f.SQLite, "sqlite", "a SQLite database: the file")
	text(&f.SQL, "sql", "the SELECT that answers; :name is a member of the request")
	flags.BoolVar(&f.Immutable, "immutable", false, "nobody changes the database; it is read without locks")
	text(&f.Solana, "solana", "Solana: account or transaction")
	list(&f.Address, "address", "an account that may be asked for, or that a transaction has to mention")
	list(&f.Programs, "program", "a program that may own the account")
	text(&f.RPC, "rpc", "URL of a Solana RPC node (default the node's)")
}

func (f *sourceFlags) terms(flags *pflag.FlagSet) {
	text := func(into *string, name, help string) { flags.StringVar(into, name, "", help) }
	list := func(into *[]string, name, help string) {
		flags.StringArrayVar(into, name, nil, help+" (repeat for more)")
	}
	text(&f.Title, "title", "a title for people")
	text(&f.Description, "description", "what the source tells: judges choose by it")
	flags.Var(&f.price, "price", "of one answer, such as 5000 (lamports) or 0.000005sol (default free)")
	text(&f.Who, "who", "who may ask: seated (judges of a case whose task names the source), judges (seated in any), roster, or ADDRESS,… (default seated)")
	text(&f.Rate, "rate", "requests of one asker (default 30/60s)")
	text(&f.TotalRate, "total-rate", "requests of all askers (default 600/60s)")
	flags.IntVar(&f.Quota, "quota", 0, "requests of one case (default 100)")
	flags.Var(&f.freshness, "freshness", "promise: no answer is older; until then one is given again (default 60s; 0s: always fetched anew)")
	flags.Var(&f.retention, "retention", "promise: requests are forgotten after this time; 0s: not kept (default: nothing is promised)")
	list(&f.Promise, "promise", "another promise, in words")
	list(&f.Demand, "demand", `what an asker has to promise, such as "no data retention"`)
	list(&f.Access, "access", "a field of the answer that may be given, name or JSON pointer (default all)")
	list(&f.Remove, "remove-field", "a field that is taken out of every answer, name at any depth or JSON pointer")
	list(&f.Mask, "mask", `a field whose value becomes "[redacted]"`)
	list(&f.Pattern, "pattern", "a regular expression; what it matches becomes \"[redacted]\"")
	text(&f.InputSchema, "input-schema", "file with the JSON Schema of requests (default from the template, the tool or the SQL)")
	text(&f.OutputSchema, "output-schema", "file with the JSON Schema of answers (default the tool's, or any)")
	flags.Var(&f.timeout, "timeout", "of one answer, 1s to 5m (default 20s)")
}

// belongs lists the flags that go with some kinds alone.
func belongs() map[string][]string {
	return map[string][]string{
		"allow": {"http", "files"}, "header": {"http", "mcp-url", "solana"}, "query": {"http"}, "method": {"http"}, "body": {"http"},
		"pointer": {"http"}, "missing": {"http"}, "allow-private": {"http", "mcp-url", "solana"}, "tool": {"mcp", "mcp-url"}, "env": {"mcp"},
		"dir": {"mcp"}, "start": {"mcp", "mcp-url"}, "format": {"files"}, "max-rows": {"files", "sqlite"}, "sql": {"sqlite"}, "immutable": {"sqlite"},
		"address": {"solana"}, "program": {"solana"}, "rpc": {"solana"},
	}
}

// aside are the flags that are no part of a source.
func aside() []string {
	return []string{"file", "request", "no-test", "replace", "config", "home", "json", "log-level", "help"}
}

// finish makes the draft of the flags that were given.
func (f *sourceFlags) finish(cmd *cobra.Command, args []string) error {
	f.Name = first(args...)
	kind, err := f.Kind()
	if err != nil {
		return sourceError(cmd, err)
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		kinds, special := belongs()[flag.Name]
		switch {
		case err != nil:
		case flag.Changed && flag.Value.String() == "" && !slices.Contains([]string{"start", "freshness", "retention", "timeout"}, flag.Name):
			err = usage("--%s is empty", flag.Name).next("give it a value, or leave it out")
		case kind == "file" && !slices.Contains(aside(), flag.Name):
			err = usage("--%s does not go with --file", flag.Name).next("say it in the file")
		case kind != "file" && special && !slices.Contains(kinds, kind):
			err = usage("--%s does not go with --%s", flag.Name, kind).next("it goes with --" + strings.Join(kinds, ", --"))
		}
	})
	if err != nil {
		return err
	}
	if f.Name == "" && kind != "file" {
		return usage("%s needs a name", cmd.CommandPath()).next("such as: ojud source add site.post --http 'https://api.site.example/posts/{id}'")
	}
	return f.numbers(cmd)
}

// numbers moves what has units into the draft, and refuses what would mean "the default".
func (f *sourceFlags) numbers(cmd *cobra.Command) error {
	for _, name := range []string{"start", "timeout", "quota", "max-rows"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && (flag.Value.String() == "" || flag.Value.String() == "0") {
			return usage("--%s is 0", name).next("give more than nothing, or leave it out")
		}
	}
	f.Price = uint64(f.price.Lamports)
	f.Timeout, f.Start = int(f.timeout.seconds), int(f.startupTime.seconds)
	for flag, promise := range map[string]struct {
		given *span
		into  **int64
	}{"retention": {&f.retention, &f.Retention}, "freshness": {&f.freshness, &f.Freshness}} {
		if cmd.Flags().Changed(flag) {
			seconds := int64(promise.given.seconds)
			*promise.into = &seconds
		}
	}
	var err error
	f.Request, err = requestOf("--request", f.request)
	return err
}
