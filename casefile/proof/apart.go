package proof

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// apart counts the places at which two canonical values differ, up to 2. A place is a value that is
// no container, a member or an item that one of them has more. So 1 says that one change makes one
// of the other.
func apart(a, b json.RawMessage) int {
	if bytes.Equal(a, b) {
		return 0
	}
	var x, y map[string]json.RawMessage
	var p, q []json.RawMessage
	switch {
	case a[0] == '{' && b[0] == '{' && json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil:
		return apartMembers(x, y)
	case a[0] == '[' && b[0] == '[' && json.Unmarshal(a, &p) == nil && json.Unmarshal(b, &q) == nil:
		return apartItems(p, q)
	case container(a) || container(b):
		return 2
	}
	return 1
}

// container reports whether a canonical value is an object or an array.
func container(raw json.RawMessage) bool { return raw[0] == '{' || raw[0] == '[' }

// apartMembers is apart for objects. A member that one has more is one place if it is no container.
func apartMembers(x, y map[string]json.RawMessage) (n int) {
	both := maps.Clone(x)
	maps.Copy(both, y)
	for name := range both {
		u, v := x[name], y[name]
		switch {
		case u != nil && v != nil:
			n += apart(u, v)
		case container(slices.Concat(u, v)):
			n += 2
		default:
			n++
		}
	}
	return min(n, 2)
}

// apartItems is apart for arrays. An item that one has more is one place, whatever it is.
func apartItems(p, q []json.RawMessage) (n int) {
	if len(p) < len(q) {
		p, q = q, p
	}
	at := 0
	for at < len(q) && bytes.Equal(p[at], q[at]) {
		at++
	}
	switch len(p) - len(q) {
	case 0:
		for i := at; i < len(p) && n < 2; i++ {
			n += apart(p[i], q[i])
		}
		return min(n, 2)
	case 1:
		if slices.EqualFunc(p[at+1:], q[at:], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			return 1
		}
	}
	return 2
}
