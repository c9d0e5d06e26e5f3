package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ojud/schema/pointer"
)

// Violation is one way how a value violates a schema.
type Violation struct {
	Path    string // JSON pointer into the value, at most 200 bytes
	Keyword string // of the schema, such as "required"; empty for the schema false and for "not"
	Problem string // in words; at most 200 bytes, and may quote the value
}

// String returns the path and the problem.
func (v Violation) String() string { return fmt.Sprintf("at %q: %s", v.Path, v.Problem) }

// Reason returns the text of an error of this package without its class.
func Reason(err error) string {
	text := err.Error()
	for _, class := range []error{errSchema, errJSON} {
		if errors.Is(err, class) {
			text = strings.TrimPrefix(text, class.Error()+": ")
		}
	}
	return text
}

// maxText bounds paths and problems, in bytes.
const maxText = 190

// place says where in the value a part stands.
type place struct {
	parent *place // nil at the top
	name   string
	index  int // of an item; -1 for a member
}

func (p *place) member(name string) *place { return &place{p, name, -1} }
func (p *place) item(index int) *place     { return &place{p, "", index} }

// path writes the JSON pointer to a place, cut after maxText.
func (p *place) path() string {
	var up []*place
	for ; p.parent != nil; p = p.parent {
		up = append(up, p)
	}
	var b []byte
	for _, p := range slices.Backward(up) {
		if len(b) > maxText {
			break
		}
		if p.index >= 0 {
			b = pointer.AppendIndex(b, p.index)
			continue
		}
		b = pointer.Append(b, cut(p.name))
	}
	return string(b)
}

// note is a violation that is not in words yet, because there may be very many.
type note struct {
	s  *jsonschema.Schema
	at *place
	k  jsonschema.ErrorKind
}

func (r *run) note(s *jsonschema.Schema, at *place, k jsonschema.ErrorKind) {
	r.notes = append(r.notes, note{s, at, k})
}

// violations puts the notes with the smallest paths into words, each once.
func (r *run) violations(most int) []Violation {
	var out []Violation
	for _, n := range r.smallestPaths(most) {
		seen := map[string]bool{}
		for _, note := range n.notes {
			r.look(8)
			keyword := strings.Join(note.k.KeywordPath(), "/")
			if key := fmt.Sprintf("%p %p %s", note.at, note.s, keyword); !seen[key] {
				seen[key] = true
				out = append(out, Violation{short(n.path), short(keyword), short(textOf(note.k))})
			}
			if len(out) >= 16*most {
				out = first(out, most)
			}
		}
		if len(out) >= most {
			break
		}
	}
	return first(out, most)
}

// first sorts violations and returns the first ones, each once.
func first(list []Violation, most int) []Violation {
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Problem, b.Problem))
	})
	list = slices.CompactFunc(list, func(a, b Violation) bool { return a.Path == b.Path && a.Problem == b.Problem })
	return list[:min(len(list), most)]
}

type spot struct {
	path  string
	notes []note
}

// smallestPaths groups the notes by path and returns the groups with the smallest paths, in order.
func (r *run) smallestPaths(most int) []spot {
	var best []spot
	for _, n := range r.notes {
		r.look(2)
		path := n.at.path()
		if len(best) == most && path > best[most-1].path {
			continue
		}
		i, known := slices.BinarySearchFunc(best, path, func(s spot, path string) int { return strings.Compare(s.path, path) })
		if !known {
			best = slices.Insert(best, i, spot{path: path})
			best = best[:min(len(best), most)]
		}
		best[i].notes = append(best[i].notes, n)
	}
	return best
}

// cut shortens a text that becomes part of a problem. The rest is still longer than maxText.
func cut(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxText+10)], "") }

// short bounds a text that a stranger may have made long.
func short(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "…"
	}
	return strings.ToValidUTF8(s, "")
}
