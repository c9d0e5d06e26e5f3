package casefile

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"ojud/casefile/canon"
)

// shapes are the documents and bodies that decode reads in one pass, if they are plain.
var shapes = canon.ShapesOf(
	reflect.TypeFor[Bundle](), reflect.TypeFor[Event](), reflect.TypeFor[Vote](), reflect.TypeFor[Opinion](), reflect.TypeFor[Receipt](),
	reflect.TypeFor[FactBody](), reflect.TypeFor[RoundFactBody](), reflect.TypeFor[CommitBody](), reflect.TypeFor[OpinionBody](),
	reflect.TypeFor[VoteBody](), reflect.TypeFor[DataBody](), reflect.TypeFor[ReceiptBody](), reflect.TypeFor[InjectionBody](),
	reflect.TypeFor[OpenFact](), reflect.TypeFor[DrawFact](), reflect.TypeFor[SettleFact](), reflect.TypeFor[OutcomeFact](),
	reflect.TypeFor[SecondRules](), reflect.TypeFor[FirstRules](), reflect.TypeFor[Task](), reflect.TypeFor[Objection](), reflect.TypeFor[Agreed](),
)

// decode fills v, a pointer, from canonical JSON. It is stricter than encoding/json: field names
// are compared exactly, every field without omitempty must be there, unknown fields and null are
// refused, and errors name document and field, which begins with path.
func decode(document string, canonical []byte, v any, path string) error {
	if shapes.Fill(canonical, v) {
		return nil
	}
	return slowly(document, canonical, v, path)
}

// slowly is decode for a text that is faulty or not plain.
func slowly(document string, canonical []byte, v any, path string) error {
	d := decoder{document: document}
	return d.value(canonical, reflect.ValueOf(v).Elem(), path)
}

// Fill is decode for documents that people write, such as source files: a field with the tag
// fill:"optional" may be missing, too. Errors are FieldErrors that quote no value, because a value
// may be a secret in the wrong place.
func Fill(document string, raw json.RawMessage, v any, path string) error {
	d := decoder{document: document, discreet: true}
	return d.value(raw, reflect.ValueOf(v).Elem(), path)
}

type decoder struct {
	document string
	discreet bool // errors quote no value
}

// selfFilling is a value that a person may write in several ways.
type selfFilling interface {
	// FillJSON sets the value. The error names the problem and the valid form in a few words.
	FillJSON(raw json.RawMessage) error
}

func (d decoder) fail(path, format string, args ...any) error {
	return &FieldError{Document: d.document, Field: path, Problem: fmt.Sprintf(format, args...)}
}

// value fills one value.
func (d decoder) value(raw json.RawMessage, v reflect.Value, path string) error {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes(bytes.Clone(raw))
		return nil
	}
	if string(raw) == "null" {
		return d.fail(path, "is null; leave it out or give it a value")
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(raw, v.Elem(), path)
	}
	switch own := v.Addr().Interface().(type) {
	case selfFilling:
		if err := own.FillJSON(raw); err != nil {
			return d.fail(path, "%v", err)
		}
		return nil
	case encoding.TextUnmarshaler:
		return d.text(raw, own, path)
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.object(raw, v, path)
	case reflect.Map:
		return d.table(raw, v, path)
	case reflect.Slice:
		return d.array(raw, v, path)
	}
	return d.scalar(raw, v, path)
}

// text fills a value that is written as a string of its own form.
func (d decoder) text(raw json.RawMessage, v encoding.TextUnmarshaler, path string) error {
	text, ok := canon.Unescaped(raw)
	if !ok {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return d.fail(path, "is %s; a string is needed", d.kindOf(raw))
		}
		text = []byte(s)
	}
	err := v.UnmarshalText(text)
	switch {
	case err == nil:
		return nil
	case d.discreet:
		return d.fail(path, "%v", err)
	}
	return d.fail(path, "%.60q: %v", text, err)
}

// scalar fills a string, a boolean or an integer.
func (d decoder) scalar(raw json.RawMessage, v reflect.Value, path string) error {
	if text, ok := canon.Unescaped(raw); ok && v.Kind() == reflect.String {
		v.SetString(string(text))
		return nil
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[v.Kind()]
	if want == "" {
		want = "an integer from 0 to " + strconv.FormatUint(1<<min(v.Type().Bits(), 53)-1, 10)
		if v.CanInt() {
			want = "an integer"
		}
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return d.fail(path, "is %s; %s is needed", d.kindOf(raw), want)
	}
	return nil
}

// array fills a slice.
func (d decoder) array(raw json.RawMessage, v reflect.Value, path string) error {
	items, ok := canon.Elements(raw)
	if !ok && json.Unmarshal(raw, &items) != nil {
		return d.fail(path, "is %s; an array is needed", d.kindOf(raw))
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := d.value(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// table fills a map whose keys are strings or have a text form.
func (d decoder) table(raw json.RawMessage, v reflect.Value, path string) error {
	items, err := d.members(raw, path)
	if err != nil {
		return err
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(items)))
	for _, name := range slices.Sorted(maps.Keys(items)) {
		key, value := reflect.New(v.Type().Key()), reflect.New(v.Type().Elem())
		at := join(path, name)
		if text, ok := key.Interface().(encoding.TextUnmarshaler); !ok {
			key.Elem().SetString(name)
		} else if err := text.UnmarshalText([]byte(name)); err != nil {
			return d.fail(at, "%v", err)
		}
		if err := d.value(items[name], value.Elem(), at); err != nil {
			return err
		}
		v.SetMapIndex(key.Elem(), value.Elem())
	}
	return nil
}

// object fills a struct. An unknown field is reported before a missing one: it is mostly the same
// field, misspelt.
func (d decoder) object(raw json.RawMessage, v reflect.Value, path string) error {
	items, err := d.members(raw, path)
	if err != nil {
		return err
	}
	fields := fieldsOf(v.Type())
	for _, name := range slices.Sorted(maps.Keys(items)) {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			return d.fail(join(path, name), "unknown%s", nearest(name, fields))
		}
	}
	for _, f := range fields {
		item, ok := items[f.name]
		if !ok && !f.optional {
			return d.fail(join(path, f.name), "missing")
		}
		if !ok {
			continue
		}
		if err := d.value(item, v.FieldByIndex(f.index), join(path, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// members splits an object.
func (d decoder) members(raw json.RawMessage, path string) (map[string]json.RawMessage, error) {
	items, ok := canon.Members(raw)
	if !ok && json.Unmarshal(raw, &items) != nil {
		return nil, d.fail(path, "is %s; an object is needed", d.kindOf(raw))
	}
	return items, nil
}
