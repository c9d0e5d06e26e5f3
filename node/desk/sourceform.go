package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ojud/casefile/picture"
	"ojud/datasource"
	"ojud/datasource/kind"
	"ojud/node/sources"
)

// The ways in which a field of a form is written.
const (
	fieldText   = "text"
	fieldList   = "list" // one a line
	fieldNumber = "number"
	fieldTick   = "tick"
	fieldJSON   = "json"
)

// field is a field of the form of a source. Its name is that of the flag of "ojud source add".
type field struct {
	Name, Label, As string
	Text            string // what stands in it
}

// fieldset is a part of the form.
type fieldset struct {
	Title  string
	Fields []field
	Closed bool // it is seldom needed
}

// formPage is the form of a new source; without Kind, the choice of a kind.
type formPage struct {
	Kinds []kind.Form
	Kind  string
	Sets  []fieldset
	Fault string
}

// The names of fields that no kind has.
const (
	fieldName   = "name"
	fieldPrice  = "price"
	fieldSample = "request"
)

// common are the fields that every source has.
func common() []fieldset {
	return []fieldset{
		{Title: "What judges see", Fields: []field{
			{"description", "What it tells, because judges choose by it", fieldText, ""}, {"title", "A title for people", fieldText, ""},
			{"input-schema", "The form of a request, as a JSON Schema. Empty: from the lines above", fieldJSON, ""},
			{"output-schema", "The form of an answer, as a JSON Schema. Empty: any, or what the tool says", fieldJSON, ""},
		}},
		{Title: "Price and limits", Fields: []field{
			{fieldPrice, "Price of an answer, such as 5000lamports or 0.000005sol. Empty: free", fieldText, ""},
			{"who", "Who may ask: seated (judges of a case whose task names it), judges (of any case), roster (every judge), agents (registered agents, and judges), parties (of a task that they name, and seated judges), anyone, or addresses with commas. Empty: seated", fieldText, ""},
			{"rate", "Requests of one asker, such as 30/60s", fieldText, ""}, {"total-rate", "Requests of all askers, such as 600/60s", fieldText, ""},
			{"quota", "Requests of one round of a case", fieldNumber, ""}, {"timeout", "Seconds for an answer, 1 to 300", fieldNumber, ""},
		}},
		{Title: "Promises, and what is kept back", Closed: true, Fields: []field{
			{"freshness", "No answer is older than so many seconds", fieldNumber, ""}, {"retention", "Requests are forgotten after so many seconds", fieldNumber, ""},
			{"promise", "Other promises, one a line", fieldList, ""}, {"demand", "What an asker has to promise, one a line", fieldList, ""},
			{"access", "Fields of the answer that may be given, one a line. Empty: all", fieldList, ""},
			{"remove-field", "Fields that are taken out, one a line", fieldList, ""}, {"mask", "Fields whose value becomes “[redacted]”, one a line", fieldList, ""},
			{"pattern", "Regular expressions; what they match becomes “[redacted]”; one a line", fieldList, ""},
		}},
		{Title: "The trial", Fields: []field{
			{fieldSample, "A request to try it with. Empty: one is made up if that only reads", fieldJSON, ""},
			{"no-test", "Add it without a trial", fieldTick, ""}, {"replace", "Replace the source that has this name", fieldTick, ""},
		}},
	}
}

// as is how a value of a flag is written into a form.
func as(v kind.FlagValue) string {
	return map[kind.FlagValue]string{kind.List: fieldList, kind.Switch: fieldTick, kind.Count: fieldNumber, kind.Span: fieldNumber}[v]
}

// formOf returns the form of a kind with what was written into it.
func formOf(form kind.Form, written url.Values) formPage {
	first := fieldset{Title: "What answers"}
	first.Fields = append(first.Fields, field{fieldName, "Name of the source, such as site.post", fieldText, ""})
	for _, f := range append([]kind.Flag{form.Flag}, form.More...) {
		label := strings.ToUpper(f.Help[:1]) + f.Help[1:]
		switch f.Value {
		case kind.List:
			label += ". One a line"
		case kind.Span:
			label += ". In seconds"
		}
		how := as(f.Value)
		if how == "" {
			how = fieldText
		}
		first.Fields = append(first.Fields, field{f.Name, label, how, ""})
	}
	p := formPage{Kind: form.Name, Sets: append([]fieldset{first}, common()...)}
	for _, set := range p.Sets {
		for i := range set.Fields {
			set.Fields[i].Text = written.Get(set.Fields[i].Name)
		}
	}
	return p
}

// kindNamed finds a form by the name of its flag.
func kindNamed(name string) (kind.Form, bool) {
	for _, form := range kind.Forms() {
		if form.Name == name {
			return form, true
		}
	}
	return kind.Form{}, false
}

// newSource shows the form of a new source.
func (d *Desk) newSource(v *visit) (string, any, error) {
	form, ok := kindNamed(v.r.FormValue("kind"))
	if !ok {
		return "newsource", formPage{Kinds: kind.Forms()}, nil
	}
	var written url.Values
	d.data.mu.Lock()
	if v.r.FormValue("again") != "" && d.data.draft.Get("kind") == form.Name {
		written = d.data.draft
	}
	d.data.mu.Unlock()
	return "newsource", formOf(form, written), nil
}

