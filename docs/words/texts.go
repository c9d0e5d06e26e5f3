package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// line is a line of prose: a comment line, or a line of a document that is not code.
type line struct {
	file   string
	number int
	text   string // without comment markers
	width  int    // columns of the whole line in the file; a tab is one
	table  bool
	alone  bool // the line has no code
}

// kinds are the rows of the report, in its order.
var kinds = []string{"Go source", "Go tests", "Rust", "JavaScript", "documents"}

func kindOf(path string) string {
	switch {
	case strings.HasSuffix(path, "_test.go"):
		return "Go tests"
	case strings.HasSuffix(path, ".go"):
		return "Go source"
	case strings.HasSuffix(path, ".rs"):
		return "Rust"
	case strings.HasSuffix(path, ".mjs"):
		return "JavaScript"
	case strings.HasSuffix(path, ".md"):
		return "documents"
	}
	return ""
}

// collect reads the lines of prose below the roots, by kind.
func collect(roots []string) (map[string][]line, error) {
	found := map[string][]line{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if path != root && (strings.HasPrefix(d.Name(), ".") ||
					slices.Contains([]string{"node_modules", "target", "testdata"}, d.Name())) {
					return filepath.SkipDir
				}
				return nil
			}
			kind := kindOf(path)
			if kind == "" {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found[kind] = append(found[kind], prose(path, string(raw))...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// prose returns the lines of prose of a file. A generated Go file has none.
func prose(path, text string) []line {
	switch kindOf(path) {
	case "documents":
		return document(path, text)
	case "Go source", "Go tests":
		if strings.HasPrefix(text, "// Code generated") {
			return nil
		}
		return goComments(path, text)
	}
	return slashComments(path, text)
}

// document returns the lines outside of fenced code.
func document(path, text string) (out []line) {
	fenced := false
	for i, s := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(s)
		if strings.HasPrefix(bare, "```") {
			fenced = !fenced
			continue
		}
		if fenced || bare == "" {
			continue
		}
		out = append(out, line{path, i + 1, s, columns(s), strings.HasPrefix(bare, "|"), true})
	}
	return out
}

// goComments returns the comments of a Go file, without directives such as //go:embed.
func goComments(path, text string) (out []line) {
	lines := strings.Split(text, "\n")
	fset := token.NewFileSet()
	file := fset.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok != token.COMMENT || strings.HasPrefix(literal, "//go:") || strings.HasPrefix(literal, "//nolint") {
			continue
		}
		first := fset.Position(pos).Line
		for i, part := range strings.Split(literal, "\n") {
			whole := lines[first-1+i]
			bare := strings.TrimSpace(whole)
			out = append(out, line{path, first + i, strings.Trim(part, "/* \t"), columns(whole), false,
				i > 0 || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/*")})
		}
	}
}

// slashComments returns the // comments of a Rust or JavaScript file. It takes "// " behind code
// for a comment unless a quotation mark or a colon stands directly before it.
func slashComments(path, text string) (out []line) {
	for i, s := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(s)
		if comment, ok := strings.CutPrefix(bare, "//"); ok {
			out = append(out, line{path, i + 1, strings.TrimLeft(comment, "/! "), columns(s), false, true})
		} else if _, comment, ok := strings.Cut(s, " // "); ok {
			out = append(out, line{path, i + 1, comment, columns(s), false, false})
		}
	}
	return out
}

func columns(s string) int { return len([]rune(s)) }
