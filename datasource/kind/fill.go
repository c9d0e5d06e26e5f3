package kind

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ojud/casefile"
)

// Filler is a value that is written in more than one way.
type Filler interface {
	// FillJSON sets the value. The error says what is wrong and what would be right, in a few words.
	FillJSON(raw json.RawMessage) error
}

// Fill sets v, a pointer, from canonical JSON that an owner wrote. It is stricter than encoding/json: names of fields are
// compared exactly, a field that is not optional (omitempty, or the tag fill:"optional") must be there, unknown fields and null are refused, and errors
// (casefile.FieldError) name the field, which begins with path. Values are not quoted in errors: they may be secrets that are in
// the wrong place.
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
	case Filler:
		if err := target.FillJSON(raw); err != nil {
			return f.fail(path, "%v", err)
		}
		return nil
	case encoding.TextUnmarshaler:
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return f.fail(path, "is no string")
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
		return f.fail(path, "is no list; write [ … ]")
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
	for _, name := range sorted(items) {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := f.value(items[name], item, join(path, name)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name), item)
	}
	return nil
}

// object fills a struct. An unknown field is told before a missing one: mostly it is that one, misspelt.
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
	for _, name := range sorted(items) {
		field, known := fields[name]
		if !known {
			return f.fail(join(path, name), "unknown; the fields here are %s", strings.Join(sorted(fields), ", "))
		}
		if err := f.value(items[name], v.FieldByIndex(field.Index), join(path, name)); err != nil {
			return err
		}
	}
	for _, name := range sorted(fields) {
		if _, there := items[name]; !there && !optional(fields[name]) {
			return f.fail(join(path, name), "missing")
		}
	}
	return nil
}

// optional reports whether an owner may leave a field out: it is tagged so, or JSON leaves it out too.
func optional(field reflect.StructField) bool {
	_, option, _ := strings.Cut(field.Tag.Get("json"), ",")
	return option != "" || field.Tag.Get("fill") == "optional"
}

func (f filler) members(raw json.RawMessage, path string) (map[string]json.RawMessage, error) {
	var items map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, f.fail(path, "is no object; write { … }")
	}
	return items, nil
}

// within puts a field's path in front of a Validate error.
func within(document, path string, err error) error {
	var field *casefile.FieldError
	if errors.As(err, &field) {
		return &casefile.FieldError{Document: document, Field: join(path, field.Field), Problem: field.Problem}
	}
	return err
}

// wrong is what a kind's Validate returns.
func wrong(field, format string, args ...any) error {
	return &casefile.FieldError{Document: "source", Field: field, Problem: fmt.Sprintf(format, args...)}
}

func join(path, name string) string {
	name = bounded(name, 80)
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
