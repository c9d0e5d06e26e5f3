package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	maxColumns = 100 // of a line of comments or prose; a table may be wider
	maxCell    = 200 // characters of a table's cell
)

// phrase is a column of the report.
type phrase struct {
	name    string
	pattern *regexp.Regexp
	anchors string // range in the comments of seven Go projects, in 10,000 words
}

// width is that of the phrase's column: enough for the name and for the anchors.
func (p phrase) width() int { return max(8, len(p.name)) }

func find(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + words + `)\b`) }

// phrases are counted. The anchors are go-f3, etcd raft, libocr, celestia-node, cometbft, hashicorp
// raft and drand; "–" was not measured.
var phrases = []phrase{
	{"what is", find(`what is`), "0–0.1"},
	{"is what", find(`is what`), "–"},
	{"nobody", find(`nobody`), "0–1.1"},
	{"whoever/whatever", find(`whoever|whatever`), "0–2.4"},
	{"in/of which", find(`in which|of which`), "0.2–5.6"},
	{"has to", find(`has to`), "0–1.8"},
	{"if", find(`if`), "70–133"},
	{"because", find(`because`), "10–15"},
	{"should", find(`should`), "15–41"},
}

// run prints the report on the files below roots, or the places of one phrase.
func run(out io.Writer, show string, roots []string) error {
	if len(roots) == 0 {
		roots = []string{"."}
	}
	found, err := collect(roots)
	if err != nil {
		return err
	}
	var all []line
	for _, kind := range kinds {
		all = append(all, found[kind]...)
	}
	if len(all) == 0 {
		return fmt.Errorf("no Go, Rust, .mjs or .md file below %s", strings.Join(roots, " "))
	}
	if show != "" {
		places(out, show, all)
		return nil
	}
	table(out, found, all)
	return nil
}

func table(out io.Writer, found map[string][]line, all []line) {
	_, _ = fmt.Fprintf(out, "%-10s %7s", "", "words")
	for _, p := range phrases {
		_, _ = fmt.Fprintf(out, " %*s", p.width(), p.name)
	}
	_, _ = fmt.Fprintf(out, " %10s %10s\n", "lines>100", "cells>200")
	for _, kind := range kinds {
		row(out, kind, found[kind])
	}
	row(out, "all", all)
	_, _ = fmt.Fprintf(out, "%-10s %7s", "anchors", "")
	for _, p := range phrases {
		_, _ = fmt.Fprintf(out, " %*s", p.width(), p.anchors)
	}
	_, _ = fmt.Fprintf(out, "\n\nPhrases are counted in 10,000 words. The goal for the first six is at most 3.\n")
}

// row prints the counts of one kind of text. A sentence may go over the end of a line, so the lines
// are joined before phrases are counted.
func row(out io.Writer, name string, lines []line) {
	var text strings.Builder
	long, cells := 0, 0
	for _, l := range lines {
		text.WriteString(l.text + " ")
		if l.tooLong() {
			long++
		}
		cells += len(l.longCells())
	}
	joined := strings.Join(strings.Fields(text.String()), " ")
	words := len(find(`[a-z][a-z'’-]*`).FindAllString(joined, -1))
	_, _ = fmt.Fprintf(out, "%-10s %7d", name, words)
	for _, p := range phrases {
		_, _ = fmt.Fprintf(out, " %*.1f", p.width(), float64(len(p.pattern.FindAllString(joined, -1)))*10_000/float64(max(words, 1)))
	}
	_, _ = fmt.Fprintf(out, " %10d %10d\n", long, cells)
}

// tooLong reports whether a whole line of prose is over maxColumns. Code with a comment behind it
// is code, and a table cannot be broken into lines.
func (l line) tooLong() bool { return l.width > maxColumns && l.alone && !l.table }

// longCells returns the cells of a table's line that are over maxCell.
func (l line) longCells() (out []string) {
	if !l.table {
		return nil
	}
	for _, cell := range strings.Split(strings.ReplaceAll(l.text, `\|`, "¦"), "|") {
		if columns(strings.TrimSpace(cell)) > maxCell {
			out = append(out, strings.TrimSpace(cell))
		}
	}
	return out
}

// places prints each line that has the phrase.
func places(out io.Writer, show string, lines []line) {
	pattern := find(regexp.QuoteMeta(show))
	for _, p := range phrases {
		if p.name == show {
			pattern = p.pattern
		}
	}
	for _, l := range lines {
		hit := pattern.MatchString(l.text)
		switch show {
		case "long":
			hit = l.tooLong()
		case "cell":
			hit = len(l.longCells()) > 0
		}
		if hit {
			_, _ = fmt.Fprintf(out, "%s:%d: %s\n", l.file, l.number, l.text)
		}
	}
}
