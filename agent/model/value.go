package model

import (
	"encoding/json"
	"errors"
	"strings"

	jsonschema "ojud/schema"
)

// maxDepth bounds how deep an answer may be nested.
const maxDepth = 64

// value reads an answer that must be one JSON value. Around it may be space, a closed <think> block
// before it, or one code fence, because models write these in spite of all instructions. It refuses
// a value with a repeated name in an object, because readers do not agree on which one counts, a
// value nested deeper than 64, and a truncated one. It returns the value unchanged.
func value(text string) (string, error) {
	text = unfence(unthink(text))
	if err := single(text); err != nil {
		return "", err
	}
	return text, nil
}

// single refuses text that is not one JSON value.
func single(text string) error {
	_, err := jsonschema.Limits{ValueBytes: maxPrompt, Depth: maxDepth, Values: maxPrompt}.Decode([]byte(text))
	if err != nil {
		return errors.New(jsonschema.Reason(err))
	}
	return nil
}

// unthink removes the block that reasoning models write first on servers that do not know it.
func unthink(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "<think>"); ok {
		if _, rest, closed := strings.Cut(inner, "</think>"); closed {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// unfence removes a code fence around the whole text.
func unfence(text string) string {
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	if !opened || !closed || strings.Contains(inner, "```") {
		return text
	}
	return strings.TrimSpace(strings.TrimPrefix(inner, "json"))
}

// object refuses text that is no JSON object.
func object(raw json.RawMessage) error {
	text := strings.TrimSpace(string(raw))
	if err := single(text); err != nil {
		return err
	}
	if text[0] != '{' {
		return errors.New("no object")
	}
	return nil
}
