package kind

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shelf is a folder with files that should be readable and files that should not.
func shelf(t *testing.T) string {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, text := range map[string]string{
		"secret.txt": "outside", "root/a.txt": "alpha\nbeta\r\ngamma", "root/b.json": `{"id":9007199254740993}`, "root/bad.json": `{`,
		"root/t.csv": "\ufeffname,n\nx,1\n\"y,z\",2\n", "root/ragged.csv": "a,b\n1\n", "root/same.csv": "a,a\n1,2\n", "root/latin.txt": "\xe9",
		"root/sub/c.txt": "deep", "root/large.txt": strings.Repeat("x", 5000), "root/.hidden": "h", "root/private.key": "k",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out.txt": "../secret.txt", "absolute.txt": filepath.Join(dir, "secret.txt"), "in.txt": "sub/c.txt", "up": "..", "loop.txt": "loop.txt"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

const when = `,"modified":"2026-03-04T05:06:07Z"`

func TestFiles(t *testing.T) {
	dir := shelf(t)
	for _, c := range []struct {
		format, request, want string
	}{
		{"", `{"name":"sub/c.txt"}`, `{"content":"deep"` + when + `,"name":"sub/c.txt"}`},
		{"text", `{"name":"a.txt"}`, `{"content":"alpha\nbeta\r\ngamma"` + when + `,"name":"a.txt"}`},
		{"text", `{"name":"in.txt"}`, `{"content":"deep"` + when + `,"name":"in.txt"}`},
		{"json", `{"name":"b.json"}`, `{"content":{"id":"9007199254740993"}` + when + `,"name":"b.json"}`},
		{"lines", `{"name":"a.txt","from":1}`, `{"content":["beta","gamma"]` + when + `,"more":false,"name":"a.txt"}`},
		{"lines", `{"name":"a.txt","count":1}`, `{"content":["alpha"]` + when + `,"more":true,"name":"a.txt"}`},
		{"csv", `{"name":"t.csv"}`, `{"content":[{"n":"1","name":"x"},{"n":"2","name":"y,z"}]` + when + `,"more":false,"name":"t.csv"}`},
		{"csv", `{"name":"t.csv","from":1,"count":1}`, `{"content":[{"n":"2","name":"y,z"}]` + when + `,"more":false,"name":"t.csv"}`},
	} {
		f := &filesSource{Dir: dir, Allow: []string{"*.txt", "*.json", "*.csv", "sub/*"}, Format: c.format}
		same(t, ask(t, opened(t, f, Env{}), c.request), c.want)
	}
	one := &filesSource{Dir: "root", Allow: []string{"a.txt"}}
	same(t, ask(t, opened(t, one, Env{Dir: filepath.Dir(dir)}), `{}`), `{"content":"alpha\nbeta\r\ngamma"`+when+`,"name":"a.txt"}`)
}

func TestFilesRefused(t *testing.T) {
	dir := shelf(t)
	allow := []string{"*.txt", "*.json", "*.csv", "sub/*", "up/*"}
	for _, c := range []struct {
		format, request string
		class           error
	}{
		{"text", `{"name":"out.txt"}`, ErrRefused}, {"text", `{"name":"absolute.txt"}`, ErrRefused}, {"text", `{"name":"loop.txt"}`, ErrRefused},
		{"text", `{"name":"up/secret.txt"}`, ErrRefused}, {"text", `{"name":"pipe.txt"}`, ErrRefused}, {"text", `{"name":"../secret.txt"}`, ErrRequest},
		{"text", `{"name":"sub/../a.txt"}`, ErrRequest}, {"text", `{"name":"/etc/passwd"}`, ErrRequest}, {"text", `{"name":"private.key"}`, ErrRequest},
		{"text", `{"name":".hidden"}`, ErrRequest}, {"text", `{"name":"none.txt"}`, ErrRequest}, {"text", `{"name":""}`, ErrRequest},
		{"text", `{}`, ErrRequest}, {"text", `{"name":1e99}`, ErrRequest}, {"text", `{"name":["a.txt"]}`, ErrRequest}, {"text", `{"name":"a.txt\u0000"}`, ErrRequest},
		{"text", `{"name":"large.txt"}`, ErrLarge}, {"text", `{"name":"latin.txt"}`, ErrSchema}, {"json", `{"name":"bad.json"}`, ErrSchema},
		{"csv", `{"name":"ragged.csv"}`, ErrSchema}, {"csv", `{"name":"same.csv"}`, ErrSchema}, {"lines", `{"name":"large.txt"}`, ErrLarge},
		{"lines", `{"name":"a.txt","from":-1}`, ErrRequest}, {"lines", `{"name":"a.txt","count":1001}`, ErrRequest}, {"lines", `{"name":"a.txt","count":"1"}`, ErrRequest},
	} {
		refused(t, opened(t, &filesSource{Dir: dir, Allow: allow, Format: c.format}, Env{MaxBytes: 4096}), c.request, c.class, "")
	}
	text := refused(t, opened(t, &filesSource{Dir: "/nowhere/at/all", Allow: allow}, Env{}), `{"name":"a.txt"}`, ErrSetup, "/nowhere/at/all")
	if strings.Contains(text, "down") {
		t.Error(text)
	}
}

// FuzzFiles: no name returns a file outside of the folder.
func FuzzFiles(f *testing.F) {
	for _, name := range []string{"../secret.txt", "out.txt", "up/secret.txt", "a.txt", "sub/../../secret.txt", "C:secret.txt"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		u := opened(t, &filesSource{Dir: shelf(t), Allow: []string{"*", "*/*", "*/*/*"}}, Env{})
		request, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := u.Answer(t.Context(), request)
		if err == nil && strings.Contains(string(answer), "outside") {
			t.Fatalf("%q gives %s", name, answer)
		}
	})
}
