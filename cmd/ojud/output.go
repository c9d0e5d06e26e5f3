package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// show writes a result: with --json one JSON object on one line, else the text.
func (a *app) show(v any, text func(w io.Writer) error) error {
	if a.json {
		return a.line(v)
	}
	return text(a.out)
}

// line writes a JSON value on a line of its own.
func (a *app) line(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// list writes items: with --json one a line, else as a table with a header.
func list[T any](a *app, items []T, empty string, header []string, row func(T) []string) error {
	if a.json {
		for _, item := range items {
			if err := a.line(item); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		_, err := fmt.Fprintln(a.out, empty)
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	rows := [][]string{header}
	for _, item := range items {
		rows = append(rows, row(item))
	}
	for _, r := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// sheet is names and values for people, those without a value left out.
type sheet [][2]string

func (s *sheet) add(name, value string) {
	if value != "" {
		*s = append(*s, [2]string{name, value})
	}
}

func (s sheet) write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range s {
		if _, err := fmt.Fprintf(out, "%s\t%s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return out.Flush()
}
