package anex

import (
	"encoding/json"
	"fmt"
)

// mask says which fields are wanted; nil means none. It is what a list of access names becomes.
type mask struct {
	whole bool
	kids  []kid
}

type kid struct {
	name string
	mask *mask
}

// newMask makes a mask of names, each of them checked.
func newMask(access []string) (*mask, error) {
	root := &mask{}
	for _, name := range access {
		path, err := steps(name)
		if err != nil {
			return nil, err
		}
		root.add(path)
	}
	return root, nil
}

func (m *mask) add(path []string) {
	if len(path) == 0 {
		m.whole = true
		return
	}
	next := m.find(path[0])
	if next == nil {
		next = &mask{}
		m.kids = append(m.kids, kid{path[0], next})
	}
	next.add(path[1:])
}

func (m *mask) find(name string) *mask {
	for _, k := range m.kids {
		if k.name == name {
			return k.mask
		}
	}
	return nil
}

// member returns what is wanted of a member.
func (m *mask) member(name string) *mask {
	if m == nil || m.whole {
		return m
	}
	return m.find(name)
}

// keeps reports whether a value stays, if only in part: a container of which nothing is wanted but
// what is in it, stays as a container.
func (m *mask) keeps(container bool) bool {
	return m != nil && (m.whole || container && len(m.kids) > 0)
}

// Cut returns what the agreed access names leave of data, spelled as this protocol spells JSON, and
// whether anything had to go. A holder sends nothing but what Cut returns; an asker refuses an
// answer of which something had to go.
//
// The rule (protocol section "ANEX", the cut): a name is a path of member names, "name" short for
// "/name", "*" the empty path. A value is kept whole if a path ends at it. An object on the way of
// a path keeps the members that paths lead to; an array on the way keeps its elements, to each of
// which the rest of the path applies; any other value on the way is left out, and if it is the
// whole data, becomes null. Cut is idempotent, keeps the order, and never adds a field.
//
// Data is at most MaxData bytes before and after, and nested 62 deep.
func Cut(data []byte, access []string) (kept json.RawMessage, lost bool, err error) {
	want, err := newMask(access)
	if err != nil {
		return nil, false, fmt.Errorf("anex: cut: %w", err)
	}
	return spell(data, MaxData, maxInside, want)
}
