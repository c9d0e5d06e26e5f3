package kind

import (
	"encoding/json"
	"slices"
	"strings"
)

// Shape describes a source's requests and answers if its owner says nothing else.
type Shape struct {
	Request, Answer json.RawMessage // JSON Schemas
	Words           string          // the content of the source, for its description
}

// Sample is an invented request to try a source.
type Sample struct {
	// Request is nil if no read-only request can be invented.
	Request json.RawMessage
	// Guessed says that ErrRequest is no fault, because the values may be unknown.
	Guessed bool
}

// sampleOf makes a sample of the members of a request.
func sampleOf(request map[string]any) (Sample, error) {
	raw, err := json.Marshal(request)
	return Sample{Request: raw}, err
}

// object is a JSON Schema of an object.
type object struct {
	Type       string                     `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required,omitempty"`
	Additional *bool                      `json:"additionalProperties,omitempty"`
}

// The schemas of members of requests.
const (
	schemaScalar   = `{"type":["string","number","boolean"]}`
	schemaNullable = `{"type":["string","number","boolean","null"]}`
	schemaText     = `{"type":"string"}`
	schemaCount    = `{"type":"integer","minimum":0}`
	schemaAny      = `{}`
)

// requestSchema returns the schema of a request with these members and no others.
func requestSchema(members map[string]string, required []string) json.RawMessage {
	no := false
	o := object{Type: "object", Properties: map[string]json.RawMessage{}, Required: required, Additional: &no}
	for name, schema := range members {
		o.Properties[name] = json.RawMessage(schema)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // the schemas are constants of this package, and names are words
	}
	return raw
}

// asks lists in words the members of a request.
func asks(names []string) string {
	if len(names) == 0 {
		return "the request is {}"
	}
	return "the request has: " + strings.Join(names, ", ")
}

// variables returns the {names} in templates, each once, in order, without references.
func variables(templates ...string) []string {
	var out []string
	for _, text := range templates {
		for _, found := range variable.FindAllStringSubmatch(reference.ReplaceAllString(text, ""), -1) {
			if !slices.Contains(out, found[1]) {
				out = append(out, found[1])
			}
		}
	}
	return out
}
