package talk

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/datasource"
	"ojud/datasource/kind"
	"ojud/node/sources"
)

// TestFeed: a subscriber hears of a change of a data source of the home, without a person, and only
// what the agreement grants. A source that is not there, or gives nothing, is an error at the
// start.
func TestFeed(t *testing.T) {
	t.Parallel()
	joe, ann, folder := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(text string) {
		name := filepath.Join(folder, "joe.json")
		if err := errors.Join(os.WriteFile(name+".new", []byte(text), 0o600), os.Rename(name+".new", name)); err != nil {
			t.Error(err)
		}
	}
	write(`{"email":"joe@example.org","schedule":["10:00"]}`)
	s, err := sources.New(datasource.DefaultConfig(), sources.Deps{Dir: joe})
	if err == nil {
		_, err = s.Add(t.Context(), sources.Draft{Name: "calendar", Upstream: kind.Values{"files": {folder}, "allow": {"*.json"}, "format": {"json"}}}, sources.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--data-source", "none"}, {"--data-source", "calendar", "--request", `{"name":"none.json"}`}, {"--data-source", "calendar", "--request", `{"name":"joe.json"}`, "--part", "contents"}, {"--data-source", "calendar", "--every", "1ms"}, {"--data-source", "calendar", "--data", "x.json"},
		{"--request", "{}"}, {"--part", "content"}, {"--every", "5s"},
	} {
		if err := command(t.Context(), joe, io.Discard, "", append([]string{"serve", "--create-key", "--listen", "127.0.0.1:0"}, args...)...); err == nil {
			t.Errorf("%q: it serves", args)
		}
	}
	served, said := &output{ready: make(chan struct{})}, &output{ready: make(chan struct{}), until: "10:00"}
	first := said.ready
	at, stop := serves(t, joe, served, "--talk", "yes", "--terms", "yes", "--for", "calendar", "--access", "schedule", "--alone",
		"--data-source", "calendar", "--request", `{"name":"joe.json"}`, "--part", "content", "--every", "1s")
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
	defer cancel()
	lines, typed := io.Pipe()
	go func() {
		_, err := io.WriteString(typed, "greet\nrequest Ok?\nawait agree\ncall request_type=calendar access=schedule(m)\nawait proposal\naccept\nawait signature\nsubscribe email\nawait refuse\nsubscribe schedule\nawait update\n")
		select {
		case <-first:
		case <-ctx.Done():
		}
		write(`{"email":"other@example.org","schedule":["11:00"]}`)
		if err == nil {
			_, err = io.WriteString(typed, "await update\nend\n")
		}
		if err = errors.Join(err, typed.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := reading(ctx, ann, said, lines, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	stop()
	if text := said.String(); !strings.Contains(text, "11:00") || strings.Contains(text, "example.org") {
		t.Errorf("the subscriber heard %s\n%s", text, served)
	}
}
