package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// question is a request, as far as this server reads it.
type question struct {
	System string
	User   string // the last message of the user
	keys   []string
	tools  bool // some are offered, or answered
	action bool // an action of an agent is asked for
	source string
}

var errForm = errors.New("modeltest: not a request for an answer")

func read(body []byte) (q question, err error) {
	var request struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []json.RawMessage `json:"tools"`
	}
	var members map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(body, &request), json.Unmarshal(body, &members)); err != nil {
		return q, fmt.Errorf("%w: %w", errForm, err)
	}
	for _, m := range request.Messages {
		text, err := content(m.Content)
		if err != nil {
			return q, err
		}
		switch m.Role {
		case "system":
			q.System = text
		case "user":
			q.User = text
		case "tool":
			q.tools = true
		}
	}
	for key := range members {
		q.keys = append(q.keys, key)
	}
	q.tools = q.tools || len(request.Tools) > 0
	return q, q.scheme(members["response_format"])
}

func content(raw json.RawMessage) (text string, err error) {
	if len(raw) == 0 || raw[0] != '[' {
		return text, json.Unmarshal(raw, &text)
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", err
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, nil
}

// scheme reads the kind of answer from the schema.
func (q *question) scheme(format json.RawMessage) error {
	if format == nil {
		return nil
	}
	var f struct {
		Schema struct {
			Schema struct {
				Properties map[string]struct {
					Properties map[string]struct{ Enum []string } `json:"properties"`
				} `json:"properties"`
			} `json:"schema"`
		} `json:"json_schema"`
	}
	if err := json.Unmarshal(format, &f); err != nil {
		return fmt.Errorf("%w: %w", errForm, err)
	}
	_, q.action = f.Schema.Schema.Properties["action"]
	if sources := f.Schema.Schema.Properties["input"].Properties["data_source"].Enum; len(sources) > 0 {
		q.source = sources[0]
	}
	return nil
}

func (q question) has(key string) bool { return slices.Contains(q.keys, key) }

var (
	itemID  = regexp.MustCompile(`(?m)^I\d+$`)
	manner  = regexp.MustCompile(`Your way of judging is called ([a-z0-9-]+) \(([a-z]+)\)`)
	listing = regexp.MustCompile(`^\|\s+\[\d+\] `)
)

func (q question) Items() []string { return itemID.FindAllString(q.User, -1) }

// Persona returns the judge's persona and its dimension, or nothing.
func (q question) Persona() (name, dimension string) {
	if m := manner.FindStringSubmatch(q.System); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// Result returns the result's lines without signs, or the elements of its lists.
func (q question) Result() []string {
	var all, elements []string
	inside := false
	for line := range strings.Lines(q.User) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.Contains(line, " begin result ("):
			inside = true
		case strings.HasSuffix(line, " end result"):
			inside = false
		case inside && listing.MatchString(line):
			elements = append(elements, listing.ReplaceAllString(line, ""))
		case inside && len(strings.TrimPrefix(line, "| ")) > 8:
			all = append(all, strings.TrimSpace(strings.TrimPrefix(line, "| ")))
		}
	}
	if len(elements) > 0 {
		return elements
	}
	return all
}

// Element returns the element of the result that an item is about, or nothing.
func (q question) Element(id string) string {
	_, item, _ := strings.Cut(q.User, "\n"+id+"\n")
	about := false
	for line := range strings.Lines(item) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "of the result, element "):
			about = true
		case about:
			return strings.TrimPrefix(line, "| ")
		case !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "of it, decide "):
			return ""
		}
	}
	return ""
}
