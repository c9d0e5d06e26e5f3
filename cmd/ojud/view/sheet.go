package view

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Sheet is a list of names and values for people.
type Sheet [][2]string

// Add appends a line, unless the value is empty.
func (s *Sheet) Add(name, value string) {
	if value != "" {
		*s = append(*s, [2]string{name, value})
	}
}

// Write writes a line for each value, escaped.
func (s Sheet) Write(w io.Writer) error {
	rows := make([][]string, len(s))
	for i, line := range s {
		rows[i] = line[:]
	}
	return Table(w, nil, rows)
}

// Table writes rows in columns, escaped, below a header. A nil header is left out. The last column
// is wrapped if it does not begin too far to the right.
func Table(w io.Writer, header []string, rows [][]string) error {
	if header != nil {
		rows = append([][]string{header}, rows...)
	}
	const gap, least = 2, 40 // between columns; the least width of a column that is wrapped
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:max(0, len(row)-1)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(Escape(cell))+gap)
		}
	}
	for _, row := range rows {
		line, column := "", 0
		for i, cell := range row {
			cell = Escape(cell)
			if i < len(row)-1 {
				line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
				column += widths[i]
				continue
			}
			if column <= Width-least {
				cell = Wrap(cell, column)
			}
			line += cell
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// Count returns "1 node" or "2 nodes".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// clockTime returns a time of the chain, given in Unix seconds. It is empty for 0.
func clockTime(unix int64) string {
	if unix == 0 {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC")
}
