package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/casefile/casetest"
	"ojud/cmd/ojud/cli"
	"ojud/voting"
)

// TestA2A: a court is an agent of A2A whose skills are its tools. It answers who has the word, from
// this machine, and refuses arguments that do not fit.
func TestA2A(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := casetest.Build(casetest.Script{Name: "faces", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.case.json"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	read, write := io.Pipe()
	a := cli.New(nil, write, io.Discard)
	a.Home = t.TempDir()
	cmd := A2A(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"--network", "nowhere.json", "--files", dir})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	url := ""
	for lines := bufio.NewScanner(read); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), " "); name == "server" {
			url = strings.TrimSpace(value)
		}
		if strings.HasPrefix(lines.Text(), "ready") {
			break
		}
	}
	word, err := os.ReadFile(filepath.Join(a.Home, "a2a.word"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string, header map[string]string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("A2A-Version", "1.0")
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(word)))
		for name, value := range header {
			r.Header.Set(name, value)
		}
		r.Host = r.Header.Get("Host")
		answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(raw)
	}
	if status, card := ask(http.MethodGet, ".well-known/agent-card.json", "", nil); status != http.StatusOK || !strings.Contains(card, `"id":"find_agents"`) || !strings.Contains(card, url+"rest") {
		t.Errorf("%d %.300s", status, card)
	}
	for i, c := range []struct {
		skill, part, want string
	}{
		{"verify", `{"data":{"file":"a.case.json","offline":true}}`, `"ok":true`},
		{"verify", `{"data":{"file":"../a.case.json","offline":true}}`, "name of a case file"},
		{"verify", `{"data":{"file":7}}`, "do not fit"},
		{"verify", `{"data":{"file":"a.case.json","more":1}}`, "more"},
		{"tasks", `{"text":""}`, "nowhere.json"},
		{"pay", `{"data":{}}`, "the agent has: tasks"},
	} {
		body := fmt.Sprintf(`{"message":{"messageId":"%d","role":"ROLE_USER","parts":[%s],"metadata":{"skill":%q}}}`, i, c.part, c.skill)
		if _, got := ask(http.MethodPost, "rest/message:send", body, nil); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %.300s", c.skill, c.part, got)
		}
	}
	for name, c := range map[string]struct {
		header map[string]string
		status int
	}{
		"no word": {map[string]string{"Authorization": ""}, 401}, "another word": {map[string]string{"Authorization": "Bearer x"}, 401},
		"another name": {map[string]string{"Host": "evil.example:80"}, 403}, "a page": {map[string]string{"Origin": "http://evil.example"}, 403},
	} {
		if status, got := ask(http.MethodGet, ".well-known/agent-card.json", "", c.header); status != c.status {
			t.Errorf("%s: %d %s", name, status, got)
		}
	}
}
