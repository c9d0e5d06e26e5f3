package demand

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Translation demands that the value has all of a text of the task in another language: the same
// segments, numbers, placeholders and markup.
type Translation struct {
	Of    string   `json:"of"`              // pointer into the task: a text, or an array or object of texts
	To    string   `json:"to,omitempty"`    // the language; empty: any but a copy
	Keep  []string `json:"keep,omitempty"`  // names that stay as they are
	Ratio *Ratio   `json:"ratio,omitempty"` // of the lengths
}

// Ratio bounds the length of the translation, in characters, divided by that of the text.
type Ratio struct {
	Min json.RawMessage `json:"min"`
	Max json.RawMessage `json:"max"`
}

func (d Demands) translation() *problem {
	t := d.Translation
	if t == nil {
		return nil
	}
	if p := at("translation.of", t.Of); p != nil {
		return p
	}
	if t.To != "" {
		if p := code("translation.to", t.To); p != nil {
			return p
		}
	}
	if len(t.Keep) > maxTexts {
		return wrong("translation.keep", "has %d names; at most %d are allowed", len(t.Keep), maxTexts)
	}
	for i, name := range t.Keep {
		if strings.TrimSpace(name) == "" || len(name) > maxText {
			return wrong(fmt.Sprintf("translation.keep[%d]", i), "has %d bytes; 1 to %d are allowed, and not white space alone", len(name), maxText)
		}
	}
	return t.ratio()
}

func (t *Translation) ratio() *problem {
	if t.Ratio == nil {
		return nil
	}
	least, ok := Number(string(t.Ratio.Min))
	most, well := Number(string(t.Ratio.Max))
	if !ok || !well || least.Sign() < 0 || most.Cmp(least) < 0 {
		return wrong("translation.ratio", "needs min and max, two numbers from 0 on, such as 0.5 and 2")
	}
	return nil
}
