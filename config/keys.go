package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ojud/config/bounds"
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
			if slices.Contains(known, at+"."+field) && bounds.Edits(section, at) <= len(at)/2 {
				return fmt.Errorf("%s is not a setting, because there is no section %q; did you mean %q?", name, section, spell(at+"."+field))
			}
		}
	}
	if best := bounds.Nearest(key, known); best != "" {
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
