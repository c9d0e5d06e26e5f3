package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Keys are all keys that can be set, in order: "api.listen", "ledger.rpc" …
func Keys() []string {
	keys := keysOf(reflect.TypeFor[Config](), "")
	slices.Sort(keys)
	return keys
}

// keysOf walks a struct by its koanf tags.
func keysOf(t reflect.Type, path string) (out []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("koanf"), ",")
		switch {
		case len(f.Index) > 1 || name == "-" || name == "" && option == "": // what has no tag is for code, not for operators
		case option == "squash":
			out = append(out, keysOf(f.Type, path)...)
		case f.Type.Kind() == reflect.Struct:
			out = append(out, keysOf(f.Type, path+name+".")...)
		default:
			out = append(out, path+name)
		}
	}
	return out
}

// isSection reports whether a key has keys below it.
func isSection(key string) bool {
	return slices.ContainsFunc(Keys(), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

// checkKey refuses a key that does not exist and names the nearest that does.
func checkKey(key string, spell func(string) string) error {
	known := Keys()
	if slices.Contains(known, key) {
		return nil
	}
	best, distance := "", len(key)/2+1
	for _, k := range known {
		if d := edits(key, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return fmt.Errorf("%q is no setting; \"ojud run --help\" tells where they are described", spell(key))
	}
	return fmt.Errorf("%q is no setting; did you mean %q?", spell(key), spell(best))
}

// longest bounds the names that are compared; all keys are shorter.
const longest = 128

// edits counts the insertions, deletions and changes of bytes that make b of a (Levenshtein). A name that is too long is far
// from everything.
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
