package kind

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/config/bounds"
)

// table lists kinds in the order of a help page.
type table []row

type row struct {
	name  string // the word in source files
	fresh func() Settings
	forms []Form
}

// kinds returns the table of all kinds. To add a kind, write its files and add a row here.
func kinds() table {
	return table{
		{"http", func() Settings { return &HTTP{} }, []Form{httpForm()}},
		{"mcp", func() Settings { return &MCP{} }, []Form{mcpForm(), mcpURLForm()}},
		{"files", func() Settings { return &filesSource{} }, []Form{filesForm()}},
		{"sqlite", func() Settings { return &sqliteSource{} }, []Form{sqliteForm()}},
		{"solana", func() Settings { return &solanaSource{} }, []Form{solanaForm()}},
	}
}

// Names returns the names of all kinds, in order.
func Names() []string { return kinds().names() }

func (t table) names() (names []string) {
	for _, k := range t {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// NameOf returns the name of the kind of settings.
func NameOf(s Settings) string { return kinds().nameOf(s) }

func (t table) nameOf(s Settings) string {
	for _, k := range t {
		if reflect.TypeOf(k.fresh()) == reflect.TypeOf(s) {
			return k.name
		}
	}
	return ""
}

// Decode reads and validates {"kind": "http", …}: canonical JSON with a member "kind" and the
// settings of that kind. Errors are casefile.FieldErrors whose field begins with path.
func Decode(document string, canonical json.RawMessage, path string) (Settings, error) {
	return kinds().decode(document, canonical, path)
}

func (t table) decode(document string, canonical json.RawMessage, path string) (Settings, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &members); err != nil || members == nil {
		return nil, &casefile.FieldError{Document: document, Field: path, Problem: "is not an object; write {\"kind\": …}"}
	}
	var name string
	wrongKind := &casefile.FieldError{Document: document, Field: path + ".kind"}
	if err := json.Unmarshal(members["kind"], &name); err != nil {
		wrongKind.Problem = "is missing or not a string; the kinds are " + strings.Join(t.names(), ", ")
		return nil, wrongKind
	}
	var outside *bounds.Error
	if errors.As(bounds.Check("", bounds.OneOf("kind", name, t.names()...)), &outside) {
		wrongKind.Problem = outside.Problem
		return nil, wrongKind
	}
	at := slices.IndexFunc(t, func(k row) bool { return k.name == name })
	delete(members, "kind")
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	settings := t[at].fresh()
	if err := casefile.Fill(document, rest, settings, path); err != nil {
		return nil, err
	}
	return settings, within(document, path, settings.Validate())
}

// Encode writes settings as Decode reads them.
func Encode(s Settings) (json.RawMessage, error) { return kinds().encode(s) }

func (t table) encode(s Settings) (json.RawMessage, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	if members["kind"], err = json.Marshal(t.nameOf(s)); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}
