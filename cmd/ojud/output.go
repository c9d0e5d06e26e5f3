package main

import (
	"encoding/json"
	"fmt"
	"io"

	"ojud/cmd/ojud/view"
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
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = row(item)
	}
	return view.Table(a.out, header, rows)
}

// content writes a document of strangers. It escapes the document if standard output is a terminal, unless raw is set.
func (a *app) content(document []byte, raw bool) error {
	w := a.raw
	if !raw && a.tty {
		w = a.out
	}
	_, err := w.Write(document)
	return err
}
