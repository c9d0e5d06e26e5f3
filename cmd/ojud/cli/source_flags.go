package cli

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ojud/cmd/ojud/view"
	"ojud/datasource/kind"
	"ojud/node/sources"
)

// SourceFlags are the flags of source add.
type SourceFlags struct {
	sources.Draft
	sources.Options
	price                         Amount
	freshness, retention, timeout Span
	request                       string
	kinds                         kindFlags
}

// Add adds the flags.
func (f *SourceFlags) Add(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.kinds = newKindFlags(flags, kind.Forms())
	f.terms(flags)
	flags.StringVar(&f.As, "as", "", "a well-known API: "+strings.Join(sources.Presets(), " or ")+"; other flags change what the preset says")
	flags.StringVar(&f.File, "file", "", "a whole source file, NAME.source.json; goes without the flags above")
	flags.StringVar(&f.request, "request", "", "a request to try the source with, such as '{\"id\":\"7\"}' (default: made up, if that only reads)")
	flags.BoolVar(&f.Untried, "no-test", false, "write it without trying it")
	flags.BoolVar(&f.Replace, "replace", false, "replace the source that has the name")
}

func (f *SourceFlags) terms(flags *pflag.FlagSet) {
	text := func(into *string, name, help string) { flags.StringVar(into, name, "", help) }
	list := func(into *[]string, name, help string) {
		flags.StringArrayVar(into, name, nil, help+" (repeat for more)")
	}
	text(&f.Title, "title", "a title for people")
	text(&f.Description, "description", "what the source tells: judges choose by it")
	flags.Var(&f.price, "price", "price of one answer, such as 5000lamports or 0.000005sol (default free)")
	text(&f.Who, "who", "who may ask: seated (judges of a case whose task names the source), judges (seated in any), roster, agents (registered), parties (of a task), anyone, or ADDRESS,… (default seated)")
	text(&f.Rate, "rate", "requests of one asker (default 30/60s)")
	text(&f.TotalRate, "total-rate", "requests of all askers (default 600/60s)")
	text(&f.MaxRate, "max-rate", "calls of the upstream since the node began, which wait for their turn, such as 10/1s or 1000/24h; outside of cases half (default no limit)")
	flags.IntVar(&f.Quota, "quota", 0, "requests of one round of a case (default 280)")
	flags.Var(&f.freshness, "freshness", "promise: no answer is older; until then one is given again (default 60s; 0s: always fetched anew)")
	flags.Var(&f.retention, "retention", "promise: requests are forgotten after this time; 0s: not kept (default: nothing is promised)")
	list(&f.Promise, "promise", "another promise, in words")
	list(&f.Demand, "demand", `what an asker has to promise, such as "no data retention"`)
	list(&f.Access, "access", "a field of the answer that may be given, name or JSON pointer (default all)")
	list(&f.Remove, "remove-field", "a field that is taken out of every answer, name at any depth or JSON pointer")
	list(&f.Mask, "mask", `a field whose value becomes "[redacted]"`)
	list(&f.Patterns, "pattern", "a regular expression; what it matches becomes \"[redacted]\"")
	text(&f.InputSchema, "input-schema", "JSON Schema of requests, or its file (default from the template, the tool or the SQL)")
	text(&f.OutputSchema, "output-schema", "JSON Schema of answers, or its file (default the tool's, or any)")
	flags.Var(&f.timeout, "timeout", "of one answer, 1s to 5m (default 20s)")
}

// aside lists the flags that do not describe a source.
func aside() []string {
	return []string{"file", "request", "no-test", "replace", "config", "home", "json", "log-level", "help"}
}

// Finish fills in the draft from the given flags.
func (f *SourceFlags) Finish(cmd *cobra.Command, args []string) (err error) {
	f.Name = First(args...)
	f.Upstream = f.kinds.values(cmd.Flags())
	if f.Request, err = ReadRequest("--request", f.request); err != nil {
		return err
	}
	if err := f.Apply(&f.Options); err != nil {
		return SourceError(cmd, err)
	}
	form, err := f.Form()
	if err != nil {
		return SourceError(cmd, err)
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		others := f.kinds.formsOf(flag.Name)
		switch {
		case err != nil:
		case flag.Changed && flag.Value.String() == "" && flag.Value.Type() != new(Span).Type():
			err = Usage("--%s is empty", flag.Name).Next("give it a value, or leave it out")
		case form == nil && !slices.Contains(aside(), flag.Name):
			err = Usage("--%s does not go with --file", flag.Name).Next("say it in the file")
		case form != nil && len(others) > 0 && !form.Has(flag.Name):
			err = Usage("--%s does not go with --%s", flag.Name, form.Name).Next("it goes with --" + strings.Join(others, ", --"))
		}
	})
	if err != nil {
		return err
	}
	if f.Name == "" && form != nil {
		return Usage("%s needs a name", shortPath(cmd)).Next("such as: ojud source add site.post --http 'https://api.site.example/posts/{id}'")
	}
	return f.numbers(cmd)
}

