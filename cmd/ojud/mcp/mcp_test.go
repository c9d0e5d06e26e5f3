package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile/casetest"
	"ojud/cmd/ojud/cli"
	"ojud/voting"
)

// TestFlags: a server is refused where others could reach it, and with a word that others know.
func TestFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"open": 0o644, "short": 0o600} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, wrong string }{
		{"--listen 0.0.0.0:0", "only for its own machine"}, {"--listen :0", "only for its own machine"}, {"--listen 4600", "only for its own machine"},
		{"--word w", "only for --listen"}, {"--listen 127.0.0.1:0 --word " + dir + "/open", "others can read it"}, {"--listen 127.0.0.1:0 --word " + dir + "/short", "16 bytes or more"},
	} {
		a := cli.New(nil, io.Discard, io.Discard)
		a.Home = dir
		cmd := Command(a)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(c.args))
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

// TestActs: a tool that writes a file, or asks strangers with the node's key, is not marked as one
// that only reads, and none lets a model ask as the seat of a case.
func TestActs(t *testing.T) {
	t.Parallel()
	acts := map[string]bool{"ask_source": true, "case_file": true}
	for _, tool := range (&court{}).tools() {
		if tool.Acts != acts[tool.Name] {
			t.Errorf("%s acts: %t", tool.Name, tool.Acts)
		}
		schema, err := json.Marshal(tool.Schema)
		if err != nil || tool.Name == "ask_source" && strings.Contains(string(schema), `"case"`) {
			t.Errorf("%s: %s, %v", tool.Name, schema, err)
		}
	}
}

// TestNewHome: the command makes the folder of its word.
func TestNewHome(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "home", "mcp.word")
	word, err := readWord(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := readWord(path); err != nil || again != word {
		t.Errorf("%q, %q, %v", word, again, err)
	}
}

// call is a request of a client, with words that the answer has to contain.
type call struct {
	tool, args, want string
	bad              bool
}

// stdio sends calls to the command on its standard input, and checks the answers.
func stdio(t *testing.T, args string, calls []call) {
	t.Helper()
	var in, out bytes.Buffer
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, c := range calls {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", i, c.tool, c.args)
	}
	read, write := io.Pipe()
	a := cli.New(nil, write, io.Discard)
	cmd := Command(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(io.MultiReader(&in, hang{t}))
	cmd.SetArgs(strings.Fields(args))
	a.Home = t.TempDir()
	go func() { _ = write.CloseWithError(cmd.ExecuteContext(t.Context())) }()
	lines := bufio.NewScanner(io.TeeReader(read, &out))
	lines.Buffer(nil, 2<<20)
	for left := len(calls); left > 0 && lines.Scan(); {
		var answer struct {
			ID     any
			Error  json.RawMessage
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		id, is := answer.ID.(float64)
		if !is {
			continue
		}
		left--
		c, text := calls[int(id)], string(answer.Error)
		if len(answer.Result.Content) == 1 {
			text = answer.Result.Content[0].Text
		}
		if !strings.Contains(text, c.want) || c.bad != (answer.Result.IsError || answer.Error != nil) {
			t.Errorf("%s %s: %.300s", c.tool, c.args, text)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err, out.String())
	}
}

// hang is the rest of an input that stays open until the test ends.
type hang struct{ t *testing.T }

// Read implements io.Reader.
func (h hang) Read([]byte) (int, error) {
	<-h.t.Context().Done()
	return 0, io.EOF
}

// TestAttackMCPFiles: a tool reads only regular case files of its folder, whatever a client names,
// and bad arguments are refused with a reason. A file of the folder is verified.
func TestAttackMCPFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := casetest.Build(casetest.Script{Name: "tools", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret.case.json")
	for _, path := range []string{filepath.Join(dir, "a.case.json"), outside} {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.case.json")); err != nil {
		t.Fatal(err)
	}
	stdio(t, "--network nowhere.json --files "+dir, []call{
		{"verify", `{"file":"a.case.json","offline":true}`, `"ok":true`, false},
		{"why", `{"file":"a.case.json"}`, `"lines"`, false},
		{"verify", `{"file":"link.case.json","offline":true}`, "has no file", true},
		{"verify", `{"file":"` + outside + `","offline":true}`, "name of a case file", true},
		{"verify", `{"file":"../a.case.json","offline":true}`, "name of a case file", true},
		{"why", `{"file":"/etc/passwd"}`, "name of a case file", true},
		{"why", `{}`, "either task or file", true},
		{"task", `{"task":"7"}`, "not an address", true},
		{"task", `{"task":""}`, "missing", true},
		{"tasks", `{"most":101}`, "1 to 100", true},
		{"watch", `{"task":"11111111111111111111111111111112","seconds":9999}`, "1 to 300", true},
		{"tasks", `{}`, "nowhere.json", true},
		{"ask_source", `{"source":"posts.by"}`, "node", true},
	})
}
