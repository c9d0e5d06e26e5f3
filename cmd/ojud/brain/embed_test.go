package brain

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestEmbed: a model of the settings says how far apart texts are, so that who makes a class can
// choose near. The server is one that speaks as OpenAI does.
func TestEmbed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0.8,0.6]},{"index":2,"embedding":[0,1]}]}`)
		if err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	home := t.TempDir()
	run := func(args ...string) (string, error) {
		var out, faults bytes.Buffer
		cmd := Command(cli.New([]string{"OJUD_HOME=" + home}, &out, &faults))
		cmd.SetArgs(args)
		err := cmd.Execute()
		return out.String(), err
	}
	file := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("ojud.toml", fmt.Sprintf("[[models.embeddings]]\nname = \"small\"\nprovider = \"openai\"\nurl = %q\nmodel = \"m\"\n", server.URL+"/v1"))
	texts := file("texts.json", `["The bridge opened in 1931.", "In 1931 the bridge opened.", "\u001b[2JIt never opened."]`)
	text, err := run("embed", "small", texts)
	if err != nil || !strings.Contains(text, "2000") || !strings.Contains(text, "10000") || !strings.Contains(text, "4001") || strings.Contains(text, "\x1b") {
		t.Errorf("%v: %s", err, text)
	}
	for want, args := range map[string][]string{
		"names no model":         {"embed", "large", texts},
		"a JSON list of 2 to 32": {"embed", "small", file("one.json", `["alone"]`)},
		"not in the form":        {"embed", "small", file("two.json", `["a","b"]`)},
	} {
		if _, err := run(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
