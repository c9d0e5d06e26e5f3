package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
	"ojud/node/cluster"
	"ojud/test/longtest"
)

// typed is a command in a document.
type typed struct {
	place string
	words []string
}

func (c typed) String() string { return c.place + ": ojud " + strings.Join(c.words, " ") }

var (
	shellBlock = regexp.MustCompile("(?s)```(?:sh|bash|console|)\n(.*?)```")
	callOfOjud = regexp.MustCompile(`^(?:\$ )?(?:[A-Z][A-Z_0-9]*=\S* )*(?:\./ojud|ojud|go run \./cmd/ojud) (.*)$`)
)

// typedIn returns the commands in the code blocks of a document, in order.
func typedIn(t *testing.T, path, text string) (out []typed) {
	t.Helper()
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			for _, part := range strings.Split(strings.TrimSpace(line), " && ") {
				m := callOfOjud.FindStringSubmatch(strings.TrimSpace(part))
				if m == nil {
					continue
				}
				words, err := shellWords(m[1])
				if err != nil {
					t.Errorf("%s: %q: %v", path, line, err)
				}
				out = append(out, typed{path, words})
			}
		}
	}
	return out
}

// shellWords divides a command line as a shell does, up to a comment, a pipe or a redirection.
func shellWords(line string) (out []string, err error) {
	word, begun, quote := strings.Builder{}, false, rune(0)
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ':
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		case !begun && strings.ContainsRune("#|>&;", r):
			return out, nil
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		err = fmt.Errorf("the quote %c is not closed", quote)
	}
	return out, err
}

// TestTypedParses checks that every command in a code block exists, with its flags, their values
// and its arguments.
func TestTypedParses(t *testing.T) {
	t.Parallel()
	n := 0
	for path, text := range texts(t, ".md") {
		for _, c := range typedIn(t, path, text) {
			n++
			root := newRoot(newApp(nil, nil, nil))
			root.InitDefaultCompletionCmd() // as cobra does when it runs
			cmd, rest, err := root.Find(c.words)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %v", c, err)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d commands were found", n)
	}
}

// notTyped are the commands of README.md and the tutorial that TestTypedRuns does not run, with the
// reason.
var notTyped = map[string]string{
	"devnet":      "the test runs a devnet of its own, on free ports",
	"join":        "it stays; the test joins before it types the others",
	"case export": "it writes into the working directory; TestCourt types it",
	"case verify": "its file is that of case export",
}

// TestTypedRuns types the commands of README.md and the tutorial in a court. The test replaces the
// court's address, the home and the folder of the keys. An HTTP API replaces the MCP server of the
// documents, because npm would have to download that.
func TestTypedRuns(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	cfg := cluster.DefaultConfig().Sized(3).Fast()
	c := startCourt(t, cfg)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, err := fmt.Fprint(w, `{"found":[]}`); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(api.Close)
	home := filepath.Join(t.TempDir(), "home")
	p := &person{t: t, environ: []string{"HOME=" + t.TempDir(), "OJUD_NETWORK=" + c.Chain().RPC(), "OJUD_HOME=" + home}, shapes: map[string]any{}}
	defer p.join(c.Chain().RPC(), home)()
	documents := texts(t, ".md")
	used, ran := map[string]bool{}, 0
	for _, path := range []string{"../../README.md", "../../docs/tutorial.md"} {
		dir, task := t.TempDir(), ""
		for _, command := range typedIn(t, path, documents[path]) {
			if skipped(command, used) {
				continue
			}
			words := p.adapt(command.words, home, dir, task, api.URL)
			code, out, errs := lineIn(t.Context(), p.environ, append(words, "--json")...)
			if code != cli.ExitOK {
				t.Fatalf("%s: exit %d: %s", command, code, errs)
			}
			ran++
			var created struct{ Task struct{ Task string } }
			if slices.Equal(words[:2], []string{"task", "create"}) {
				if err := json.Unmarshal([]byte(out), &created); err != nil || created.Task.Task == "" {
					t.Fatalf("%s: %s %v", command, out, err)
				}
				task = created.Task.Task
			}
		}
	}
	for prefix := range notTyped {
		if !used[prefix] {
			t.Errorf("notTyped: no document has %q any more", prefix)
		}
	}
	if ran < 20 {
		t.Errorf("only %d commands ran", ran)
	}
}

// skipped reports whether the list says not to type a command.
func skipped(c typed, used map[string]bool) bool {
	for prefix := range notTyped {
		if strings.HasPrefix(strings.Join(c.words, " ")+" ", strings.TrimSuffix(prefix, " ")) {
			used[prefix] = true
			return true
		}
	}
	return false
}

// adapt replaces the places in a command by those of the test.
func (p *person) adapt(words []string, home, dir, task, api string) (out []string) {
	for i, word := range words {
		switch {
		case word == "TASK" || word == "$TASK":
			word = task
		case i > 0 && words[i-1] == "--home":
			word = home
		case strings.HasPrefix(word, "examples/"):
			word = "../../" + word
		case strings.HasSuffix(word, ".json") && !strings.Contains(word, "/"):
			word = filepath.Join(dir, word)
		case word == "--mcp":
			word = "--http"
		case i > 0 && words[i-1] == "--mcp":
			word = api + "/{query}"
		case word == "--tool":
			word = "--description"
		case word == "--env" || i > 0 && words[i-1] == "--env":
			continue // an argument of the MCP server
		}
		out = append(out, word)
	}
	if slices.Contains(out, "--http") {
		out = append(out, "--allow-private", "--replace")
	}
	if slices.Contains(out, "--http") && !slices.Contains(out, "--request") {
		out = append(out, "--request", `{"query":"x"}`)
	}
	return out
}
