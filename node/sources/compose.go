package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// compose makes a source. The draft overrides the upstream's own description of the tool.
func (d *Draft) compose(form kind.Form, settings kind.Settings, tool *kind.Tool) (datasource.Source, error) {
	s := datasource.Source{Upstream: settings, Limits: datasource.DefaultLimits()}
	shape := settings.Shape()
	s.InputSchema, s.OutputSchema, s.Description = shape.Request, shape.Answer, d.Name+": "+shape.Words
	if tool != nil {
		s.Title, s.InputSchema, s.OutputSchema = tool.Title, modern(tool.InputSchema), modern(tool.OutputSchema)
		s.Description = shorten(tool.Description, s.Description)
	}
	s.Name = d.Name
	if d.Title != "" {
		s.Title = d.Title
	}
	if d.Description != "" {
		s.Description = d.Description
	}
	if d.Timeout != 0 {
		s.Limits.Seconds = d.Timeout
	}
	s.Redact = d.Redact
	for flag, schema := range map[string]struct {
		file string
		into *json.RawMessage
	}{"input-schema": {d.InputSchema, &s.InputSchema}, "output-schema": {d.OutputSchema, &s.OutputSchema}} {
		if schema.file == "" {
			continue
		}
		raw, err := schemaOf(flag, schema.file)
		if err != nil {
			return s, err
		}
		*schema.into = raw
	}
	var err error
	if s.Limits.MaxRate, err = d.maxRate(); err != nil {
		return s, err
	}
	if s.Terms, err = d.terms(); err != nil {
		return s, err
	}
	return s, flagged(form, s.Validate())
}

// shorten makes a description of a server's words, which may be empty or too long.
func shorten(said, otherwise string) string {
	said = strings.Join(strings.Fields(strings.ToValidUTF8(said, "")), " ")
	if said == "" {
		return otherwise
	}
	if len(said) > datasource.MaxDescription {
		said = strings.ToValidUTF8(said[:datasource.MaxDescription], "")
	}
	return said
}

// whole reads the source of --file. The draft may repeat its name.
func (d *Draft) whole() (src datasource.Source, err error) {
	raw, err := fromFile("file", d.File, 2*datasource.MaxFile, fmt.Sprintf("%s has more than %d bytes", d.File, datasource.MaxFile))
	if err != nil {
		return src, err
	}
	if src, err = datasource.Parse(raw); err != nil {
		return src, wrong("file", "%s: %v", d.File, err)
	}
	if d.Name != "" && d.Name != src.Name {
		return src, wrong("NAME", "is %q, but the file's source is called %q; name both alike, or leave NAME out", d.Name, src.Name)
	}
	return src, nil
}

// flagged turns an error in a field of the source into one that names the flag.
func flagged(form kind.Form, err error) error {
	var field *casefile.FieldError
	if !errors.As(err, &field) {
		return err
	}
	if flag := form.FlagOf(strings.TrimPrefix(field.Field, "upstream.")); flag != "" {
		return &kind.FlagError{Flag: flag, Problem: field.Problem}
	}
	name, _, _ := strings.Cut(field.Field, "[")
	for name != "" {
		if flag, ok := flagOf()[name]; ok {
			return &kind.FlagError{Flag: flag, Problem: field.Problem}
		}
		name = name[:max(0, strings.LastIndexByte(name, '.'))]
	}
	return &kind.FlagError{Problem: field.Error()}
}

// flagOf names the flags of the fields of every source.
func flagOf() map[string]string {
	return map[string]string{
		"name": "NAME", "title": "title", "description": "description", "inputSchema": "input-schema", "outputSchema": "output-schema",
		"terms.price": "price", "terms.rate": "rate", "terms.total_rate": "total-rate", "terms.quota": "quota", "terms.who": "who",
		"terms.promises.freshness_seconds": "freshness", "terms.promises.retention_seconds": "retention", "terms.promises.others": "promise",
		"terms.demands": "demand", "terms.access": "access",
		"redact.remove": "remove-field", "redact.mask": "mask", "redact.patterns": "pattern", "limits.seconds": "timeout",
	}
}

// schemaOf reads a schema that a person wrote: the text itself, or the path of its file.
func schemaOf(flag, text string) (raw json.RawMessage, err error) {
	const most = 4 * datasource.MaxSchema
	what := text
	long := fmt.Sprintf("%.70s has more than %d bytes; a schema has at most %d without blanks", what, most, datasource.MaxSchema)
	if strings.HasPrefix(text, "{") {
		raw, what = json.RawMessage(text), "the text"
		if len(raw) > most {
			return nil, wrong(flag, "%s", long)
		}
	} else if raw, err = fromFile(flag, text, most, long); err != nil {
		return nil, err
	}
	if !json.Valid(raw) {
		return nil, wrong(flag, "%s is not JSON; write a JSON Schema, such as {\"type\": \"object\"}", what)
	}
	return raw, nil
}

// fromFile reads a file that a flag names. The error is long if the file has more than most bytes.
func fromFile(flag, path string, most int, long string) (raw []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, wrong(flag, "%v", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(file, int64(most)+1))
	switch {
	case err != nil:
		return nil, wrong(flag, "%v", err)
	case len(raw) > most:
		return nil, wrong(flag, "%s", long)
	}
	return raw, nil
}
