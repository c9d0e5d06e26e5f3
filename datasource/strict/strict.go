// Package strict reads JSON documents that a person wrote, such as source files. It is stricter
// than encoding/json: a misspelt field is an error that names it, instead of a setting that
// silently has its default.
package strict

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ojud/casefile"
)

// selfFilling is a value that a person may write in several ways.
type selfFilling interface {
	// FillJSON sets the value. The error names the problem and the valid form in a few words.
	FillJSON(raw json.RawMessage) error
}

// Fill sets v, a pointer, from canonical JSON. It compares names of fields exactly. It refuses
// unknown fields and null, and demands every field that is not optional (omitempty, or the tag
// fill:"optional"). Errors are casefile.FieldErrors whose field begins with path. They do not quote
// values, because a value may be a secret in the wrong place.
func Fill(document string, raw json.RawMessage, v any, path string) error {
	f := filler{document}
	return f.value(raw, reflect.ValueOf(v).Elem(), path)
}

type filler struct{ document string }

func (f filler) fail(path, format string, args ...any) error {
	return &casefile.FieldError{Document: f.document, Field: path, Problem: fmt.Sprintf(format, args...)}
}

func (f filler) value(raw json.RawMessage, v reflect.Value, path string) error {
	if string(raw) == "null" && v.Type() != reflect.TypeFor[json.RawMessage]() {
		return f.fail(path, "is null; leave it out or give it a value")
	}
	switch target := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*target = slices.Clone(raw)
		return nil
	case selfFilling:
		if err := target.FillJSON(raw); err != nil {
			return f.fail(path, "%v", err)
		}
		return nil
	case encoding.TextUnmarshaler:
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return f.fail(path, "is not a string")
		}
		if err := target.UnmarshalText([]byte(text)); err != nil {
			return f.fail(path, "%v", err)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.value(raw, v.Elem(), path)
	case reflect.Struct:
		return f.object(raw, v, path)
	case reflect.Slice:
		return f.list(raw, v, path)
	case reflect.Map:
		return f.table(raw, v, path)
	}
	return f.scalar(raw, v, path)
}

func (f filler) scalar(raw json.RawMessage, v reflect.Value, path string) error {
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[v.Kind()]
		if want == "" {
			want = "a whole number"
		}
		return f.fail(path, "is something else; %s is needed", want)
	}
	return nil
}

func (f filler) list(raw json.RawMessage, v reflect.Value, path string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return f.fail(path, "is not a list; write [ … ]")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := f.value(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (f filler) table(raw json.RawMessage, v reflect.Value, path string) error {
	items, err := f.members(raw, path)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(items)))
	for _, name := range Sorted(items) {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := f.value(items[name], item, Join(path, name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), item)
	}
	return nil
}

// object fills a struct. It reports an unknown field before a missing one, because a misspelt field
// is both.
func (f filler) object(raw json.RawMessage, v reflect.Value, path string) error {
	items, err := f.members(raw, path)
	if err != nil {
		return err
	}
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(v.Type()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			fields[name] = field
		}
	}
	for _, name := range Sorted(items) {
		field, known := fields[name]
		if !known {
			return f.fail(Join(path, name), "unknown; the fields here are %s", strings.Join(Sorted(fields), ", "))
		}
		if err := f.value(items[name], v.FieldByIndex(field.Index), Join(path, name)); err != nil {
			return err
		}
	}
	for _, name := range Sorted(fields) {
		if _, there := items[name]; !there && !optional(fields[name]) {
			return f.fail(Join(path, name), "missing")
		}
	}
	return nil
}

// optional reports whether a person may leave a field out.
func optional(field reflect.StructField) bool {
	_, option, _ := strings.Cut(field.Tag.Get("json"), ",")
	return option != "" || field.Tag.Get("fill") == "optional"
}

func (f filler) members(raw json.RawMessage, path string) (map[string]json.RawMessage, error) {
	var items map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, f.fail(path, "is not an object; write { … }")
	}
	return items, nil
}

// Join appends a name to the path of a field.
func Join(path, name string) string {
	const most = 80
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// Sorted returns the names of a map in order.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
