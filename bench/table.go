package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const heading = `| | what | here | floor | ratio | goal | | others used | why |
|---|---|---|---|---|---|---|---|---|`

// printTable prints the lines of the file as a Markdown table, sorted by figure. A file that does
// not exist is a table without lines.
func printTable(out io.Writer, file string) error {
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(string(raw), "\n"), func(line string) bool { return line == "" })
	slices.SortStableFunc(lines, natural)
	_, err = fmt.Fprintln(out, strings.Join(append([]string{heading}, lines...), "\n"))
	return err
}

// natural compares texts with their numbers as numbers: P2 comes before P10.
func natural(a, b string) int {
	for a != "" && b != "" {
		na, nb := number(a), number(b)
		if na == "" || nb == "" {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(na):], b[len(nb):]
		na, nb = strings.TrimLeft(na, "0"), strings.TrimLeft(nb, "0")
		if len(na) != len(nb) {
			return len(na) - len(nb)
		}
		if c := strings.Compare(na, nb); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// number returns the digits at the start of s.
func number(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}
