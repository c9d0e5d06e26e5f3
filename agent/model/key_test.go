package model

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

// TestKeyComesBack: if a server repeats the key in any spelling, the key does not reach the caller,
// the log (every test checks it) or the recording.
func TestKeyComesBack(t *testing.T) {
	escaped := strings.NewReplacer("/", `\/`, "+", `\u002B`, "=", `\u003d`).Replace(secret)
	spelled := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), url.QueryEscape(url.QueryEscape(secret)), escaped,
		strings.ReplaceAll(escaped, `\`, `\\`), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
	for _, s := range spelled {
		for name, does := range map[string]behaviour{
			"answer": says("the key is " + s), "refusal": failure(401, "wrong key "+s), "ruin": status(500, s), "redirect": redirect(307, "https://"+url.PathEscape(s)+"/x"),
			"status": status(400, "tool "+s), "header": status(429, "", "Retry-After", s),
		} {
			dir := t.TempDir()
			c := config(entry(serve(t, does)))
			c.Tape = Tape{TapeRecord, dir}
			reply, err := opened(t, c).Generate(soon(t, 20*time.Second), question())
			if leaks(reply.Text) || err != nil && leaks(err.Error()) {
				t.Errorf("%s: reply %+v, error %v", name, reply, err)
			}
			if name == "answer" && !strings.Contains(reply.Text, mask) {
				t.Errorf("%q is not masked in %q", s, reply.Text)
			}
			if recorded := files(t, dir); leaks(recorded) || strings.Contains(recorded, "127.0.0.1") {
				t.Errorf("%s: the recording holds the key or an address: %s", name, recorded)
			}
		}
	}
}

// TestKeyInPrompt: a key in a prompt is not recorded either.
func TestKeyInPrompt(t *testing.T) {
	dir := t.TempDir()
	c := config(entry(serve(t, says("yes"))))
	c.Tape = Tape{TapeRecord, dir}
	ask(t, opened(t, c), question(func(p *agent.Prompt) { p.System = "The key is " + secret }))
	if recorded := files(t, dir); leaks(recorded) || !strings.Contains(recorded, mask) {
		t.Error(recorded)
	}
}

// files returns the content of all files of a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(e.Name() + string(raw))
	}
	return all.String()
}

// TestKeyFile: a key file is read for each request, so the owner can replace the key. The old key
// stays masked.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	write := func(key string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "key"), []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, says("yes"), says("old-key-planted is old"))
	l := opened(t, config(entry(s, func(e *Endpoint) { e.Key = "${file:key}" })), func(d *Deps) { d.Dir = dir })
	write("old-key-planted")
	ask(t, l, question())
	write("new-key-planted")
	same(t, "masked", ask(t, l, question()).Text, mask+" is old")
	got := s.requests()
	same(t, "first", got[0].header.Get("Authorization"), "Bearer old-key-planted")
	same(t, "second", got[1].header.Get("Authorization"), "Bearer new-key-planted")
}

// TestNoKey: if the key cannot be read, nothing is sent, and the error does not reveal where the
// key should be.
func TestNoKey(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"short": "planted", "long": strings.Repeat("planted", 1000), "lines": "planted\nplanted", "spaces": "planted planted", "empty": "",
		"quotes": `planted"planted`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, says("yes"))
	for _, ref := range []string{"${env:NOT_SET}", "${file:none}", "${file:short}", "${file:long}", "${file:lines}", "${file:spaces}", "${file:empty}", "${file:quotes}", "${file:.}"} {
		l := opened(t, config(entry(s, func(e *Endpoint) { e.Key = ref })), func(d *Deps) { d.Dir = dir })
		_, err := l.Generate(soon(t, 20*time.Second), question())
		if !errors.Is(err, agent.ErrRefused) || strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), ref) || leaks(err.Error()) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	same(t, "requests", len(s.requests()), 0)
}

// TestRetryAfterForms: the header holds seconds or a date. Any other value means no wait, and the
// longest wait is an hour.
func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "3601": time.Hour, "99999999999999": 0, "-5": 0, "1.5": 0, "soon": 0, "4294967295": time.Hour,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0,
		now.Add(24 * time.Hour).Format(http.TimeFormat): time.Hour,
	} {
		same(t, text, retryAfter(text, now), want)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"1", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1e9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d := retryAfter(text, time.Unix(1.8e9, 0)); d < 0 || d > maxWait {
			t.Errorf("%q asks for %s", text, d)
		}
	})
}
