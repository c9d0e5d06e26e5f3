package view

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
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

// Table writes rows in columns, escaped, below a header. A nil header is left out.
func Table(w io.Writer, header []string, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if header != nil {
		rows = append([][]string{header}, rows...)
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Escape(cell)
		}
		if _, err := fmt.Fprintln(out, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return out.Flush()
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
