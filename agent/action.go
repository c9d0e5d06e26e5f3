package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/schema"
)

// verb is the kind of an action. No tool may have such a name.
type verb string

const (
	doCall   verb = "call"   // a tool or a minion
	doFinish verb = "finish" // with a result
	doPlan   verb = "plan"   // a list of items to do
	doNext   verb = "next"   // the item of the plan is done
)

// action is a decision of a model: JSON in its answer, or a native call of a verb.
type action struct {
	Verb    verb
	Thought string
	Tool    string          // call
	Input   json.RawMessage // call
	Result  json.RawMessage // finish
	Plan    []string        // plan
	Note    string          // next
}

const (
	maxItems = 12  // of a plan
	maxItem  = 500 // bytes of one
	maxNote  = 2000
)

// keys are the keys of an action besides its thought, by verb.
var keys = map[verb][]string{
	doCall: {"tool", "input"}, doFinish: {"result"}, doPlan: {"plan"}, doNext: {"note"},
}

// decodeAction reads an answer, which must be one of the allowed actions. The model sees the error,
// so the error names the fault and does not repeat the answer. First, bare removes the text that
// servers without grammars put around JSON. Keys of other verbs may be null, because some servers
// demand all keys.
func decodeAction(text string, allowed []verb, l schema.Limits) (action, error) {
	doc, err := l.Decode([]byte(bare(text)))
	if err != nil {
		return action{}, fmt.Errorf("it is not one JSON object: %s", reason(err))
	}
	fields, ok := doc.(map[string]any)
	if !ok {
		return action{}, errors.New("it is not a JSON object")
	}
	name, _ := fields["action"].(string)
	do := verb(name)
	if !slices.Contains(allowed, do) {
		return action{}, fmt.Errorf(`"action" is not one of %s`, list(allowed))
	}
	delete(fields, "action")
	return fill(do, fields)
}

// reason returns the text of an error without the name of a package.
func reason(err error) string {
	return strings.TrimPrefix(schema.Reason(err), "agent: ")
}

func list(verbs []verb) string {
	var out []string
	for _, v := range verbs {
		out = append(out, fmt.Sprintf("%q", string(v)))
	}
	return strings.Join(out, ", ")
}

func fill(do verb, fields map[string]any) (action, error) {
	a := action{Verb: do}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		own := name == "thought" || slices.Contains(keys[do], name)
		if !own && (fields[name] != nil || !known(name)) {
			return a, fmt.Errorf("an action %q has no key %q", string(do), plain(name, 40))
		}
	}
	for _, name := range append([]string{"thought"}, keys[do]...) {
		value, there := fields[name]
		if err := a.set(name, value, there); err != nil {
			return a, err
		}
	}
	return a, nil
}

// known reports whether an action of any verb has a key.
func known(name string) bool {
	for _, of := range keys {
		if slices.Contains(of, name) {
			return true
		}
	}
	return false
}

// set reads one field. A thought, a note and the input of a call are optional.
func (a *action) set(name string, value any, there bool) (err error) {
	switch name {
	case "thought":
		a.Thought, err = said(name, value)
	case "note":
		a.Note, err = said(name, value)
		a.Note = plain(a.Note, maxNote)
	case "tool":
		a.Tool, err = said(name, value)
		if err == nil && a.Tool == "" {
			err = errors.New(`the key "tool" is missing`)
		}
	case "input":
		if value == nil {
			value = map[string]any{}
		}
		a.Input, err = raw(value)
	case "result":
		if !there {
			return errors.New(`the key "result" is missing`)
		}
		a.Result, err = raw(value)
	case "plan":
		a.Plan, err = items(value)
	}
	return err
}

func said(name string, value any) (string, error) {
	text, ok := value.(string)
	if !ok && value != nil {
		return "", fmt.Errorf("%q is not a string", name)
	}
	return text, nil
}

func items(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 || len(list) > maxItems {
		return nil, fmt.Errorf(`"plan" is not a list of 1 to %d strings`, maxItems)
	}
	var out []string
	for _, item := range list {
		text, ok := item.(string)
		if text = strings.TrimSpace(plain(text, maxItem)); !ok || text == "" {
			return nil, errors.New(`an item of "plan" is not a text`)
		}
		out = append(out, text)
	}
	return out, nil
}

// raw writes a decoded value on one line, with unchanged numbers and sorted names.
func raw(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// compacted writes JSON on one line.
func compacted(text json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	err := json.Compact(&b, text)
	return b.Bytes(), err
}

// bare removes text that models write around JSON if no grammar prevents it: thoughts between think
// tags at the beginning, and one code fence.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "<think>"); ok {
		if _, after, ended := strings.Cut(rest, "</think>"); ended {
			text = strings.TrimSpace(after)
		}
	}
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if rest, ok = strings.CutSuffix(rest, "```"); ok {
			text = strings.TrimSpace(strings.TrimPrefix(rest, "json"))
		}
	}
	return text
}
