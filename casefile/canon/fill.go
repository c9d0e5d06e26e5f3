package canon

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
)

// Fill fills v, a pointer to one of the types of s, in one pass over a plain text. It is strict:
// field names are compared exactly, every field that is not optional must be there, unknown fields
// and null are refused. It says false of a text that it refuses and of one that it does not know to
// read, and leaves v as it was: ask a slower reader, which can name the fault.
func (s Shapes) Fill(raw []byte, v any) bool {
	to := reflect.ValueOf(v).Elem()
	h := s[to.Type()]
	if h == nil {
		return false
	}
	p, filled := text{raw: raw}, reflect.New(to.Type()).Elem()
	filled.Set(to)
	if !p.fill(h, filled, 0) || p.at != len(raw) {
		return false
	}
	to.Set(filled)
	return true
}

// fill reads a value inside of so many containers.
func (p *text) fill(h *shape, v reflect.Value, depth int) bool {
	if h.way == byMessage {
		from := p.at
		if !p.value(depth) {
			return false
		}
		v.SetBytes(bytes.Clone(p.raw[from:p.at]))
		return true
	}
	c := p.next()
	if c == 'n' || h.way == never {
		return false
	}
	switch h.way {
	case byPointer:
		v.Set(reflect.New(v.Type().Elem()))
		return p.fill(h.elem, v.Elem(), depth)
	case byStruct, byMap, bySlice:
		if p.values++; p.values > maxValues || depth >= MaxDepth {
			return false
		}
		switch {
		case c == '{' && h.way == byStruct:
			return p.fillStruct(h, v, depth+1)
		case c == '{' && h.way == byMap:
			return p.fillMap(h, v, depth+1)
		case c == '[' && h.way == bySlice:
			return p.fillSlice(h, v, depth+1)
		}
		return false
	}
	from := p.at
	if !p.value(depth) {
		return false
	}
	return h.scalar(p.raw[from:p.at], v)
}

// scalar fills a value that is not a container to this package from its text.
func (h *shape) scalar(raw []byte, v reflect.Value) bool {
	inner, plain := Unescaped(raw)
	switch h.way {
	case byItself:
		own, ok := v.Addr().Interface().(filler)
		return ok && own.FillJSON(raw) == nil
	case byText:
		own, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
		if !plain {
			var s string
			if json.Unmarshal(raw, &s) != nil {
				return false
			}
			inner = []byte(s)
		}
		return ok && own.UnmarshalText(inner) == nil
	case byString:
		if plain {
			v.SetString(string(inner))
			return true
		}
	case byBool:
		v.SetBool(raw[0] == 't')
		return raw[0] == 't' || raw[0] == 'f'
	case byUint:
		n, err := strconv.ParseUint(string(raw), 10, v.Type().Bits())
		v.SetUint(n)
		return err == nil
	case byInt:
		n, err := strconv.ParseInt(string(raw), 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	}
	return json.Unmarshal(raw, v.Addr().Interface()) == nil
}

// fillStruct fills a struct. The keys of the text ascend, as the fields of the shape do.
func (p *text) fillStruct(h *shape, v reflect.Value, depth int) bool {
	next := 0 // the field that comes
	ok := p.members(func(key []byte) bool {
		for next < len(h.fields) && h.fields[next].name < string(key) {
			if !h.fields[next].optional {
				return false
			}
			next++
		}
		if next == len(h.fields) || h.fields[next].name != string(key) {
			return false
		}
		f := &h.fields[next]
		next++
		return p.fill(f.shape, v.FieldByIndex(f.index), depth)
	})
	for ; ok && next < len(h.fields); next++ {
		ok = h.fields[next].optional
	}
	return ok
}

// fillMap fills a map.
func (p *text) fillMap(h *shape, v reflect.Value, depth int) bool {
	v.Set(reflect.MakeMap(v.Type()))
	return p.members(func(name []byte) bool {
		key, value := reflect.New(v.Type().Key()), reflect.New(v.Type().Elem())
		if !h.key {
			key.Elem().SetString(string(name))
		} else if text, ok := key.Interface().(encoding.TextUnmarshaler); !ok || text.UnmarshalText(name) != nil {
			return false
		}
		if !p.fill(h.elem, value.Elem(), depth) {
			return false
		}
		v.SetMapIndex(key.Elem(), value.Elem())
		return true
	})
}

// fillSlice fills a slice.
func (p *text) fillSlice(h *shape, v reflect.Value, depth int) bool {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if p.at++; p.take(']') {
		return true
	}
	for n := 0; ; n++ {
		if n == v.Cap() {
			v.Grow(1)
		}
		v.SetLen(n + 1)
		if !p.fill(h.elem, v.Index(n), depth) {
			return false
		}
		if !p.take(',') {
			return p.take(']')
		}
	}
}
