package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := one(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the value")
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

// one reads one value.
func one(d *json.Decoder, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return plain(err)
	}
	switch token {
	case json.Delim('{'):
		return members(d, depth)
	case json.Delim('['):
		for d.More() {
			if err := one(d, depth+1); err != nil {
				return err
			}
		}
		_, err := d.Token()
		return plain(err)
	}
	return nil
}

// members reads the rest of an object.
func members(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return plain(err)
		}
		name, ok := token.(string)
		if !ok || seen[name] {
			return errors.New("an object has a name twice")
		}
		seen[name] = true
		if err := one(d, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return plain(err)
}

// plain says in other words that a value is truncated, and repeats nothing of it.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the value is cut")
	}
	return errors.New("no JSON")
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
