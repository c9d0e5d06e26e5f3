package agents

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestImportFromAddress: an agent comes from an https address, and is taken in only if its hash, or
// the key that signed it, is the one that the person names.
func TestImportFromAddress(t *testing.T) {
	t.Parallel()
	home, file := hosted(t), filepath.Join(t.TempDir(), "friend.agent")
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }))
	t.Cleanup(site.Close)
	run := func(words ...string) (string, error) {
		t.Helper()
		var out bytes.Buffer
		a := cli.New(os.Environ(), &out, &out)
		a.Home, a.Transport = home, site.Client().Transport
		cmd := Command(a)
		cmd.SetArgs(words)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	if out, err := run("export", "friend", "--out", file); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	at := site.URL + "/friend.agent"
	shown, err := run("import", at)
	_, sum, found := strings.Cut(shown, "sha256")
	if err != nil || !found || !strings.Contains(shown, "friend.sh") {
		t.Fatalf("%v: %s", err, shown)
	}
	sum = strings.Fields(sum)[0]
	for _, k := range []struct {
		want  string
		words []string
	}{
		{"needs --sha256 or --did", []string{at, "--yes"}}, {"has the hash", []string{at, "--yes", "--sha256", strings.Repeat("0", 64)}},
		{"no https address", []string{"http://127.0.0.1:1/x"}},
	} {
		if _, err := run(append([]string{"import"}, k.words...)...); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%v: %v", k.words, err)
		}
	}
	if out, err := run("import", at, "--as", "friend-2", "--yes", "--sha256", sum); err != nil || !strings.Contains(out, "it can be called") {
		t.Errorf("%v: %s", err, out)
	}
}
