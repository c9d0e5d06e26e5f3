package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"ojud/cmd/ojud/view"
)

// Show writes a result: one JSON object on one line with --json, otherwise text.
func (a *App) Show(v any, text func(w io.Writer) error) error {
	if a.JSON {
		return a.Line(v)
	}
	return text(a.Out)
}

// Line writes a JSON value on a line of its own.
func (a *App) Line(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// told is a line of Teller with --json.
type told struct {
	At   string `json:"at"`
	Task string `json:"task,omitempty"`
	Text string `json:"text"`
}

// Teller returns what writes the acts of an agent: a sentence without its subject, about a task or
// about none. It is a line of text, or a JSON object with --json. A failed write ends nothing,
// because the state of the agent is on the disk.
func (a *App) Teller() func(task, text string) {
	var mu sync.Mutex
	return func(task, text string) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now().UTC()
		switch {
		case a.Quiet:
		case a.JSON:
			_ = a.Line(told{now.Format(time.RFC3339), task, text})
		default:
			_, _ = fmt.Fprintf(a.Out, "%s  %s: %s\n", now.Format(time.TimeOnly), First(fmt.Sprintf("%.8s", task), "the agent"), text)
		}
	}
}

// List writes items: one JSON object a line with --json, otherwise a table with a header.
func List[T any](a *App, items []T, empty string, header []string, row func(T) []string) error {
	if a.JSON {
		for _, item := range items {
			if err := a.Line(item); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		_, err := fmt.Fprintln(a.Out, empty)
		return err
	}
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = row(item)
	}
	return view.Table(a.Out, header, rows)
}

// Content writes a document from strangers. It escapes the document if standard output is a
// terminal, unless raw is set.
func (a *App) Content(document []byte, raw bool) error {
	w := a.raw
	if !raw && a.TTY {
		w = a.Out
	}
	_, err := w.Write(document)
	return err
}

// Save writes a new file.
func Save(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Fail("%s is there already", name).Next("give another name, or remove that file")
	}
	if err != nil {
		return Fail("%v", err)
	}
	return errors.Join(write(f), f.Close())
}
