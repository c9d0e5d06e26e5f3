package shelf

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/kind"
)

// compose makes a source of a draft. tool is what the upstream says of itself; what the draft says is stronger.
func (d *Draft) compose(settings kind.Settings, tool *kind.Tool) (datasource.Source, error) {
	s := datasource.Source{Upstream: settings, Limits: datasource.DefaultLimits()}
	s.InputSchema, s.OutputSchema, s.Description = shapeOf(d.Name, settings)
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
	s.Redact = datasource.Redact{Remove: d.Remove, Mask: d.Mask, Patterns: d.Pattern}
	for flag, schema := range map[string]struct {
		file string
		into *json.RawMessage
	}{"input-schema": {d.InputSchema, &s.InputSchema}, "output-schema": {d.OutputSchema, &s.OutputSchema}} {
		if schema.file == "" {
			continue
		}
		raw, err := schemaFile(flag, schema.file)
		if err != nil {
			return s, err
		}
		*schema.into = raw
	}
	var err error
	if s.Terms, err = d.terms(); err != nil {
		return s, err
	}
	return s, d.flagged(s.Validate())
}

// shorten makes a description of what a server says of its tool, which was not written for a card.
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

// whole reads the source of --file. Its name is the draft's, if that has one.
func (d *Draft) whole() (src datasource.Source, err error) {
	file, err := os.Open(d.File)
	if err != nil {
		return src, wrong("file", "%v", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(file, 2*datasource.MaxFile+1))
	if err != nil {
		return src, wrong("file", "%v", err)
	}
	if len(raw) > 2*datasource.MaxFile {
		return src, wrong("file", "%s has more than %d bytes", d.File, datasource.MaxFile)
	}
	if src, err = datasource.Parse(raw); err != nil {
		return src, wrong("file", "%s: %v", d.File, err)
	}
	if d.Name != "" && d.Name != src.Name {
		return src, wrong("NAME", "is %q, but the file's source is called %q; name both alike, or leave NAME out", d.Name, src.Name)
	}
	return src, nil
}

// flagged says of an error in a field of the source which flag it came from.
func (d *Draft) flagged(err error) error {
	var field *casefile.FieldError
	if !errors.As(err, &field) {
		return err
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(field.Field, "upstream."), "[")
	for name != "" {
		if flag, ok := d.flagOf()[name]; ok {
			return &Wrong{flag, field.Problem}
		}
		name = name[:max(0, strings.LastIndexByte(name, '.'))]
	}
	return &Wrong{"", field.Error()}
}

// flagOf names the flags of the fields of a source; those of the upstream as its kind has them.
func (d *Draft) flagOf() map[string]string {
	flags := map[string]string{
		"name": "NAME", "title": "title", "description": "description", "inputSchema": "input-schema", "outputSchema": "output-schema",
		"terms.price": "price", "terms.rate": "rate", "terms.total_rate": "total-rate", "terms.quota": "quota", "terms.who": "who",
		"terms.promises.freshness_seconds": "freshness", "terms.promises.retention_seconds": "retention", "terms.promises.others": "promise",
		"terms.demands": "demand", "terms.access": "access",
		"redact.remove": "remove-field", "redact.mask": "mask", "redact.patterns": "pattern", "limits.seconds": "timeout",
		"hosts": "allow", "allow": "allow", "method": "method", "query": "query", "headers": "header", "body": "body", "pointer": "pointer",
		"missing": "missing", "tool": "tool", "command": "mcp", "args": "mcp", "env": "env", "dir": "dir", "start_seconds": "start",
		"format": "format", "max_rows": "max-rows", "path": "sqlite", "queries": "sql", "read": "solana", "address": "address",
		"addresses": "address", "owners": "program", "url": "rpc", "networks": "allow-private",
	}
	switch {
	case d.HTTP != "":
		flags["url"] = "http"
	case d.MCPURL != "":
		flags["url"] = "mcp-url"
	case d.Files != "":
		flags["dir"] = "files"
	}
	return flags
}
