package view

import (
	"strings"
	"unicode/utf8"
)

// Width is the width of a line of text. A longer word has a line of its own.
const Width = 100

// Wrap breaks the first line of a text at spaces. The text begins in column indent, and its other
// lines are indented as much.
func Wrap(text string, indent int) string {
	first, below, more := strings.Cut(text, "\n")
	var out strings.Builder
	length := indent
	for i, word := range strings.Split(first, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case length+1+n > Width:
			out.WriteString("\n")
			length = indent
		default:
			out.WriteString(" ")
			length++
		}
		out.WriteString(word)
		length += n
	}
	if more {
		out.WriteString("\n" + below)
	}
	return strings.ReplaceAll(out.String(), "\n", "\n"+strings.Repeat(" ", indent))
}
