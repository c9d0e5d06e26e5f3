package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// at returns the place of a field: the file with the line of the field, or of the nearest section
// above it.
func at(path string, raw []byte, field string) string {
	lines := places(raw)
	for name := field; name != ""; {
		if n := lines[name]; n > 0 {
			return fmt.Sprintf("%s:%d", path, n)
		}
		cut := strings.LastIndexAny(name, ".[")
		if cut < 0 {
			break
		}
		name = name[:cut]
	}
	return path
}

// places returns the line of each section and key. An entry of an array of tables has its number:
// tools[1].name.
func places(raw []byte) map[string]int {
	out, count, section := map[string]int{}, map[string]int{}, ""
	note := func(name string, offset int) {
		if name != "" && out[name] == 0 {
			out[name] = 1 + bytes.Count(raw[:offset], []byte("\n"))
		}
	}
	var p unstable.Parser
	for p.Reset(raw); p.NextExpression(); {
		e := p.Expression()
		var words []string
		first := -1
		for it := e.Key(); it.Next(); {
			if first < 0 {
				first = int(it.Node().Raw.Offset)
			}
			words = append(words, string(it.Node().Data))
		}
		if first < 0 || first > len(raw) {
			continue
		}
		key := strings.Join(words, ".")
		switch e.Kind {
		case unstable.Table:
			section = key
			note(section, first)
		case unstable.ArrayTable:
			section = fmt.Sprintf("%s[%d]", key, count[key])
			count[key]++
			note(key, first)
			note(section, first)
		default:
			if section != "" {
				key = section + "." + key
			}
			note(key, first)
		}
	}
	return out
}
