package agents

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ojud/cmd/ojud/cli"
)

// TestImportFromAddress: an agent comes from an https address, and is taken in only if its hash, or
// the key that signed it, is the one that the person names.
func TestImportFromAddress(t *testing.T) {
	t.Parallel()
	var turns atomic.Int32
	home, file := hosted(t), filepath.Join(t.TempDir(), "friend.agent")
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/round" {
			turns.Add(1)
			http.Redirect(w, r, "/round", http.StatusFound)
			return
		}
		http.ServeFile(w, r, file)
	}))
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
		{"no https address", []string{"http://127.0.0.1:1/x"}}, {"more than 10 addresses", []string{site.URL + "/round"}},
	} {
		if _, err := run(append([]string{"import"}, k.words...)...); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%v: %v", k.words, err)
		}
	}
	if n := turns.Load(); n != 10 {
		t.Errorf("the server leads round %d times", n)
	}
	// Another account could change the file between two reads. This one can be read once; who reads
	// it again waits for ever.
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	once := filepath.Join(t.TempDir(), "friend.agent")
	if err := syscall.Mkfifo(once, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(once, raw, 0o600) }()
	if out, err := run("import", once, "--as", "friend-3", "--yes", "--sha256", sum); err != nil || !strings.Contains(out, "it can be called") {
		t.Errorf("not what has the hash is taken in: %v: %s", err, out)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if out, err := run("import", at, "--as", "friend-2", "--yes", "--sha256", sum); err != nil || !strings.Contains(out, "it can be called") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestLeftInHome: the host, which may have a /tmp of its own, gets a file of the home, and it is
// gone afterwards.
func TestLeftInHome(t *testing.T) {
	t.Parallel()
	a := cli.New(os.Environ(), io.Discard, io.Discard)
	a.Home = t.TempDir()
	path, removed, err := left(a, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "x" || filepath.Dir(path) != a.Home {
		t.Errorf("%s: %q, %v", path, raw, err)
	}
	if err := removed(); err != nil {
		t.Error(err)
	}
	if rest, err := os.ReadDir(a.Home); err != nil || len(rest) != 0 {
		t.Errorf("%v, %v", rest, err)
	}
}
