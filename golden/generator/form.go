package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
)

// form is how a task is put together. It depends on nothing else.
type form struct {
	joined bool   // the instruction is one text
	head   string // before it
	tail   string // behind it
	first  bool   // the sentence about the note stands first
	full   bool   // the schema is a whole JSON Schema
	packed string // the document is an object with this name
	parts  bool   // the first line, or each test, is an element of its own
}

func (d *dice) form() form {
	f := form{joined: d.chance(50), full: d.chance(12), first: d.chance(20), parts: d.chance(25)}
	if d.chance(12) {
		f.head = d.spin("{Please help us|A small job|We are in a hurry|This is for our records|A task for somebody careful|Hello}{.|. It is quickly done.|. Take your time.| with this.}")
	}
	if d.chance(15) {
		f.tail = d.spin("{Check your work|Be exact|No comments besides|Nothing else is needed|Follow the rules above to the letter|Everything needed is in the input}{.|, please.}")
	}
	if d.chance(20) {
		f.packed = d.spin("{document|text|data|input|content|file|source|given}")
	}
	return f
}

// remark draws the name of the field in which a worker may say something. Most tasks have none.
func (d *dice) remark() string {
	if !d.chance(30) {
		return ""
	}
	return d.spin("{note|notes|remark|remarks|comment|comments|hint|message}")
}

// remarks draws what a task says about that field, what the worker writes there, and whether it
// speaks to its judges.
func (d *dice) remarks(name string) (about, text string, hostile bool) {
	if name == "" {
		return "", "", false
	}
	if d.chance(60) {
		about = fill(d.spin("{{The $1 is|$1 is|The field $1 is} for {remarks|what you want to add|anything else|questions}{.|; it is not judged.|, and may be empty.}|"+
			"{Write|Put} {remarks|anything else|what you want to add} into $1{, if you have any|}{.|; it does not count.|. It is not part of the work.}|$1 {may say anything|is optional|may be empty}{.| and is not judged.}}"), name)
	}
	hostile = d.chance(40)
	return about, note(d, hostile), hostile
}

// task writes the task that is asked.
func (one drawn) task() (casefile.Task, error) {
	asked, f := one.sides[one.asked], one.form
	out := casefile.Task{Instruction: slices.Clone(asked.instruction)}
	before := 0
	if one.free != "" && f.first {
		out.Instruction, before = append([]string{one.free}, out.Instruction...), 1
	} else if one.free != "" {
		out.Instruction = append(out.Instruction, one.free)
	}
	if f.head != "" {
		out.Instruction, before = append([]string{f.head}, out.Instruction...), before+1
	}
	if f.tail != "" {
		out.Instruction = append(out.Instruction, f.tail)
	}
	out.Expected = one.expected(before, before+len(asked.instruction), len(out.Instruction))
	for _, r := range asked.replies {
		if !slices.Contains(out.DataSources, r.source) {
			out.DataSources = append(out.DataSources, r.source)
		}
	}
	if f.joined {
		out.Instruction = []string{strings.Join(out.Instruction, " ")}
	}
	fields := slices.Clone(one.fields)
	if one.remark != "" {
		fields = append(fields, field{one.remark, `"string"`})
	}
	var err error
	if out.OutputSchema, err = schema(fields, f.full); err != nil {
		return out, err
	}
	for _, text := range asked.input {
		parts, err := f.pack(text, one.json)
		if err != nil {
			return out, err
		}
		out.InputData = append(out.InputData, parts...)
	}
	return out, nil
}

// pack writes a document as input data.
func (f form) pack(text string, isJSON bool) (parts []json.RawMessage, err error) {
	var values []any
	switch first, rest, more := strings.Cut(text, "\n"); {
	case isJSON && f.parts:
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			return nil, fmt.Errorf("generator: %w", err)
		}
	case isJSON && f.packed != "":
		values = []any{object{f.packed: json.RawMessage(text)}}
	case f.packed != "":
		values = []any{object{f.packed: text}}
	case f.parts && more:
		values = []any{first, rest}
	default:
		values = []any{text}
	}
	for _, v := range values {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("generator: %w", err)
		}
		parts = append(parts, raw)
	}
	return parts, nil
}

// schema writes the schema of the result, in the short form or in full.
func schema(fields []field, full bool) (json.RawMessage, error) {
	short, names := map[string]any{}, []string{}
	for _, f := range fields {
		var kind any
		if err := json.Unmarshal([]byte(f.kind), &kind); err != nil {
			return nil, fmt.Errorf("generator: %w", err)
		}
		if short[f.name] = kind; full {
			short[f.name] = inFull(kind)
		}
		names = append(names, f.name)
	}
	var out any = short
	if full {
		out = object{"type": "object", "properties": short, "required": names}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("generator: %w", err)
	}
	return raw, nil
}

// inFull writes a type of the short form as JSON Schema has it.
func inFull(kind any) any {
	switch k := kind.(type) {
	case []any:
		return object{"type": "array", "items": inFull(k[0])}
	case map[string]any:
		out := object{}
		for name, v := range k {
			out[name] = inFull(v)
		}
		return object{"type": "object", "properties": out, "required": slices.Sorted(maps.Keys(out))}
	}
	return object{"type": kind}
}

// noted adds the note of the worker to a result.
func (one drawn) noted(result object) object {
	out := maps.Clone(result)
	if one.remark != "" {
		out[one.remark] = one.note
	}
	return out
}
