package canon

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Shapes are types as Fill reads them. They do not change once they are made.
type Shapes map[reflect.Type]*shape

// way is how a value of a type is read.
type way uint8

const (
	byLibrary way = iota // as encoding/json does
	byMessage            // a json.RawMessage
	byPointer
	byItself // with a method FillJSON
	byText   // with a method UnmarshalText
	byStruct
	byMap
	bySlice
	byString
	byBool
	byUint
	byInt
	never // it is left to the slower reader
)

// shape is how a type is read.
type shape struct {
	way    way
	fields []shapeField // of a struct, by name
	key    bool         // of a map: keys have a method UnmarshalText
	elem   *shape       // of a pointer, map or slice
}

// shapeField is a field of a struct.
type shapeField struct {
	name     string
	index    []int
	optional bool
	shape    *shape
}

// filler is a value that has several forms.
type filler interface {
	FillJSON(raw json.RawMessage) error
}

// ShapesOf works out the shapes of types and of all that they are made of.
func ShapesOf(types ...reflect.Type) Shapes {
	s := Shapes{}
	for _, t := range types {
		s.of(t)
	}
	return s
}

// of returns the shape of a type.
func (s Shapes) of(t reflect.Type) *shape {
	if known := s[t]; known != nil {
		return known
	}
	h := &shape{way: wayOf(t)}
	s[t] = h
	switch h.way {
	case byPointer, bySlice:
		h.elem = s.of(t.Elem())
	case byMap:
		h.elem, h.key = s.of(t.Elem()), reflect.PointerTo(t.Key()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	case byStruct:
		for _, f := range reflect.VisibleFields(t) {
			if name, optional := Field(f); name != "" {
				h.fields = append(h.fields, shapeField{name, f.Index, optional, s.of(f.Type)})
			}
		}
		slices.SortFunc(h.fields, func(a, b shapeField) int { return strings.Compare(a.name, b.name) })
		for i := range max(1, len(h.fields)) - 1 {
			if h.fields[i].name == h.fields[i+1].name {
				h.way = never // the slower reader fills both
			}
		}
	}
	return h
}

// wayOf chooses how a type is read.
func wayOf(t reflect.Type) way {
	pointer := reflect.PointerTo(t)
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return byMessage
	case t.Kind() == reflect.Pointer:
		return byPointer
	case pointer.Implements(reflect.TypeFor[filler]()):
		return byItself
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return byText
	}
	switch t.Kind() {
	case reflect.Struct:
		return byStruct
	case reflect.Map:
		return byMap
	case reflect.Slice:
		return bySlice
	case reflect.String:
		return byString
	}
	if pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return byLibrary
	}
	switch {
	case t.Kind() == reflect.Bool:
		return byBool
	case reflect.Uint <= t.Kind() && t.Kind() <= reflect.Uint64:
		return byUint
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Int64:
		return byInt
	}
	return byLibrary
}

// Field returns the name of a struct's field in JSON and whether the field may be missing, by its
// tags. The name is empty if the field is none of a document's.
func Field(f reflect.StructField) (name string, optional bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name, options != "" || f.Tag.Get("fill") == "optional"
}
