package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Formats returns the formats that a check asserts (JSON Schema 2020-12, Validation, section 7.3).
// Another one is no demand, as the standard says: UnknownFormat finds it.
func Formats() []string {
	return []string{
		"date", "date-time", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uri-template",
		"uuid", "json-pointer", "relative-json-pointer",
	}
}

// formatted checks the format of a text. It pays for reading it.
func (c *check) formatted() bool {
	f := c.s.Format
	text, ok := c.v.(string)
	if f == nil || !ok || !slices.Contains(Formats(), f.Name) {
		return true
	}
	c.spend(2 + len(text)/32)
	err := f.Validate(text)
	if err == nil && (f.Name == "uri" || f.Name == "uri-reference") && strings.ContainsFunc(text, notURI) {
		err = errURI
	}
	if err != nil {
		c.fail(&kind.Format{Got: cut(text), Want: f.Name, Err: err})
		return false
	}
	return true
}

var errURI = errors.New("has a character that stands in no URI (RFC 3986); write it with %")

// notURI reports whether a character stands in no URI. The library takes some of them.
func notURI(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("<>\"{}|\\^`", r) }

// UnknownFormat returns a format in a decoded schema that no check asserts; empty: it has none.
func UnknownFormat(doc any) string {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			if name := UnknownFormat(item); name != "" {
				return name
			}
		}
	case map[string]any:
		if name, ok := doc["format"].(string); ok && !slices.Contains(Formats(), name) {
			return name
		}
		for keyword, value := range doc {
			if slices.Contains(dataKeywords, keyword) {
				continue
			}
			if name := UnknownFormat(value); name != "" {
				return name
			}
		}
	}
	return ""
}
