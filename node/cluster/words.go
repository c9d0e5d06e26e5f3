package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ojud/casefile"
)

// Limits for the text of a party: lines, and characters in each.
const (
	mostLines = 12
	mostWidth = 88
)

// read fills in the words of the documents, because a reader needs them to understand the question
// before the judges.
func (p *papers) read() error {
	task, err := casefile.ParseTask(p.task.Content)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	objection, err := casefile.ParseObjection(p.objection.Content)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	counter, err := casefile.ParseCounterObjection(p.counter.Content)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	var result map[string]any
	if err := json.Unmarshal(p.result.Content, &result); err != nil {
		return fmt.Errorf("cluster: the result: %w", err)
	}
	p.words.task, p.words.result = quote(strings.Join(task.Value.Instruction, " ")), fieldsOf(result)
	p.words.objection, p.words.counter = quote(objection.Value.Reason), quote(counter.Value.Reason)
	return nil
}

// quote shows a party's text on one line.
func quote(text string) string { return "“" + oneLine(text) + "”" }

// fieldsOf shows the fields of a result one below the other: a text of several lines, or a list of
// texts.
func fieldsOf(result map[string]any) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(result)) {
		out = append(out, clip(name)+":"+value(result[name]))
	}
	return strings.Join(out, "; ")
}

func value(v any) string {
	var lines []string
	switch v := v.(type) {
	case string:
		lines = strings.Split(strings.TrimRight(v, "\n"), "\n")
	case []any:
		for _, item := range v {
			lines = append(lines, fmt.Sprint(item))
		}
	default:
		lines = []string{fmt.Sprint(v)}
	}
	if len(lines) == 1 {
		return " " + clip(lines[0])
	}
	left := max(0, len(lines)-mostLines)
	var b strings.Builder
	for _, line := range lines[:len(lines)-left] {
		b.WriteString("\n  " + clip(line))
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n  … and %d lines more", left)
	}
	return b.String()
}

// clip cuts a line that is too wide.
func clip(line string) string {
	if runes := []rune(line); len(runes) > mostWidth {
		return string(runes[:mostWidth-1]) + "…"
	}
	return line
}
