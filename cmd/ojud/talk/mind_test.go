package talk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/door"
	"ojud/agent/host/shell"
	"ojud/agent/talk"
)

// secretary is an agent with a model that decides in conversations.
const secretary = `[mind]
kind = "react"
instructions = "You decide for Joe."
[[capabilities]]
name = "answer"
output = '{"type":"object","properties":{"say":{"type":"string"}},"required":["say"]}'
[models]
[[models.list]]
name = "m"
provider = "openai"
url = "http://127.0.0.1:1/v1"
model = "m"
`

// scripted is a model server that says lines in order, and remembers what it was asked.
type scripted struct {
	mu    sync.Mutex
	lines []string
	asked bytes.Buffer
	slow  chan struct{} // closed when the model thinks for ever, after the last line; nil: it never does
}

// RoundTrip implements http.RoundTripper.
func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.Copy(&s.asked, r.Body); err != nil {
		return nil, err
	}
	if len(s.lines) == 0 && s.slow != nil {
		close(s.slow)
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if len(s.lines) == 0 {
		return nil, errors.New("the script has run out")
	}
	content, err := json.Marshal(fmt.Sprintf(`{"thought":"So.","action":"finish","result":{"say":%q}}`, s.lines[0]))
	if err != nil {
		return nil, err
	}
	s.lines = s.lines[1:]
	answer := fmt.Sprintf(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}}`, content)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func (s *scripted) heard() (text string, left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked.String(), len(s.lines)
}

// thinks runs an agent host with the secretary.
func thinks(t *testing.T, lines ...string) (home string, h *shell.Host, model *scripted) {
	t.Helper()
	home, model = t.TempDir(), &scripted{lines: lines}
	folder := filepath.Join(home, shell.Folder)
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "secretary.toml"), []byte(secretary), 0o600)); err != nil {
		t.Fatal(err)
	}
	h, err := shell.Open(home, shell.Means{Transport: model})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	d, err := door.Listen(ctx, home, "127.0.0.1:0", h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-served, h.Close()); err != nil {
			t.Error(err)
		}
	})
	return home, h, model
}

// serves runs "serve" until stop, and returns where it is.
func serves(t *testing.T, home string, out *output, args ...string) (at started, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, over := out.ready, make(chan error, 1)
	go func() {
		over <- command(ctx, home, out, "", append([]string{"serve", "--create-key", "--listen", "127.0.0.1:0"}, args...)...)
	}()
	select {
	case <-ready:
	case err := <-over:
		t.Fatal(err)
	}
	if err := json.NewDecoder(strings.NewReader(out.String())).Decode(&at); err != nil {
		t.Fatal(err)
	}
	return at, func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
}

// TestMind: an agent with a model holds a conversation for Joe: it agrees to talk, offers less than
// Joe would allow, cannot offer more, and answers a question. It never sees the email address. Both
// promised to keep nothing, so the agent host forgets what was said.
func TestMind(t *testing.T) {
	t.Parallel()
	host1, h, model := thinks(t, "agree Gladly.", `offer access=schedule,email promise="no data retention"`, `offer access=schedule promise="no data retention"`, "yes")
	joe := t.TempDir()
	data := filepath.Join(joe, "joe.json")
	if err := os.WriteFile(data, []byte(`{"name":"Joe","email":"joe@example.org","schedule":["10:00"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	served, said := &output{ready: make(chan struct{})}, &output{}
	at, stop := serves(t, joe, served, "--mind", "agent://secretary/answer", "--mind-home", host1, "--terms", "mind", "--for", "calendar",
		"--access", "name,schedule", "--promise", talk.NoRetention, "--data", data, "--alone")
	script := `greet
request Set up time. Ok?
await agree
call request_type=calendar access=name,schedule promise="no data retention(m)"
await proposal
accept
await signature
query Are you free at ten?
await answer
ask {"what":"schedule"}
await data
end
`
	if err := command(t.Context(), t.TempDir(), said, script, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
		t.Errorf("%v\n%s\n%s", err, said, served)
	}
	stop()
	if text := said.String(); !strings.Contains(text, "Gladly.") || !strings.Contains(text, `"answer":"yes"`) || !strings.Contains(text, "10:00") || strings.Contains(text, "joe@") {
		t.Errorf("the other agent heard %s", text)
	}
	asked, left := model.heard()
	if left != 0 || strings.Contains(asked, "joe@example.org") || !strings.Contains(asked, "your owner lists") {
		t.Errorf("%d lines are left; the model was asked %s", left, asked)
	}
	made, err := filepath.Glob(filepath.Join(joe, "agreements", "*.json"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	if a, err := ReadAgreement(made[0], true); err != nil || len(a.Access) != 1 || a.Access[0] != "schedule" {
		t.Errorf("%+v, %v", a, err)
	}
	operator := shell.Caller{ID: host.Operator}
	if all, err := h.Recall(operator, "secretary", "", "", 100); err != nil || len(all) != 0 {
		t.Errorf("the agent remembers %+v, %v", all, err)
	}
}

// TestMindBounds: a mind that may answer once says nothing more in a conversation, and a mind that
// fails decides nothing, so the request is refused.
func TestMindBounds(t *testing.T) {
	t.Parallel()
	host1, h, model := thinks(t, "agree Gladly.", "agree Again.")
	joe := t.TempDir()
	for _, dollars := range []string{"NaN", "-1", "1001"} {
		if err := command(t.Context(), joe, &output{}, "", "serve", "--create-key", "--mind", "agent://secretary/answer", "--mind-home", host1, "--mind-dollars", dollars); err == nil || !strings.Contains(err.Error(), "--mind-dollars 0") {
			t.Errorf("an answer may cost %s dollars: %v", dollars, err)
		}
	}
	if err := command(t.Context(), joe, &output{}, "", "serve", "--create-key", "--mind", "agent://other.example:4800/secretary/answer"); err == nil || !strings.Contains(err.Error(), "a host of this machine") {
		t.Errorf("a mind of another host: %v", err)
	}
	served, said := &output{ready: make(chan struct{})}, &output{}
	at, stop := serves(t, joe, served, "--mind", "agent://secretary/answer", "--mind-home", host1, "--mind-turns", "1", "--mind-answers", "2", "--alone")
	ask := func() {
		if err := command(t.Context(), t.TempDir(), said, "greet\nrequest Ok?\nawait agree\nquery Free?\nawait not-understood\nend\n", "to", at.At[0], "--peer", at.Agent, "--create-key"); err == nil || !strings.Contains(err.Error(), "no agreement") {
			t.Errorf("%v\n%s\n%s", err, said, served)
		}
	}
	ask()
	if all, err := h.Recall(shell.Caller{ID: host.Operator}, "secretary", "", "", 100); err != nil || len(all) != 1 || all[0].Of == "" {
		t.Errorf("the agent remembers %+v, %v", all, err)
	}
	ask()
	last := &output{}
	if err := command(t.Context(), t.TempDir(), last, "greet\nrequest Ok?\nawait refuse\n", "to", at.At[0], "--peer", at.Agent, "--create-key"); err == nil || !strings.Contains(last.String(), "REFUSE") {
		t.Errorf("a mind answers more often than it may in a day: %v, %s", err, last)
	}
	stop()
	if _, left := model.heard(); left != 0 || !strings.Contains(served.String(), "--mind-turns") || !strings.Contains(served.String(), "--mind-answers") {
		t.Errorf("%d lines are left: %s", left, served)
	}
	again := &output{ready: make(chan struct{})} // a start of the command begins no new day
	at, stop = serves(t, joe, again, "--mind", "agent://secretary/answer", "--mind-home", host1, "--mind-answers", "2", "--alone")
	defer stop()
	if err := command(t.Context(), t.TempDir(), last, "greet\nrequest Ok?\nawait refuse\n", "to", at.At[0], "--peer", at.Agent, "--create-key"); err == nil || !strings.Contains(again.String(), "in a day, 2 times") {
		t.Errorf("after a start the mind answers again: %v, %s", err, again)
	}
}

// TestTally: answers of a day are counted on the disk before they are asked for, each mind for
// itself. The next day begins when no conversation fits into the links of this one.
func TestTally(t *testing.T) {
	t.Parallel()
	f, now := tallyOf(t.TempDir(), "did:key:x"), time.UnixMilli(1_800_000_000_000)
	count := func(mind string, after time.Duration, want int, wanted bool) {
		t.Helper()
		if d, ok, err := f.count(mind, 2, now.Add(after)); err != nil || ok != wanted || d.Used != want {
			t.Errorf("%s after %s: %+v, %t, %v", mind, after, d, ok, err)
		}
	}
	count("a", 0, 1, true)
	count("b", 0, 1, true)
	count("a", time.Hour, 2, true)
	count("a", term, 2, false)
	count("a", term+time.Second, 1, true)
	if days, err := f.read(); err != nil || len(days) != 1 {
		t.Errorf("%+v, %v", days, err)
	}
	for _, text := range []string{"{", "null"} {
		if err := os.WriteFile(string(f), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := f.count("a", 2, now); err == nil || ok {
			t.Errorf("the file %s lets the mind answer", text)
		}
	}
}

// TestGoal: an agent with a model begins a conversation itself, gets what it was sent for, and
// ends.
func TestGoal(t *testing.T) {
	t.Parallel()
	host1, _, model := thinks(t, "request May Ann get Joe's schedule?", `call request_type=calendar access=schedule(m) promise="no data retention"`, "accept",
		`ask {"what":"schedule"}`, "end")
	joe, ann := t.TempDir(), t.TempDir()
	data := filepath.Join(joe, "joe.json")
	if err := os.WriteFile(data, []byte(`{"email":"joe@example.org","schedule":["10:00"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	served, said := &output{ready: make(chan struct{})}, &output{}
	at, stop := serves(t, joe, served, "--talk", "yes", "--terms", "yes", "--for", "calendar", "--access", "schedule", "--promise", talk.NoRetention, "--data", data, "--alone")
	if err := command(t.Context(), ann, said, "", "to", at.At[0], "--peer", at.Agent, "--create-key", "--mind", "agent://secretary/answer", "--mind-home", host1,
		"--goal", "Get the schedule of Joe.", "--ask", "schedule", "--terms", "mind", "--for", "calendar", "--promise", talk.NoRetention, "--alone"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	stop()
	if text := said.String(); !strings.Contains(text, "10:00") {
		t.Errorf("the mind heard %s", text)
	}
	if asked, left := model.heard(); left != 0 || !strings.Contains(asked, "Get the schedule of Joe.") {
		t.Errorf("%d lines are left; the model was asked %s", left, asked)
	}
	if made, err := filepath.Glob(filepath.Join(ann, "agreements", "*.json")); err != nil || len(made) != 1 {
		t.Errorf("%v, %v", made, err)
	}
}

// TestAttackMindHangup: the peer ends while the mind thinks about its last words. Both promised to
// keep nothing, so the host ends that call, and neither it nor the calls before are there.
func TestAttackMindHangup(t *testing.T) {
	t.Parallel()
	host1, h, model := thinks(t, `offer access=name promise="no data retention"`)
	model.slow = make(chan struct{})
	joe := filepath.Join(t.TempDir(), "[a]*?")
	served, said := &output{ready: make(chan struct{})}, &output{}
	at, stop := serves(t, joe, served, "--mind", "agent://secretary/answer", "--mind-home", host1, "--talk", "yes", "--terms", "mind", "--for", "calendar",
		"--access", "name", "--promise", talk.NoRetention, "--alone")
	lines, typed := io.Pipe()
	go func() {
		script := `greet
request Ok?
await agree
call request_type=calendar access=name promise="no data retention(m)"
await proposal
accept
await signature
query MY SECRET, are you free?
`
		_, err := io.WriteString(typed, script)
		<-model.slow
		_, failed := io.WriteString(typed, "end\n")
		if err = errors.Join(err, failed, typed.Close()); err != nil {
			t.Error(err)
		}
	}()
	if err := reading(t.Context(), t.TempDir(), said, lines, "to", at.At[0], "--peer", at.Agent, "--create-key"); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	stop()
	if all, err := h.Recall(shell.Caller{ID: host.Operator}, "secretary", "", "", 100); err != nil || len(all) != 0 {
		t.Errorf("the agent remembers %+v, %v", all, err)
	}
	if left, err := os.ReadDir(filepath.Join(joe, toForget)); err != nil || len(left) != 0 {
		t.Errorf("%v, %v\n%s", left, err, served)
	}
}
