package ojud_test

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxHomes is how many packages may export a type of one name.
const maxHomes = 3

// manyHomes are exported type names that stand in more packages. The list may only shrink.
var manyHomes = map[string]struct {
	homes int
	why   string
}{
	"Config":  {26, "each package owns its settings, and package config gathers them"},
	"Deps":    {15, "constructors name what they need from outside"},
	"Options": {5, "a caller's choices for one call"},
	"Account": {6, "an account of the chain, as each layer sees it; agent/judge/account is a judge's own account"},
	"Answer":  {4, "not renamed yet"},
	"Class":   {5, "not renamed yet"},
	"Event":   {6, "not renamed yet"},
	"Status":  {5, "not renamed yet"},
	"Verdict": {4, "not renamed yet"},
}

// unused are the words that docs/glossary.md forbids in exported names. A word is matched at its
// capital letter, also as a plural or with another ending of English.
var unused = []string{
	"Instance", "Docket", "Hearing", "Grope", "Ripen", "Meets", "Mind", "Plead", "Pleading", "Begged", "Shelf", "Shelve",
	"Diary", "Lookout", "Dossier", "Inquest", "Sluice", "Sole", "Mire", "Mend",
}

// unusedInComments are those of the words that have no other meaning here, so that comments do not
// use them either.
var unusedInComments = []string{
	"docket", "grope", "ripen", "begged", "diary", "lookout", "dossier", "inquest", "sluice", "mire", "mend",
}

// withEndings is a regular expression for words with any ending of English.
func withEndings(words []string) string {
	var all []string
	for _, w := range words {
		if stem, ok := strings.CutSuffix(w, "y"); ok {
			w = stem + "(?:y|ie)"
		} else if stem, ok := strings.CutSuffix(w, "e"); ok {
			w = stem + "e?"
		}
		all = append(all, w)
	}
	return "(" + strings.Join(all, "|") + ")(?:s|es|d|ed|ing)?"
}

// exported calls see with each exported name that a file declares at its top level, and with
// exported methods of any type; kind is "type", "func", "method" or "value".
func exported(f file, see func(kind, name string)) {
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			kind := "func"
			if d.Recv != nil {
				kind = "method"
			}
			if d.Name.IsExported() {
				see(kind, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						see("type", s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							see("value", name.Name)
						}
					}
				}
			}
		}
	}
}

// TestTypeNames checks that a type name means one thing: it stands in at most three packages.
func TestTypeNames(t *testing.T) {
	homes := map[string][]string{}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		exported(f, func(kind, name string) {
			if kind == "type" && !slices.Contains(homes[name], f.pkg) {
				homes[name] = append(homes[name], f.pkg)
			}
		})
	}
	for name, in := range homes {
		switch listed, ok := manyHomes[name]; {
		case !ok && len(in) > maxHomes:
			t.Errorf("type %s stands in %d packages, more than %d: %s; rename some by docs/glossary.md",
				name, len(in), maxHomes, strings.Join(in, ", "))
		case ok && len(in) > listed.homes:
			t.Errorf("type %s stands in %d packages, and the list allows %d: %s", name, len(in), listed.homes, strings.Join(in, ", "))
		case ok && len(in) < listed.homes:
			t.Errorf("type %s stands in %d packages; write that in manyHomes in place of %d, which may only shrink", name, len(in), listed.homes)
		}
	}
	for name, listed := range manyHomes {
		if listed.why == "" || len(homes[name]) <= maxHomes {
			t.Errorf("manyHomes: %s stands in %d packages; take it out of the list", name, len(homes[name]))
		}
	}
}

// TestUnusedWords checks that exported names and comments use the words of docs/glossary.md.
func TestUnusedWords(t *testing.T) {
	inName := regexp.MustCompile(`(?:^|[a-z0-9])` + withEndings(unused) + `(?:[A-Z0-9_]|$)`)
	inComment := regexp.MustCompile(`(?i)\b` + withEndings(unusedInComments) + `\b`)
	for _, name := range []string{"TrimDiaries", "Pleaded", "Pleadings", "TheDocket", "MendAll", "Groping", "Shelves"} {
		if !inName.MatchString(name) {
			t.Errorf("this test does not see the forbidden word in %s", name)
		}
	}
	comments := 0
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		comments += len(f.ast.Comments)
		exported(f, func(_, name string) {
			if m := inName.FindStringSubmatch(name); m != nil {
				t.Errorf("%s.%s: docs/glossary.md does not use %q; it names another word", f.pkg, name, m[1])
			}
		})
		for _, c := range f.ast.Comments {
			if m := inComment.FindString(c.Text()); m != "" {
				t.Errorf("%s: docs/glossary.md does not use %q; it names another word", f.fset.Position(c.Pos()), m)
			}
		}
	}
	if comments == 0 {
		t.Error("found no comment at all: the files are parsed without")
	}
}

// TestGlossary checks that the page is sorted into tables in which each term stands once, and that
// it names the words that TestUnusedWords forbids.
func TestGlossary(t *testing.T) {
	var page string
	textFiles(t, []string{"docs/glossary.md"}, func(_, text string) { page = text })
	defined := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\* \| (.+) \|$`).FindAllStringSubmatch(page, -1) {
		for _, term := range strings.Split(m[1], ", ") {
			defined[term]++
		}
	}
	for term, n := range defined {
		if n > 1 {
			t.Errorf("%s has %d meanings", term, n)
		}
	}
	if len(defined) < 80 {
		t.Errorf("only %d terms are defined", len(defined))
	}
	_, not, _ := strings.Cut(page, "## Words that we do not use")
	for _, word := range unused {
		stem := strings.TrimSuffix(strings.ToLower(word), "ing")
		if stem == "shelve" {
			stem = "shelf"
		}
		if !strings.Contains(strings.ToLower(not), stem) {
			t.Errorf("docs/glossary.md does not forbid %q", word)
		}
	}
}
