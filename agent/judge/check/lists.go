package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile/demand"
	"ojud/schema/pointer"
)

// sorted: numbers by their size, texts by their characters. If the order of two texts depends on
// their case or on marks above letters, people disagree about it, and code cannot tell.
func (s *subject) sorted() (string, error) {
	if s.Sorted == nil {
		return "", nil
	}
	parts, err := s.items(s.Sorted.By)
	if err != nil {
		return "", err
	}
	var doubt error
	for i := range parts[1:] {
		n, err := order(parts[i].value, parts[i+1].value)
		if s.Sorted.Descending {
			n = -n
		}
		switch {
		case err != nil:
			doubt = cmp.Or(doubt, fmt.Errorf("items %d and %d: %w", i, i+1, err))
		case n > 0:
			return "", fmt.Errorf("the items %d and %d are out of order: %s, %s", i, i+1, shown(parts[i].value), shown(parts[i+1].value))
		}
	}
	return fmt.Sprintf("its %d items are in order", len(parts)), doubt
}

// natural compares two texts at the first digits in which they differ, as numbers: 9 is before 10.
// It is 0 if they do not differ so.
func natural(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	digits := func(s string) string {
		from, to := n, n
		for from > 0 && isDigit(s[from-1]) {
			from--
		}
		for to < len(s) && isDigit(s[to]) {
			to++
		}
		return strings.TrimLeft(s[from:to], "0")
	}
	x, y := digits(a), digits(b)
	if x == "" || y == "" {
		return 0
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// order compares two numbers or two texts.
func order(a, b any) (int, error) {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			break
		}
		m, err := strconv.ParseFloat(string(x), 64)
		n, bad := strconv.ParseFloat(string(y), 64)
		if err != nil || bad != nil {
			return 0, unknown("a number beyond a double")
		}
		return cmp.Compare(m, n), nil
	case string:
		y, ok := b.(string)
		if !ok {
			break
		}
		n, folded := strings.Compare(x, y), strings.Compare(plain(x), plain(y))
		if n != folded && n != 0 {
			return 0, unknown("the order of %s and %s depends on case or accents", prose.Quote(x), prose.Quote(y))
		}
		if n*natural(x, y) < 0 {
			return 0, unknown("the order of %s and %s depends on whether digits are numbers", prose.Quote(x), prose.Quote(y))
		}
		return n, nil
	}
	return 0, unknown("%s and %s have no order", pointer.Describe(a), pointer.Describe(b))
}

func (s *subject) unique() (string, error) {
	if s.Unique == nil {
		return "", nil
	}
	parts, err := s.items(s.Unique.By)
	if err != nil {
		return "", err
	}
	first := map[string]string{}
	for _, p := range parts {
		k, err := key(p.value)
		if err != nil {
			return "", err
		}
		if other, twice := first[k]; twice {
			return "", fmt.Errorf("%s and %s are the same: %s", other, p.place, shown(p.value))
		}
		first[k] = p.place
	}
	return fmt.Sprintf("its %d items differ", len(parts)), nil
}

// set compares the value with a list of the demand or of the task.
func (s *subject) set() (string, error) {
	if s.Set == nil {
		return "", nil
	}
	list, ok := s.value.([]any)
	if !ok {
		return "", fmt.Errorf("it is %s; only an array is a set", pointer.Describe(s.value))
	}
	wanted, order, err := s.wanted()
	if err != nil {
		return "", err
	}
	has := map[string]bool{}
	for i, item := range list {
		v, err := pointer.Find(item, s.Set.By)
		if err != nil {
			return "", fmt.Errorf("item %d: %w", i, err)
		}
		k, err := key(v)
		if err != nil {
			return "", err
		}
		if has[k] = true; s.Set.Relation != demand.Superset && !wanted[k] {
			return "", fmt.Errorf("item %d is %s, which is not among the %d that may be there", i, shown(v), len(wanted))
		}
	}
	if s.Set.Relation == demand.Subset {
		if len(list) == 0 {
			return "", unknown("an array without items shows nothing")
		}
		return fmt.Sprintf("its %d items are among the %d that may be there", len(list), len(wanted)), nil
	}
	missing := slices.DeleteFunc(order, func(k string) bool { return has[k] })
	if len(missing) > 0 {
		return "", fmt.Errorf("it lacks %d of %d items, such as %s", len(missing), len(wanted), prose.Quote(missing[0]))
	}
	return fmt.Sprintf("it has all %d items", len(wanted)), nil
}

// wanted are the items of the list, by key, and their keys in order.
func (s *subject) wanted() (map[string]bool, []string, error) {
	var list []any
	for i, raw := range s.Set.Items {
		item, err := decoded(raw)
		if err != nil {
			return nil, nil, unknown("item %d of the list cannot be read: %v", i, err)
		}
		list = append(list, item)
	}
	if s.Set.From != nil {
		v, err := pointer.Find(s.Task, *s.Set.From)
		if err != nil {
			return nil, nil, unknown("the task has no list at %q: %v", *s.Set.From, err)
		}
		found, ok := v.([]any)
		if !ok {
			return nil, nil, unknown("at %q the task has %s instead of an array", *s.Set.From, pointer.Describe(v))
		}
		list = found
	}
	if len(list) == 0 {
		return nil, nil, unknown("the task's list is empty")
	}
	wanted, order := map[string]bool{}, []string{}
	for i, item := range list {
		v, err := pointer.Find(item, s.Set.FromBy)
		if err != nil {
			return nil, nil, unknown("item %d of the task's list: %v", i, err)
		}
		k, err := key(v)
		if err != nil {
			return nil, nil, err
		}
		if !wanted[k] {
			order = append(order, k)
		}
		wanted[k] = true
	}
	return wanted, order, nil
}

// has: the value has all members, or one item of it has.
func (s *subject) has() (string, error) {
	if len(s.Has) == 0 {
		return "", nil
	}
	want, err := decoded(s.Has)
	if err != nil {
		return "", unknown("the members cannot be read: %v", err)
	}
	list, ok := s.value.([]any)
	if !ok {
		if why := lacks(s.value, want, ""); why != "" {
			return "", errors.New(why)
		}
		return "it has " + prose.Quote(string(s.Has)), nil
	}
	for i, item := range list {
		if lacks(item, want, "") == "" {
			return fmt.Sprintf("item %d has %s", i, prose.Quote(string(s.Has))), nil
		}
	}
	return "", fmt.Errorf("none of its %d items has %s", len(list), prose.Quote(string(s.Has)))
}

// lacks says what a value lacks. Numbers are equal by value, and everything else exactly.
func lacks(v, want any, at string) string {
	members, ok := want.(map[string]any)
	if !ok {
		have, err := key(v)
		need, bad := key(want)
		if err != nil || bad != nil || have != need {
			return fmt.Sprintf("at %s it is %s instead of %s", prose.Quote(at), shown(v), shown(want))
		}
		return ""
	}
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Sprintf("at %s it is %s instead of an object", prose.Quote(at), pointer.Describe(v))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		there := string(pointer.Append([]byte(at), name))
		next, ok := object[name]
		if !ok {
			return "there is nothing at " + prose.Quote(there)
		}
		if why := lacks(next, members[name], there); why != "" {
			return why
		}
	}
	return ""
}

// shown quotes a value.
func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "a value that cannot be written"
	}
	return prose.Quote(string(raw))
}
