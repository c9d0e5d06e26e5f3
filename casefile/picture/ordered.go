package picture

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
)

// Ordered takes the document of a task apart for who works on it. It leaves nothing out, so that no
// demand hides behind a long text.
func Ordered(raw []byte) (out []Passage) {
	all := func(label, text string, pre bool) {
		p := passage(label, text, len(text))
		p.Pre = p.Pre || pre
		out = append(out, p)
	}
	doc, err := casefile.ParseTask(raw)
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &members) != nil {
		all("", indented(raw), true) // judges cannot read it
		return out
	}
	for _, text := range doc.Value.Instruction {
		all("", text, false)
	}
	first := doc.Value.InputData[:min(len(doc.Value.InputData), maxBlocks)]
	for _, item := range first {
		var text string
		if json.Unmarshal(item, &text) == nil {
			all("given", text, false)
		} else {
			all("given", indented(item), true)
		}
	}
	if more := len(doc.Value.InputData) - len(first); more > 0 {
		rest, err := json.Marshal(doc.Value.InputData[len(first):])
		if err != nil {
			rest = []byte(err.Error())
		}
		all(fmt.Sprintf("given, the other %d", more), indented(rest), true)
	}
	if len(doc.Value.DataSources) > 0 {
		all("data sources", strings.Join(doc.Value.DataSources, ", "), false)
	}
	var checks []json.RawMessage
	if json.Unmarshal(members["expected"], &checks) != nil {
		checks = nil // there are none
	}
	for i, check := range checks {
		name := fmt.Sprintf("code must find in the result, %d of %d", i+1, len(checks))
		all(name, string(check), true)
		var value any
		if json.Unmarshal(check, &value) == nil {
			lineTexts("", value, func(at, text string) { all(name+", as text: "+Line(at), text, true) })
		}
	}
	all("the form of the result", indented(doc.Value.OutputSchema), true)
	known := []string{"instruction", "input_data", "data_sources", "expected", "output_schema"}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			label := Line(name)
			if name == "pda" {
				label = "data of agents on the chain (pda)"
			}
			all(label, indented(members[name]), true)
		}
	}
	return out
}

// lineTexts finds the texts in a value that have lines, such as programs. In JSON they are hard to
// read.
func lineTexts(at string, value any, found func(at, text string)) {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "\n") {
			found(at, v)
		}
	case []any:
		for i, one := range v {
			lineTexts(fmt.Sprintf("%s/%d", at, i), one, found)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lineTexts(at+"/"+name, v[name], found)
		}
	}
}
