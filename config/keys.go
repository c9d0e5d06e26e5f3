package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// keys returns the keys of all settings in order: "api.listen", "ledger.rpc" …
func keys() []string {
	var keys []string
	for _, f := range fieldsOf(reflect.TypeFor[Config](), "", nil) {
		keys = append(keys, f.key)
	}
	slices.Sort(keys)
	return keys
}

// isSection reports whether a key has settings below it.
func isSection(key string) bool {
	return slices.ContainsFunc(keys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// checkKey refuses an unknown key and names the nearest known one. For an unknown section it names
// the nearest section.
func checkKey(key string, spell func(string) string) error {
	known := keys()
	if slices.Contains(known, key) {
		return nil
	}
	name := fmt.Sprintf("%q", spell(key))
	if now, ok := renamed()[key]; ok {
		return fmt.Errorf("%s has a new name: %q", name, spell(now))
	}
	section := parent(key)
	if section != "." && !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, section+".") }) {
		field := key[len(section)+1:]
		for _, at := range sections(known) {
			if slices.Contains(known, at+"."+field) && edits(section, at) <= len(at)/2 {
				return fmt.Errorf("%s is not a setting, because there is no section %q; did you mean %q?", name, section, spell(at+"."+field))
			}
		}
	}
	if best := nearest(key, known); best != "" {
		return fmt.Errorf("%s is not a setting; did you mean %q?", name, spell(best))
	}
	return fmt.Errorf("%s is not a setting; \"ojud config show\" and docs/settings.md list them", name)
}

// sections returns the sections of keys in order.
func sections(keys []string) (out []string) {
	for _, key := range keys {
		for at := parent(key); at != "."; at = parent(at) {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// nearest returns the known key that needs the fewest edits, or nothing if all need too many.
func nearest(key string, known []string) string {
	best, distance := "", len(key)/2+1
	for _, k := range known {
		if d := edits(key, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// longest bounds the names that edits compares. All keys are shorter.
const longest = 128

// edits returns the Levenshtein distance of two names. A name that is too long is far from
// everything.
func edits(a, b string) int {
	if len(a) > longest {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
