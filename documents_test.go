package ojud_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 100 // of a line of a document; tables, code and addresses may be wider
	maxCell    = 200 // characters of a table's cell
)

// textFiles calls see with each file of the repository that has one of these suffixes.
func textFiles(t *testing.T, suffixes []string, see func(name, text string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(name, d.Name())
		}
		if !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			return nil
		}
		raw, err := os.ReadFile(name)
		see(filepath.ToSlash(name), string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDocumentWidth checks that a document can be read in a terminal and reviewed in a diff.
func TestDocumentWidth(t *testing.T) {
	seen := 0
	textFiles(t, []string{".md"}, func(name, text string) {
		seen++
		for _, fault := range wide(name, text) {
			t.Error(fault)
		}
	})
	if seen < 20 {
		t.Errorf("found only %d documents", seen)
	}
}

// wide returns the lines and cells that are too wide in a document.
func wide(name, text string) (faults []string) {
	fenced, number := false, 0
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		number++
		line := s.Text()
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, "```"):
			fenced = !fenced
		case fenced || strings.HasPrefix(line, "    "):
		case strings.HasPrefix(bare, "|"):
			for _, cell := range strings.Split(strings.ReplaceAll(bare, `\|`, " "), "|") {
				if n := utf8.RuneCountInString(strings.TrimSpace(cell)); n > maxCell {
					faults = append(faults, at(name, number)+": a table cell has too many characters; make it a heading with a list")
				}
			}
		case utf8.RuneCountInString(line) > maxColumns && strings.Contains(strings.TrimLeft(bare, "-*0123456789. "), " "):
			faults = append(faults, at(name, number)+": the line is too long")
		}
	}
	return faults
}

func at(name string, number int) string { return fmt.Sprintf("%s:%d", name, number) }

// TestDocumentWidthControl checks that wide sees faults, and sees none where there are none.
func TestDocumentWidthControl(t *testing.T) {
	long := strings.Repeat("word ", 21)
	for text, want := range map[string]int{
		long:                                  1,
		"- " + long:                           1,
		"```\n" + long + "\n```\n":            0,
		"https://" + strings.Repeat("x", 120): 0,
		"| a | " + strings.Repeat("x", 201) + "|": 1,
		"| a | " + long + long + "|":              1,
		"| " + long + "| " + long + "|":           0,
		"short":                                   0,
	} {
		if got := wide("x.md", text); len(got) != want {
			t.Errorf("%.40q: %d faults, want %d", text, len(got), want)
		}
	}
}

// link is a Markdown link to a file of the repository, with or without a heading.
var link = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)

// TestDocumentLinks checks that linked files and headings exist.
func TestDocumentLinks(t *testing.T) {
	texts := map[string]string{}
	textFiles(t, []string{".md"}, func(name, text string) { texts[name] = text })
	for name, text := range texts {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), m[1]))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: there is no %s", name, target)
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(texts[target]), m[2]) {
				t.Errorf("%s: %s has no heading %s", name, target, m[2])
			}
		}
	}
}

// sourcePath is a file of the repository that a document names, such as `node/network/links.go`.
var sourcePath = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_./-]*/[A-Za-z0-9_.-]+\\.(?:go|rs|mjs|sh))`")

// TestDocumentPaths checks that source files that documents name exist. A path may begin at the
// folder of the document.
func TestDocumentPaths(t *testing.T) {
	seen := 0
	textFiles(t, []string{".md"}, func(name, text string) {
		for _, m := range sourcePath.FindAllStringSubmatch(text, -1) {
			seen++
			_, fromRoot := os.Stat(m[1])
			_, fromHere := os.Stat(filepath.Join(filepath.Dir(name), m[1]))
			if fromRoot != nil && fromHere != nil {
				t.Errorf("%s: there is no file %s", name, m[1])
			}
		}
	})
	if seen < 10 {
		t.Errorf("found only %d paths in documents", seen)
	}
}

// anchors returns the addresses of a document's headings, made as GitHub makes them.
func anchors(text string) (out []string) {
	drop := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, line := range strings.Split(text, "\n") {
		if level := strings.TrimLeft(line, "#"); level != line && strings.HasPrefix(level, " ") {
			out = append(out, "#"+strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(level)), ""), " ", "-"))
		}
	}
	return out
}

// designPage matches a reference to a page that is not in the repository, such as "design section
// 4" or "(D5)".
var designPage = regexp.MustCompile(`(?i:design (?:section|decision|page)s?\b)|\bDESIGN(?:\.md)?\b|\(D[0-9]{1,2}[a-c]?\)`)

// TestNoDesignPage checks that texts state the content instead of pointing to a page that readers
// do not have. In agent/judge/prompt.go, "(D1)" is the name of data.
func TestNoDesignPage(t *testing.T) {
	suffixes := []string{".go", ".rs", ".mjs", ".md", ".sh", ".toml", ".txt", "Makefile"}
	textFiles(t, suffixes, func(name, text string) {
		for i, line := range strings.Split(text, "\n") {
			if m := designPage.FindString(line); m != "" && name != "documents_test.go" && name != "agent/judge/prompt.go" {
				t.Errorf("%s: %q: state the content, or point to docs/protocol.md or an ADR", at(name, i+1), m)
			}
		}
	})
}
