package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestJudgeModel examines over HTTP a judge whose model and persona come from the settings of a
// home. This model finds nothing clear, so its wrong votes do no harm. The report shows its tokens
// and time, and no report shows its key.
func TestJudgeModel(t *testing.T) {
	t.Parallel()
	const key = "sk-correct-horse-battery-staple"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%d messages, %v", len(body.Messages), err)
			return
		}
		var items []string
		for _, id := range regexp.MustCompile(`(?m)^I\d+$`).FindAllString(body.Messages[len(body.Messages)-1].Content, -1) {
			items = append(items, fmt.Sprintf(`{"id":%q,"reason":"nothing shows it","evidence":[],"met":"unclear"}`, id))
		}
		content := `{"items":[` + strings.Join(items, ",") + `]}`
		if len(body.Messages) == 1 { // the probe before the exam
			content = `{"ok":true}`
		}
		if strings.Contains(body.Messages[0].Content, "You prepare a decision") { // it asks no data source
			content = `{"action":"finish","result":{"done":true}}`
		}
		if _, err := fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],
"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, content); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	home := t.TempDir()
	settings := fmt.Sprintf(`[judge]
kind = "model"
persona = "literal-reader"

[[models.list]]
name = "local"
provider = "openai"
url = %q
model = "m"
key = "${file:key}"
`, s.URL+"/v1")
	for name, text := range map[string]string{"ojud.toml": settings, "key": key + "\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := line(t, "judge", "exam", "--shipped", "--home", home)
	for _, want := range []string{"Exam of code-checks + local", "pays wrongly         0 of 36", " calls", "order flips         0 of 173"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != 0 || strings.Contains(out+errs, key) {
		t.Errorf("%d, %s", code, errs)
	}
	if code, _, errs := line(t, "judge", "exam", "--shipped", "--home", home, "--json"); code != 0 || strings.Contains(errs, key) {
		t.Errorf("%d, %s", code, errs)
	}
	s.Close()
	if code, out, errs := line(t, "judge", "redteam", "--home", home, "--only", "plea"); code != 1 || !strings.Contains(errs, "no model answers: local") {
		t.Errorf("%d, %s, %s: attacks on a judge whose model is down say nothing of that model", code, out, errs)
	}
}