// numbers moves the values with units into the draft. It refuses 0 where 0 would mean the default.
func (f *SourceFlags) numbers(cmd *cobra.Command) error {
	for _, name := range append(f.kinds.numbers(), "timeout", "quota") {
		if flag := cmd.Flags().Lookup(name); flag.Changed && (flag.Value.String() == "" || flag.Value.String() == "0") {
			return Usage("--%s is 0", name).Next("give a higher value, or leave it out")
		}
	}
	f.Price = uint64(f.price.Lamports)
	f.Timeout = int(f.timeout.Seconds)
	for flag, promise := range map[string]struct {
		given *Span
		into  **int64
	}{"retention": {&f.retention, &f.Retention}, "freshness": {&f.freshness, &f.Freshness}} {
		if cmd.Flags().Changed(flag) {
			seconds := int64(promise.given.Seconds)
			*promise.into = &seconds
		}
	}
	return nil
}

// kindFlags are the flags for the kinds of sources.
type kindFlags []kind.Form

// newKindFlags adds the flags of all forms. If several forms share a flag, it adds the flag once.
func newKindFlags(flags *pflag.FlagSet, forms []kind.Form) kindFlags {
	for _, form := range forms {
		for _, flag := range append([]kind.Flag{form.Flag}, form.More...) {
			if old := flags.Lookup(flag.Name); old == nil {
				addKindFlag(flags, flag)
			} else if !strings.Contains(old.Usage, flag.Help) {
				old.Usage += "; with --" + form.Name + ": " + flag.Help
			}
		}
	}
	return forms
}

func addKindFlag(flags *pflag.FlagSet, flag kind.Flag) {
	switch flag.Value {
	case kind.Text:
		flags.String(flag.Name, "", flag.Help)
	case kind.List:
		flags.StringArray(flag.Name, nil, flag.Help+" (repeat for more)")
	case kind.Switch:
		flags.Bool(flag.Name, false, flag.Help)
	case kind.Count:
		flags.Int(flag.Name, 0, flag.Help)
	case kind.Span:
		flags.Var(new(Span), flag.Name, flag.Help)
	}
}

// values returns the flags of kinds that were given.
func (k kindFlags) values(flags *pflag.FlagSet) kind.Values {
	v := kind.Values{}
	flags.Visit(func(flag *pflag.Flag) {
		if len(k.formsOf(flag.Name)) == 0 {
			return
		}
		switch value := flag.Value.(type) {
		case pflag.SliceValue:
			v[flag.Name] = value.GetSlice()
		case *Span:
			v[flag.Name] = []string{strconv.FormatInt(int64(value.Seconds), 10)}
		default:
			v[flag.Name] = []string{value.String()}
		}
	})
	return v
}

// formsOf names the forms that have a flag.
func (k kindFlags) formsOf(flag string) (names []string) {
	for _, form := range k {
		if form.Has(flag) {
			names = append(names, form.Name)
		}
	}
	return names
}

// numbers names the flags whose value must be above 0.
func (k kindFlags) numbers() (names []string) {
	for _, form := range k {
		for _, flag := range form.More {
			if flag.Value == kind.Count || flag.Value == kind.Span {
				names = append(names, flag.Name)
			}
		}
	}
	return names
}

// SourceError turns an error about a flag into an error of the command line.
func SourceError(cmd *cobra.Command, err error) error {
	var wrong *kind.FlagError
	switch {
	case errors.As(err, &wrong):
		return Usage("%s", view.Escape(Plain(wrong))).Next("see: " + cmd.CommandPath() + " --help")
	case errors.Is(err, sources.ErrNoAnswer): // it quotes the server of the source
		return Fail("%s", view.Escape(err.Error()))
	case errors.Is(err, sources.ErrUnknown):
		return Fail("%v", err).Next(`"ojud source list" shows those that there are`)
	}
	return err
}