// addSource adds a source as the command "source add" does.
func (d *Desk) addSource(v *visit) error {
	form, ok := kindNamed(v.r.PostFormValue("kind"))
	if !ok {
		return errNowhere
	}
	written := v.r.PostForm //nolint:forbidigo // it is the field of a request, and not the function
	d.data.mu.Lock()
	d.data.draft = written
	d.data.mu.Unlock()
	draft, options, err := draftOf(form, written)
	if err != nil {
		p := formOf(form, written)
		p.Fault = picture.Line(d.needs.Plain(err))
		d.show(v, http.StatusUnprocessableEntity, func(*visit) (string, any, error) { return "newsource", p, nil })
		return nil
	}
	return d.begin(v, "Trying "+draft.Name+" (a server may have to start first)", "/sources/new?again=1&kind="+form.Name, func(ctx context.Context) (outcome, error) {
		added, err := d.data.Home.Add(ctx, draft, options)
		var wrong *kind.FlagError
		if errors.As(err, &wrong) && wrong.Flag != "" {
			err = fmt.Errorf("the field %q: %s", wrong.Flag, wrong.Problem)
		}
		if err != nil {
			return outcome{}, err
		}
		out := outcome{told: added.Name + " is " + added.Result + ". A node that runs on this home offers it by itself.", back: sourcePath(added.Name)}
		if added.Trial != nil {
			d.data.keep(added.Name, *added.Trial)
		}
		for _, s := range added.Secrets {
			if !s.Set {
				out.warn = "The secret " + picture.Line(s.Reference) + " is not set for this desk. The node needs it."
			}
		}
		return out, nil
	})
}

// draftOf reads the form of a source.
func draftOf(form kind.Form, written url.Values) (d sources.Draft, o sources.Options, err error) {
	text := func(name string) string { return strings.TrimSpace(written.Get(name)) }
	list := func(name string) []string { return lines(written.Get(name)) }
	d = sources.Draft{
		Name: text(fieldName), Title: text("title"), Description: text("description"), Upstream: kind.Values{}, Who: text("who"), Rate: text("rate"), TotalRate: text("total-rate"),
		Promise: list("promise"), Demand: list("demand"), Access: list("access"), Redact: datasource.Redact{Remove: list("remove-field"), Mask: list("mask"), Patterns: list("pattern")},
	}
	if d.Name == "" {
		return d, o, errors.New("the source needs a name, such as site.post")
	}
	if d.InputSchema, err = schema("input-schema", text("input-schema")); err != nil {
		return d, o, err
	}
	if d.OutputSchema, err = schema("output-schema", text("output-schema")); err != nil {
		return d, o, err
	}
	if d.Price, err = amount(fieldPrice, text(fieldPrice)); err != nil {
		return d, o, err
	}
	if err := numbers(&d, text); err != nil {
		return d, o, err
	}
	for _, f := range append([]kind.Flag{form.Flag}, form.More...) {
		value, err := valueOf(f, written.Get(f.Name))
		if err != nil {
			return d, o, err
		}
		if len(value) > 0 {
			d.Upstream[f.Name] = value
		}
	}
	if len(d.Upstream[form.Name]) == 0 {
		return d, o, fmt.Errorf("the field %q is empty: %s", form.Name, form.Help)
	}
	o = sources.Options{Replace: written.Get("replace") != "", Untried: written.Get("no-test") != ""}
	o.Request, err = request(written.Get(fieldSample))
	return d, o, err
}

// numbers fills in the numbers of a draft.
func numbers(d *sources.Draft, text func(string) string) error {
	for name, into := range map[string]*int{"quota": &d.Quota, "timeout": &d.Timeout} {
		n, err := number(name, text(name), 1)
		if err != nil {
			return err
		}
		if n != nil {
			*into = int(*n)
		}
	}
	for name, into := range map[string]**int64{"freshness": &d.Freshness, "retention": &d.Retention} {
		n, err := number(name, text(name), 0)
		if err != nil {
			return err
		}
		*into = n
	}
	return nil
}

// valueOf reads the value of a flag of a kind.
func valueOf(f kind.Flag, written string) ([]string, error) {
	written = strings.TrimSpace(written)
	switch {
	case written == "":
		return nil, nil
	case f.Value == kind.List:
		return lines(written), nil
	case f.Value == kind.Switch:
		return []string{"true"}, nil
	case f.Value == kind.Count, f.Value == kind.Span:
		n, err := number(f.Name, written, 1)
		if err != nil {
			return nil, err
		}
		return []string{strconv.FormatInt(*n, 10)}, nil
	}
	return []string{written}, nil
}

// maxNumber bounds the numbers of the form: a year in seconds is less.
const maxNumber = 1 << 30

// number reads a whole number; nil: there is none.
func number(name, text string, least int64) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > maxNumber {
		return nil, fmt.Errorf("the field %q is %.40q; write a whole number from %d on, or leave it empty", name, text, least)
	}
	return &n, nil
}

// amount reads a price, which may be empty.
func amount(name, text string) (uint64, error) {
	if text == "" || text == "0" {
		return 0, nil
	}
	n, err := sol(name, text, true)
	return uint64(n), err
}

// schema checks that the text of a schema is one, so that it is not taken for the name of a file.
func schema(name, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return "", fmt.Errorf("the field %q is not a JSON Schema; write one such as {\"type\": \"object\"}", name)
	}
	return text, nil
}

// maxRequest bounds a request, in bytes.
const maxRequest = 64 << 10

// request reads a request; nil: there is none.
func request(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil || len(text) > maxRequest {
		return nil, fmt.Errorf("the request is not a JSON object of at most %d bytes; write one such as {\"id\": \"7\"}", maxRequest)
	}
	return []byte(text), nil
}

// askerWords says who may ask a source: a class, or addresses.
func askerWords(who string) string {
	return cmp.Or(datasource.Class(who).Words(), picture.Line(who))
}
