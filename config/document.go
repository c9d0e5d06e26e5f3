package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// document is a settings file by lines. It is for positions and edits; the values come from the
// TOML parser.
type document struct{ text []string }

var (
	tomlSection = regexp.MustCompile(`^\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$`)
	tomlKey     = regexp.MustCompile(`^\s*([A-Za-z0-9_.-]+)\s*=(.*)$`)
)

func newDocument(raw []byte) document {
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	if text == "" {
		return document{}
	}
	return document{strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
}

func (d document) bytes() []byte { return []byte(strings.Join(d.text, "\n") + "\n") }

// lines returns the first line of each key and section, counted from 1.
func (d document) lines() map[string]int {
	out := map[string]int{}
	d.walk(func(line int, section, key string) {
		at := section
		if key != "" {
			at = join(section, key)
		}
		if out[at] == 0 {
			out[at] = line + 1
		}
	})
	delete(out, "")
	return out
}

// walk calls see for each line that begins a section or a key. For a section, key is empty.
func (d document) walk(see func(line int, section, key string)) {
	section, quoted := "", false
	for i, line := range d.text {
		if !quoted {
			if m := tomlSection.FindStringSubmatch(line); m != nil {
				section = m[1]
				see(i, section, "")
			} else if m := tomlKey.FindStringSubmatch(line); m != nil {
				see(i, section, m[1])
			}
		}
		if (strings.Count(line, `"""`)+strings.Count(line, "'''"))%2 == 1 {
			quoted = !quoted
		}
	}
}

func join(section, key string) string {
	if section == "" {
		return key
	}
	return section + "." + key
}

// set gives a key a value, which is TOML on one line. It replaces the line of the key, or adds one
// to the section of the key, and keeps all other lines. It refuses to replace a value of several
// lines.
func (d *document) set(key, value string) error {
	at, header, section := -1, -1, parent(key)
	name := key
	if section == "." {
		section = ""
	} else {
		name = key[len(section)+1:]
	}
	first := len(d.text) // line of the first section
	d.walk(func(line int, in, k string) {
		switch {
		case k != "" && join(in, k) == key:
			at = line
		case k == "" && in == section:
			header = line
		case k == "":
			first = min(first, line)
		}
	})
	switch {
	case at >= 0:
		if !oneLine(d.text[at]) {
			return fmt.Errorf("line %d: %s has a value of several lines; edit the file", at+1, key)
		}
		indent := d.text[at][:len(d.text[at])-len(strings.TrimLeft(d.text[at], " \t"))]
		written, _, _ := strings.Cut(strings.TrimSpace(d.text[at]), "=")
		d.text[at] = indent + strings.TrimSpace(written) + " = " + value
	case section == "":
		d.text = slices.Insert(d.text, first, key+" = "+value)
	case header >= 0:
		d.text = slices.Insert(d.text, header+1, name+" = "+value)
	default:
		if len(d.text) > 0 {
			d.text = append(d.text, "")
		}
		d.text = append(d.text, "["+section+"]", name+" = "+value)
	}
	return nil
}

// unset takes the line of a key out, and reports whether there was one. It refuses to take out a
// value of several lines.
func (d *document) unset(key string) (found bool, err error) {
	at := -1
	d.walk(func(line int, in, k string) {
		if k != "" && join(in, k) == key {
			at = line
		}
	})
	if at < 0 {
		return false, nil
	}
	if !oneLine(d.text[at]) {
		return true, fmt.Errorf("line %d: %s has a value of several lines; edit the file", at+1, key)
	}
	d.text = slices.Delete(d.text, at, at+1)
	return true, nil
}

// oneLine reports whether the value of a key ends on its line.
func oneLine(line string) bool {
	_, value, _ := strings.Cut(line, "=")
	return strings.Count(value, "[") == strings.Count(value, "]") && strings.Count(value, "{") == strings.Count(value, "}") &&
		!strings.Contains(value, `"""`) && !strings.Contains(value, "'''")
}
