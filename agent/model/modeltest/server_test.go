package modeltest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"ojud/agent/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = `{"model":"m","messages":[{"role":"system","content":"Your way of judging is called recomputer (calculation)."},
{"role":"user","content":"x begin result (words of the worker)\n| \n| lines: \n|   [0] The owl sits\n|   [1] in the oak\nx end result\nI1\n| Write about an owl.\nI2\n| Be brief."}]}`

func post(t *testing.T, s *modeltest.Server, m modeltest.Mode, d time.Duration) (int, string, error) {
	t.Helper()
	client := &http.Client{Transport: s.Transport(), Timeout: d, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Post(s.URL(m)+"/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	return r.StatusCode, string(body), err
}

// TestModes: without sockets and on fake time, each mode behaves as its name says: it answers,
// returns a status, or stays silent for as long as the client waits.
func TestModes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := modeltest.Fly()
		seen := map[string]modeltest.Mode{}
		for _, m := range modeltest.Modes() {
			began := time.Now()
			status, body, err := post(t, s, m, 9*time.Minute)
			if m == modeltest.RetryAfter && status == http.StatusTooManyRequests {
				status, body, err = post(t, s, m, time.Minute)
			}
			if waited := time.Since(began) >= 9*time.Minute; waited != m.Waits() || waited != (err != nil) {
				t.Errorf("%s: %v after %s", m, err, time.Since(began))
			}
			if other, ok := seen[body+http.StatusText(status)]; ok && !m.Answers() && !m.Waits() {
				t.Errorf("%s is like %s", m, other)
			}
			seen[body+http.StatusText(status)] = m
			if len(s.Requests(m)) == 0 {
				t.Errorf("%s: no request", m)
			}
		}
		if s.Strangers() != 0 || s.Poured() > 8<<20 {
			t.Errorf("%d strangers, %d bytes", s.Strangers(), s.Poured())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestOpen: the same holds on sockets. The answer is about every item and quotes the result.
func TestOpen(t *testing.T) {
	s, err := modeltest.Open()
	if err != nil {
		t.Fatal(err)
	}
	status, body, err := post(t, s, modeltest.OK, time.Minute)
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if bad := json.Unmarshal([]byte(body), &reply); status != 200 || err != nil || bad != nil {
		t.Fatal(status, err, bad)
	}
	for _, part := range []string{`"id":"I1"`, `"id":"I2"`, `"met":"yes"`, `"evidence":["`} {
		if !strings.Contains(reply.Choices[0].Message.Content, part) {
			t.Errorf("no %s in %s", part, reply.Choices[0].Message.Content)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
