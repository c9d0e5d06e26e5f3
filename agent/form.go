package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ojud/schema"
)

// actionForm is the JSON Schema of an action. It is flat, without anyOf, because the grammars of
// some servers have no more. A model should write its keys in this order, thought first.
type actionForm struct {
	Type       string     `json:"type"`
	Properties actionKeys `json:"properties"`
	Required   []string   `json:"required"`
	More       bool       `json:"additionalProperties"`
}

type actionKeys struct {
	Thought *textForm       `json:"thought,omitempty"`
	Action  textForm        `json:"action"`
	Tool    *textForm       `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Plan    json.RawMessage `json:"plan,omitempty"`
	Note    *textForm       `json:"note,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

type textForm struct {
	Type string   `json:"type"`
	Enum []string `json:"enum,omitempty"`
}

const planForm = `{"type":"array","items":{"type":"string"}}`

// form returns the schema of the allowed actions. It describes the keys of a single verb or tool.
func form(allowed []verb, tools []Repr, output json.RawMessage) (json.RawMessage, error) {
	f := actionForm{Type: "object", Required: []string{"action"}}
	p := &f.Properties
	p.Thought, p.Action = &textForm{Type: "string"}, textForm{Type: "string"}
	for _, v := range allowed {
		p.Action.Enum = append(p.Action.Enum, string(v))
		p.add(v, tools, output)
	}
	if len(allowed) == 1 {
		f.Required = append(f.Required, keys[allowed[0]]...)
	}
	return json.Marshal(f)
}

func (p *actionKeys) add(v verb, tools []Repr, output json.RawMessage) {
	switch v {
	case doCall:
		p.Tool, p.Input = &textForm{Type: "string"}, json.RawMessage(`{"type":"object"}`)
		for _, t := range tools {
			p.Tool.Enum = append(p.Tool.Enum, t.Name)
		}
		if len(tools) == 1 {
			p.Input = embed(tools[0].InputSchema, "#/properties/input", `{"type":"object"}`)
		}
	case doFinish:
		p.Result = embed(output, "#/properties/result", `{}`)
	case doPlan:
		p.Plan = json.RawMessage(planForm)
	case doNext:
		p.Note = &textForm{Type: "string"}
	}
}

// embed moves a schema into another one, at a place. It adapts the references; without references,
// the keys stay in order. If the schema is missing or cannot be moved, embed returns otherwise. The
// answer is checked against the real schema anyway.
func embed(s json.RawMessage, place, otherwise string) json.RawMessage {
	doc, err := schema.DefaultLimits().Decode(s)
	top, ok := doc.(map[string]any)
	if err != nil || !ok || top["$id"] != nil {
		return json.RawMessage(otherwise)
	}
	if !bytes.Contains(s, []byte(`"$`)) {
		return s
	}
	delete(top, "$schema")
	moved, err := raw(move(top, place))
	if err != nil {
		return json.RawMessage(otherwise)
	}
	return moved
}

// move rewrites the references of a schema.
func move(v any, place string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = move(v[i], place)
		}
	case map[string]any:
		for name := range v {
			v[name] = moveKey(name, v[name], place)
		}
	}
	return v
}

func moveKey(name string, value any, place string) any {
	ref, isText := value.(string)
	switch {
	case name == "$ref" && isText && (ref == "#" || strings.HasPrefix(ref, "#/")):
		return place + ref[1:]
	case slices.Contains([]string{"const", "enum", "default", "examples"}, name):
		return value // data
	case slices.Contains([]string{"properties", "patternProperties", "$defs", "dependentSchemas"}, name):
		if named, ok := value.(map[string]any); ok {
			for key := range named {
				named[key] = move(named[key], place)
			}
			return named
		}
	}
	return move(value, place)
}

// controls describes the verbs except call as tools, for a server's native calls.
func controls(allowed []verb, output json.RawMessage) []Repr {
	var out []Repr
	for _, v := range allowed {
		switch v {
		case doFinish:
			out = append(out, control(v, "Ends the work with its result.", "result", embed(output, "#/properties/result", `{}`)))
		case doPlan:
			out = append(out, control(v, "Says in order what you are going to do, or what is still to be done, instead of the plan before.", "plan", json.RawMessage(planForm)))
		case doNext:
			out = append(out, control(v, "Says that the item of the plan is done, and what came of it.", "note", json.RawMessage(`{"type":"string"}`)))
		}
	}
	return out
}

func control(v verb, description, key string, value json.RawMessage) Repr {
	s := fmt.Sprintf(`{"type":"object","properties":{%q:%s},"required":[%q],"additionalProperties":false}`, key, value, key)
	return Repr{Name: string(v), Description: description, InputSchema: json.RawMessage(s)}
}
