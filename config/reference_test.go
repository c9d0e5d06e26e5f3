package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write docs/settings.md anew")

// TestReference checks that docs/settings.md has every setting with its type, default, range and
// the comment of its field.
func TestReference(t *testing.T) {
	t.Parallel()
	const path = "../docs/settings.md"
	page := reference(t)
	if *rewrite {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != page {
		t.Errorf("%s is not what the code says (%v); run: go test ./config -run TestReference -rewrite", path, err)
	}
	for _, key := range keys() {
		if !strings.Contains(page, "### `"+key+"`") && !strings.Contains(page, "`"+key+"`") {
			t.Errorf("%s is missing", key)
		}
	}
}

const intro = `# Settings

This page is generated from the code by ` + "`go test ./config -run TestReference -rewrite`" + `.

A setting comes from a default, from the file ` + "`ojud.toml`" + ` in the home, from an environment
variable, or from the command line. If several places set it, the last of these wins.
` + "`ojud config show`" + ` prints the values with their sources. These examples set the same setting:

- in ` + "`ojud.toml`" + `: a line ` + "`attempt_timeout = \"20s\"`" + ` in the section ` + "`[ledger.calls]`" + `
- in the environment: ` + "`OJUD_LEDGER__CALLS__ATTEMPT_TIMEOUT=20s`" + `, with two underscores between parts
- on the command line: ` + "`ojud run --set ledger.calls.attempt_timeout=20s`" + `
- written into the file for you: ` + "`ojud config set ledger.calls.attempt_timeout 20s`" + `
`

// reference returns the text of the page.
func reference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(intro)
	fields := fieldsOf(reflect.TypeFor[Config](), "", nil)
	slices.SortFunc(fields, func(a, b field) int {
		return strings.Compare(parent(a.key)+" "+a.key, parent(b.key)+" "+b.key)
	})
	docs, section := &fieldDocs{t: t, files: map[string]map[string]string{}}, "none"
	for _, f := range fields {
		if s := parent(f.key); s != section {
			section = s
			title := "[" + s + "]"
			if s == "." {
				title = "At the top of the file"
			}
			fmt.Fprintf(&b, "\n## %s\n", title)
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n", f.key)
		what := docs.of(f)
		if what == "" {
			t.Errorf("%s has no comment in the code", f.key)
		}
		facts := []string{typeName(f.kind)}
		if value := f.text(Default()); value != "" && value != "0 entries" {
			facts = append(facts, "default `"+value+"`")
		} else {
			facts = append(facts, "not set by default")
		}
		if limits := limitsOf(f); limits != "" {
			facts = append(facts, limits)
		}
		facts[0] = strings.ToUpper(facts[0][:1]) + facts[0][1:]
		fmt.Fprintf(&b, "%s.\n\n%s\n", wrap(strings.Join(facts, "; ")), wrap(what))
	}
	return b.String()
}

var limitsText = regexp.MustCompile(`(?:; set it to |must be |; write |; choose )([^;\n]+)`)

// limitsOf gets the limits of a setting from Validate: it tries values that no setting allows.
func limitsOf(f field) string {
	for _, low := range []bool{true, false} {
		c := Default()
		v := reflect.ValueOf(&c).Elem().FieldByIndex(f.index)
		switch {
		case v.CanInt() && low:
			v.SetInt(-1 << 62)
		case v.CanInt() && v.Type().Size() == 8:
			v.SetInt(1<<62 - 1)
		case v.CanUint() && low:
			v.SetUint(0)
		case v.CanUint():
			v.SetUint(1<<(8*v.Type().Size()) - 1)
		case v.CanFloat() && low:
			v.SetFloat(-1e300)
		case v.CanFloat():
			v.SetFloat(1e300)
		case v.Kind() == reflect.String && low:
			v.SetString("no such choice")
		default:
			continue
		}
		err := c.Validate()
		if err == nil {
			continue
		}
		// An error about this very value has a limit that depends on another setting.
		if m := limitsText.FindStringSubmatch(err.Error()); m != nil && !strings.Contains(m[1], f.text(c)) {
			return strings.TrimSpace(m[1])
		}
	}
	return ""
}

// fieldDocs finds the comments of struct fields in the sources.
type fieldDocs struct {
	t     *testing.T
	files map[string]map[string]string // by folder: comments by "Type.Field"
}

// of returns the comment of a setting's field on one line.
func (d *fieldDocs) of(f field) string {
	d.t.Helper()
	t := reflect.TypeFor[Config]()
	for _, i := range f.index[:len(f.index)-1] {
		t = t.Field(i).Type
	}
	folder := filepath.Join("..", strings.TrimPrefix(strings.TrimPrefix(t.PkgPath(), "ojud"), "/"))
	if d.files[folder] == nil {
		d.files[folder] = d.read(folder)
	}
	return forOperators(d.t, f.key, t, d.files[folder][t.Name()+"."+t.Field(f.index[len(f.index)-1]).Name])
}

// goName matches a word that only readers of the code know: a name in two parts, or one of another
// package.
var goName = regexp.MustCompile(`\b(?:[A-Z][a-z]+[A-Z][A-Za-z]*|Err[A-Z]\w*|[A-Za-z]+\.[A-Z]\w*|[a-z]+[A-Z]\w*)\b`)

// forOperators replaces the names of fields of a struct by those of their settings. No name of the
// code may be left.
func forOperators(t *testing.T, key string, owner reflect.Type, text string) string {
	t.Helper()
	text = regexp.MustCompile(`[A-Z]\w*`).ReplaceAllStringFunc(text, func(word string) string {
		if f, ok := owner.FieldByName(word); ok {
			if name := f.Tag.Get("koanf"); name != "" {
				return "`" + name + "`"
			}
		}
		return word
	})
	for _, name := range goName.FindAllString(text, -1) {
		if !slices.Contains([]string{"OpenAI", "LibP2P", "MiB", "KiB", "GiB"}, name) {
			t.Errorf("%s: the operator does not know %s: %s", key, name, text)
		}
	}
	return text
}

// read returns the comments of all fields in a folder. A field without a comment gets that of the
// field above it.
func (d *fieldDocs) read(folder string) map[string]string {
	d.t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			d.t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				above := ""
				for _, f := range s.Fields.List {
					text := f.Doc.Text() + f.Comment.Text()
					if text == "" {
						text = above
					}
					above = text
					for _, name := range f.Names {
						out[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
					}
				}
			}
			return true
		})
	}
	return out
}

// wrap breaks a paragraph into lines of at most 100 columns.
func wrap(text string) string {
	var p comment.Printer
	p.TextWidth = 100
	var parse comment.Parser
	return strings.TrimSpace(string(p.Text(parse.Parse(text))))
}
