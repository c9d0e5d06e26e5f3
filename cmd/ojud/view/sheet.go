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

// The layout of tables: between columns, the least width of a column that is wrapped, and how far
// columns go in that have no room beside the others.
const (
	gap    = 2
	least  = 40
	indent = 4
)

// Table writes rows in columns, escaped, below a header. A nil header is left out. Columns that
// have no room beside the others stand below them, in each row. The last column is wrapped if it
// does not begin too far to the right. If a row would take three lines or more, no name of the
// header would stand over its column: then each row is a sheet.
func Table(w io.Writer, header []string, rows [][]string) error {
	all := rows
	if header != nil {
		rows = append([][]string{header}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(Escape(cell)))
		}
	}
	below := lines(widths)
	if header != nil && len(below) > 1 {
		return sheets(w, header, all)
	}
	for _, row := range rows {
		line, column := "", 0
		for i, cell := range row {
			cell = Escape(cell)
			if below[i] {
				line = strings.TrimRight(line, " ") + "\n" + strings.Repeat(" ", indent)
				column = indent
			}
			if i < len(row)-1 {
				line += cell + strings.Repeat(" ", widths[i]+gap-utf8.RuneCountInString(cell))
				column += widths[i] + gap
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

// sheets writes each row as a sheet, with an empty line between two.
func sheets(w io.Writer, header []string, rows [][]string) error {
	for i, row := range rows {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		var s Sheet
		for n, cell := range row {
			s.Add(strings.ToLower(header[n]), cell)
		}
		if err := s.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// lines says which columns begin a new line, so that a row is not wider than Width.
func lines(widths []int) map[int]bool {
	below, column := map[int]bool{}, 0
	for i, width := range widths {
		needs := width
		if i == len(widths)-1 {
			needs = min(width, least) // it is wrapped
		}
		if i > 0 && column+needs > Width {
			below[i], column = true, indent
		}
		column += width + gap
	}
	return below
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
