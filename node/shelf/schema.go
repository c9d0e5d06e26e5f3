package shelf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"ojud/datasource"
	"ojud/datasource/kind"
)

// object is a JSON Schema of an object.
type object struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required,omitempty"`
	Additional *bool                      `json:"additionalProperties,omitempty"`
}

// requests is the schema of a request with these members and no others.
func requests(members map[string]string, required []string) json.RawMessage {
	no := false
	o := object{Type: "object", Properties: map[string]json.RawMessage{}, Required: required, Additional: &no}
	for name, schema := range members {
		o.Properties[name] = json.RawMessage(schema)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // the schemas are constants of this file, names are words
	}
	return raw
}

const (
	scalar   = `{"type":["string","number","boolean"]}`
	nullable = `{"type":["string","number","boolean","null"]}`
	text     = `{"type":"string"}`
	count    = `{"type":"integer","minimum":0}`
	anything = `{}`

	account = `{"type":"object","properties":{"address":{"type":"string"},"slot":{"type":"integer"},"commitment":{"type":"string"},` +
		`"exists":{"type":"boolean"},"lamports":{"type":"string"},"owner":{"type":"string"},"executable":{"type":"boolean"},"data":{"type":"string"}},` +
		`"required":["address","slot","exists"]}`
	transaction = `{"type":"object","properties":{"signature":{"type":"string"},"slot":{"type":"integer"},"commitment":{"type":"string"},` +
		`"exists":{"type":"boolean"}},"required":["signature","slot","exists"]}`
	rows  = `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object"}},"more":{"type":"boolean"}},"required":["rows"]}`
	files = `{"type":"object","properties":{"name":{"type":"string"},"modified":{"type":"string"},"content":{},"more":{"type":"boolean"}},` +
		`"required":["name","modified","content"]}`
)

// shapeOf is what a source takes and says if nobody says otherwise, and what it is in words.
func shapeOf(name string, settings kind.Settings) (in, out json.RawMessage, words string) {
	switch u := settings.(type) {
	case *kind.HTTP:
		in, words = httpRequest(u)
		return in, json.RawMessage(anything), name + ": what an HTTP API says; " + words
	case *kind.Files:
		in, words = filesRequest(u)
		return in, json.RawMessage(files), name + ": " + words
	case *kind.SQLite:
		names := u.Queries[onlyQuery].Parameters
		members := map[string]string{}
		for _, p := range names {
			members[p] = nullable
		}
		return requests(members, names), json.RawMessage(rows), name + ": rows of a database; " + asked(names)
	case *kind.Solana:
		return chainShape(name, u)
	}
	return json.RawMessage(`{"type":"object"}`), json.RawMessage(anything), name + ": a tool of a server of the Model Context Protocol"
}

func asked(names []string) string {
	if len(names) == 0 {
		return "the request is {}"
	}
	return fmt.Sprintf("the request has %q", names)
}

// httpRequest has a member for each {name}. Parameters of --query may be left out, and what stands in the body may be of any type.
func httpRequest(u *kind.HTTP) (json.RawMessage, string) {
	required := variables(u.URL, string(u.Body))
	members := map[string]string{}
	for _, name := range variables(string(u.Body)) {
		members[name] = anything
	}
	for _, name := range variables(u.URL) {
		members[name] = scalar
	}
	for _, template := range u.Query {
		for _, name := range variables(template) {
			if _, there := members[name]; !there {
				members[name] = scalar
			}
		}
	}
	return requests(members, required), asked(sortedNames(members))
}

func filesRequest(u *kind.Files) (json.RawMessage, string) {
	members, what := map[string]string{"name": text}, "files"
	if u.Format == "csv" || u.Format == "lines" {
		members["from"], members["count"] = count, count
	}
	required := []string{"name"}
	if single(u) != "" {
		required, what = nil, "a file"
	}
	return requests(members, required), what + "; the request has \"name\""
}

func chainShape(name string, u *kind.Solana) (in, out json.RawMessage, words string) {
	if u.Read == "transaction" {
		return requests(map[string]string{"signature": text}, []string{"signature"}), json.RawMessage(transaction), name + ": a transaction of Solana, finalized"
	}
	required := []string{"address"}
	if u.Address != nil {
		required = nil
	}
	return requests(map[string]string{"address": text}, required), json.RawMessage(account), name + ": an account of Solana, finalized"
}

// schemaFile reads a schema that a person wrote.
func schemaFile(flag, path string) (raw json.RawMessage, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, wrong(flag, "%v", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err = io.ReadAll(io.LimitReader(file, 4*datasource.MaxSchema+1))
	switch {
	case err != nil:
		return nil, wrong(flag, "%v", err)
	case len(raw) > 4*datasource.MaxSchema:
		return nil, wrong(flag, "%s has more than %d bytes; a schema has at most %d without blanks", path, 4*datasource.MaxSchema, datasource.MaxSchema)
	case !json.Valid(raw):
		return nil, wrong(flag, "%s is not JSON; write a JSON Schema, such as {\"type\": \"object\"}", path)
	}
	return raw, nil
}

func sortedNames[V any](m map[string]V) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
