package guide

import (
	"maps"
	"slices"

	"ojud/schema/pointer"
)

// places lists the values of a shape, and the parts of the items of its lists.
func places(s *shape, path string, name []string) (out []place) {
	last := ""
	if len(name) > 0 {
		last = name[len(name)-1]
	}
	switch s.kind {
	case "string", "number":
		p := place{path: path, name: last, kind: s.kind, format: s.format}
		if s.value != nil {
			p.values = []any{s.value}
		}
		out = append(out, p)
	case "object":
		for _, m := range slices.Sorted(maps.Keys(s.members)) {
			out = append(out, places(s.members[m], string(pointer.Append([]byte(path), m)), append(slices.Clone(name), m))...)
		}
	case "array":
		if s.item == nil {
			break
		}
		if s.item.kind == "string" || s.item.kind == "number" {
			out = append(out, place{path: path, name: last, list: true, kind: s.item.kind, format: s.item.format, values: s.items})
		}
		for _, m := range slices.Sorted(maps.Keys(s.item.members)) {
			part := s.item.members[m]
			p := place{path: path, by: string(pointer.Append(nil, m)), name: m, list: true, kind: part.kind, format: part.format}
			for _, item := range s.items {
				if o, ok := item.(map[string]any); ok {
					p.values = append(p.values, o[m])
				}
			}
			if p.kind == "string" || p.kind == "number" {
				out = append(out, p)
			}
		}
	}
	return out
}
