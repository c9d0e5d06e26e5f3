package pay

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// exact refuses members of a JSON value whose names are not exactly those of a Go type. The decoder
// of Go takes them in any case, and another program that reads the same file does not.
func exact(v any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.RawMessage]() || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return nil // the decoder says what is wrong
		}
		for _, one := range v {
			if err := exact(one, t.Elem()); err != nil {
				return err
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return nil
		}
		known := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			known[name] = f.Type
		}
		for name, one := range v {
			of, found := known[name]
			if !found {
				return fmt.Errorf("the member %.40q is not known; names are written exactly", name)
			}
			if err := exact(one, of); err != nil {
				return err
			}
		}
	}
	return nil
}
