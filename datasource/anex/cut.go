package anex

import (
	"encoding/json"
	"fmt"
)

// mask is the compiled form of a list of access names: the wanted fields. nil means none.
type mask struct {
	whole bool
	kids  []kid
}

type kid struct {
	name string
	mask *mask
}

// newMask makes a mask of names, and checks each of them.
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

func (m *mask) member(name string) *mask {
	if m == nil || m.whole {
		return m
	}
	return m.find(name)
}

// keeps reports whether a value stays, at least as a container of wanted values.
func (m *mask) keeps(container bool) bool {
	return m != nil && (m.whole || container && len(m.kids) > 0)
}

// Cut returns the part of data that the agreed access names grant, in this protocol's spelling of
// JSON, and whether it removed anything. A holder sends only results of Cut. An asker refuses an
// answer from which Cut would remove something.
//
// The rule (protocol section "ANEX", the cut): a name is a path of member names, "name" short for
// "/name", "*" the empty path. A value is kept whole if a path ends at it. An object on the way of
// a path keeps the members on the paths. An array on the way keeps its elements, and the rest of
// the path applies to each of them. Any other value on the way is left out. If it is the whole
// data, it becomes null. Cut is idempotent, keeps the order, and never adds a field.
//
// Data is at most MaxData bytes before and after, and nested 62 deep.
func Cut(data []byte, access []string) (kept json.RawMessage, lost bool, err error) {
	want, err := newMask(access)
	if err != nil {
		return nil, false, fmt.Errorf("anex: cut: %w", err)
	}
	return spell(data, MaxData, maxInside, want)
}
