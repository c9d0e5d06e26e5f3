package client

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/node"
	"ojud/node/library"
)

const descriptor = `{"format":"oju-network/2","name":"test","network":"4ad2bd31ac16cc0e10886ee8ff1ab0978e39e90741a000684332cbeaf5675f12",
"program":"ojucourt11111111111111111111111111111111111","rpc":"http://127.0.0.1:8899","bootstrap":[]}`

// TestLoadNetwork loads a file and a URL with or without a path, and checks the error for each
// fault.
func TestLoadNetwork(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/network.json", func(w http.ResponseWriter, _ *http.Request) { must(t)(w.Write([]byte(descriptor))) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		must(t)(w.Write([]byte(strings.Repeat(" ", node.MaxDescriptor+1))))
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "moved away", http.StatusGone) })
	mux.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) { must(t)(w.Write([]byte(`{"format":"x"}`))) })
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, ref := range []string{server.URL, server.URL + "/", server.URL + "/network.json", file(t, "network.json", descriptor)} {
		if d, err := LoadNetwork(t.Context(), ref, nil); err != nil || d.Name != "test" {
			t.Errorf("%s: %+v, %v", ref, d, err)
		}
	}
	for ref, want := range map[string]string{
		server.URL + "/large": "larger than", server.URL + "/gone": "moved away", server.URL + "/other": "format", server.URL + "/none": "404",
		"http://127.0.0.1:1": "is it running there?", "http://%zz": "network", file(t, "n.json", "{"): "n.json", "/no/such/file": "no such file",
		file(t, "big.json", strings.Repeat(" ", node.MaxDescriptor+1)): "most a court takes",
	} {
		if _, err := LoadNetwork(t.Context(), ref, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", ref, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadNetwork(ctx, server.URL, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func must(t *testing.T) func(int, error) {
	return func(_ int, err error) {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestDocuments checks that an error names the wrong field and its file.
func TestDocuments(t *testing.T) {
	t.Parallel()
	path := file(t, "task.json", `{"instruction":["draw"],"outputschema":{}}`)
	var wrong *casefile.FieldError
	if _, err := library.TaskFile(path); !errors.As(err, &wrong) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "output_schema") {
		t.Errorf("%v", err)
	}
	if _, err := library.ResultFile(file(t, "result.json", "{")); !errors.Is(err, canon.ErrNotJSON) {
		t.Errorf("%v", err)
	}
	if _, err := library.TaskFile(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := library.Exhibit(file(t, "empty.png", "")); err == nil {
		t.Error("an empty exhibit")
	}
	if _, err := library.Exhibit(file(t, "large.png", strings.Repeat("x", casefile.MaxBlob+1))); err == nil {
		t.Error("a large exhibit")
	}
	if _, _, err := library.WriteObjection("", nil); !errors.As(err, &wrong) || wrong.Field != "reason" {
		t.Errorf("%v", err)
	}
	// The order of keys and white space do not change the hash.
	a, b := load(t, library.ResultFile, file(t, "a.json", `{"a":1,"b":2}`)), load(t, library.ResultFile, file(t, "b.json", "{ \"b\": 2,\n\"a\": 1 }"))
	if a.Hash != b.Hash || casefile.HashOf(a.Content) != a.Hash {
		t.Errorf("%x, %x", a.Hash, b.Hash)
	}
}
