package kind

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
)

// kinds is the table of all kinds, by the word that names one in a source file.
func kinds() map[string]func() Settings {
	return map[string]func() Settings{
		"mcp":    func() Settings { return &MCP{} },
		"http":   func() Settings { return &HTTP{} },
		"files":  func() Settings { return &Files{} },
		"sqlite": func() Settings { return &SQLite{} },
		"solana": func() Settings { return &Solana{} },
	}
}

// Names are the kinds that there are, in order.
func Names() []string {
	var names []string
	for name := range kinds() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// NameOf is the word for the kind of settings.
func NameOf(s Settings) string {
	for name, fresh := range kinds() {
		if fmt.Sprintf("%T", fresh()) == fmt.Sprintf("%T", s) {
			return name
		}
	}
	return ""
}

// Decode reads {"kind": "http", …}: canonical JSON, a member "kind" and the settings of that kind beside it. Errors are
// casefile.FieldErrors whose field begins with path. The settings are validated.
func Decode(document string, canonical json.RawMessage, path string) (Settings, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &members); err != nil || members == nil {
		return nil, &casefile.FieldError{Document: document, Field: path, Problem: "is no object; write {\"kind\": …}"}
	}
	var name string
	all := strings.Join(Names(), ", ")
	if err := json.Unmarshal(members["kind"], &name); err != nil {
		return nil, &casefile.FieldError{Document: document, Field: join(path, "kind"), Problem: "is missing or no string; the kinds are " + all}
	}
	fresh, ok := kinds()[name]
	if !ok {
		return nil, &casefile.FieldError{Document: document, Field: join(path, "kind"), Problem: fmt.Sprintf("%.40q is none; the kinds are %s", name, all)}
	}
	delete(members, "kind")
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	settings := fresh()
	if err := Fill(document, rest, settings, path); err != nil {
		return nil, err
	}
	return settings, within(document, path, settings.Validate())
}

// Encode writes what Decode reads.
func Encode(s Settings) (json.RawMessage, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	if members["kind"], err = json.Marshal(NameOf(s)); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}
