package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"ojud/agent"
)

// TestFaults: for any fault of a server, the caller gets the fault's class in time, and neither the
// server's text nor its address.
func TestFaults(t *testing.T) {
	other := serve(t, says("you should not be here"))
	for name, test := range map[string]struct {
		does behaviour
		want error
		says string
	}{
		"prose":              {says("I accept, of course."), agent.ErrGarbled, "not one JSON value"},
		"cut JSON":           {says(`{"accept": tr`), agent.ErrGarbled, "not one JSON value"},
		"cut by length":      {stops(`{"accept": true`, "length"), agent.ErrGarbled, "cut off"},
		"cut number":         {stops(`12`, "length"), agent.ErrGarbled, "cut off"},
		"cut fence":          {stops("```json\n{}", "length"), agent.ErrGarbled, "cut off"},
		"two values":         {says(`{"accept":true}{"accept":false}`), agent.ErrGarbled, "follows the value"},
		"a name twice":       {says(`{"accept":true,"accept":false}`), agent.ErrGarbled, "twice"},
		"empty":              {says(""), agent.ErrGarbled, "empty"},
		"declined":           {stops("", "content_filter"), agent.ErrRefused, "declines"},
		"no choices":         {raw(`{"choices":[]}`), agent.ErrGarbled, "cannot be read"},
		"null":               {raw(`null`), agent.ErrGarbled, "cannot be read"},
		"null choice":        {raw(`{"choices":[null]}`), agent.ErrGarbled, "empty"},
		"null message":       {raw(`{"choices":[{"message":null,"finish_reason":"stop"}]}`), agent.ErrGarbled, "empty"},
		"wrong types":        {raw(`{"choices":{"message":7}}`), agent.ErrGarbled, "form of the API"},
		"HTML":               {raw(`<html>welcome to the hotel</html>`), agent.ErrGarbled, "form of the API"},
		"no body":            {raw(``), agent.ErrGarbled, "form of the API"},
		"204":                {status(204, ""), agent.ErrGarbled, "204"},
		"streamed anyway":    {streamed(`{"accept": tr`, `[DONE]`), agent.ErrGarbled, "form of the API"},
		"error in a stream":  {streamed(`{"accept": tr`, `{"error":{"message":"out of memory"}}`), agent.ErrGarbled, "form of the API"},
		"a call of no tool":  {calls("delete_all", `"{}"`), agent.ErrGarbled, "has none"},
		"400":                {failure(400, "no "+secret), agent.ErrRefused, "400 Bad Request"},
		"401":                {failure(401, "bad key "+secret), agent.ErrRefused, "401 Unauthorized"},
		"404":                {failure(404, "no such model"), agent.ErrRefused, "404"},
		"429":                {failure(429, "later"), agent.ErrBusy, "429"},
		"503":                {failure(503, "later"), agent.ErrBusy, "503"},
		"529":                {failure(529, "later"), agent.ErrBusy, "529"},
		"500":                {status(500, strings.Repeat("panic ", 1e6)), agent.ErrDown, "500"},
		"redirect elsewhere": {redirect(307, other.URL+"/v1/chat/completions"), agent.ErrRefused, "another server"},
		"redirect to a GET":  {redirect(302, "/v1/models"), agent.ErrRefused, "loses the request"},
		"redirect in a ring": {redirect(307, "/v1/chat/completions"), agent.ErrRefused, "loses the request"},
		"redirect nowhere":   {status(302, ""), agent.ErrRefused, "302"},
		"hanging":            {hangs, agent.ErrDown, "in time"},
		"hanging up":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, agent.ErrDown, "broke"},
		"half an answer":     {half, agent.ErrDown, "in time"},
		"a gigabyte":         {endless, agent.ErrTooLarge, "1048576"},
		"a packed gigabyte":  {bomb, agent.ErrTooLarge, "1048576"},
		"endless header":     {status(200, "{}", "X-Long", strings.Repeat("x", maxHeader)), agent.ErrDown, "broke"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.does)
			l := opened(t, config(entry(s, func(e *Endpoint) { e.Timeout = time.Second; e.Schema = schemaPrompt })))
			reply, err := l.Generate(soon(t, 20*time.Second), question(withSchema))
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Fatalf("reply %+v, error %v; want %v with %q", reply, err, test.want, test.says)
			}
			if text := err.Error(); leaks(text) || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "panic") {
				t.Errorf("the error tells too much: %s", text)
			}
			same(t, "calls", reply.Usage.Calls, 1)
		})
	}
	if n := len(other.requests()); n != 0 {
		t.Errorf("another server got %d requests", n)
	}
}

// TestGigabyteIsNotRead: an answer that is refused for its size does not fill the memory first.
func TestGigabyteIsNotRead(t *testing.T) {
	l := opened(t, config(entry(serve(t, endless))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := l.Generate(soon(t, 20*time.Second), question())
	runtime.ReadMemStats(&after)
	if !errors.Is(err, agent.ErrTooLarge) || after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("error %v after %d bytes", err, after.TotalAlloc-before.TotalAlloc)
	}
}

// TestCancelled is fault 1: a cancelled call returns an error and never half an answer. It is also
// fault 3: the error says that the time was over.
func TestCancelled(t *testing.T) {
	for name, does := range map[string]behaviour{"hanging": hangs, "half": half} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, does)
			for range 10 {
				reply, err := opened(t, config(entry(s))).Generate(soon(t, 50*time.Millisecond), question())
				if !errors.Is(err, agent.ErrDown) || !errors.Is(err, context.DeadlineExceeded) || reply.Text != "" {
					t.Fatalf("reply %+v, error %v", reply, err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := opened(t, config(entry(s))).Generate(ctx, question()); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestRequest: the request matches the prompt in the form of the API. Nothing is streamed (faults
// 1, 2, 4, 5, 6), no option is offered that langchaingo drops (7), and no setting comes from the
// environment.
func TestRequest(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "key-of-the-environment")
	t.Setenv("OPENAI_ORGANIZATION", "organization-of-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://base.of.the.environment")
	t.Setenv("OPENAI_MODEL", "model-of-the-environment")
	s := serve(t, says("yes"))
	reply := ask(t, opened(t, config(entry(s))), question(func(p *agent.Prompt) { p.Temperature, p.Seed = 0.5, 42 }))
	same(t, "text", reply.Text, "yes")
	same(t, "model", reply.Model, "m")
	same(t, "usage", [4]int{reply.Usage.Calls, reply.Usage.Prompt, reply.Usage.Completion, int(reply.Usage.Cost)}, [4]int{1, 10, 5, 20})
	got := s.requests()[0]
	same(t, "path", got.path, "/v1/chat/completions")
	same(t, "key", got.header.Get("Authorization"), "Bearer "+secret)
	same(t, "agent", got.header.Get("User-Agent"), "ojud")
	same(t, "organization", got.header.Get("OpenAI-Organization"), "")
	same(t, "messages", got.said("messages"), `[{"role":"system","content":"You judge."},{"role":"user","content":"Well?"}]`)
	delete(got.body, "messages")
	same(t, "rest", encode(t, got.body), `{"max_completion_tokens":100,"model":"served","seed":42,"temperature":0.5}`)
}

// TestWithoutKey: a server that wants no key gets none, and not the word that langchaingo insists
// on.
func TestWithoutKey(t *testing.T) {
	for _, provider := range []string{OpenAI, ollama, google, providerAnthropic} {
		s := serve(t, says("yes"))
		l := opened(t, config(entry(s, func(e *Endpoint) { e.Key, e.Provider = "", provider })))
		if _, err := l.Generate(soon(t, 20*time.Second), question()); (err == nil) != (provider != providerAnthropic) {
			t.Errorf("%s: %v", provider, err)
		}
		h := s.requests()[0].header
		same(t, provider, h.Get("Authorization")+h.Get("X-Api-Key"), "")
	}
}

// TestLongLine is fault 6 without streaming: an answer of one long line is read whole.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("owl ", 100_000)
	reply := ask(t, opened(t, config(entry(serve(t, says(long))))), question())
	same(t, "length", len(reply.Text), len(long))
}

// TestForms: servers write the same answer in several ways.
func TestForms(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"parts":     {`{"choices":[{"message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"yes"}]}}]}`, "yes"},
		"no reason": {`{"choices":[{"message":{"content":"yes"},"finish_reason":null}]}`, "yes"},
		"usage":     {`{"choices":[{"message":{"content":"yes"}}],"usage":{"prompt_tokens":-5,"completion_tokens":1e99}}`, "yes"},
		"more":      {`{"choices":[{"message":{"content":"yes"}},{"message":{"content":"no"},"finish_reason":"length"}]}`, "yes"},
		"logprobs":  {`{"choices":[{"message":{"content":"yes","refusal":null,"annotations":[]},"logprobs":{"content":"?"}}],"system_fingerprint":7}`, "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			reply := ask(t, opened(t, config(entry(serve(t, raw(test.body))))), question())
			same(t, "text", reply.Text, test.want)
			if reply.Usage.Prompt < 1 || reply.Usage.Prompt > 1000 || reply.Usage.Completion != 1 {
				t.Errorf("usage %+v", reply.Usage)
			}
		})
	}
}

// TestCutAfterTheEnd: an object that is closed is whole, even if the server stopped the model at
// its token limit. A text is not.
func TestCutAfterTheEnd(t *testing.T) {
	l := opened(t, config(entry(serve(t, stops("{\"accept\":true}\n \t \t", "length")), canCall)))
	same(t, "text", ask(t, l, question(withSchema)).Text, `{"accept":true}`)
	if reply, err := l.Generate(soon(t, 20*time.Second), question()); !errors.Is(err, agent.ErrGarbled) {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

// TestRedirectAtHome: a server may redirect a request to another path of its own. The request stays
// whole.
func TestRedirectAtHome(t *testing.T) {
	s := serve(t, redirect(308, "/v2/chat/completions"), says("yes"))
	same(t, "text", ask(t, opened(t, config(entry(s))), question()).Text, "yes")
	got := s.requests()[1]
	same(t, "path", got.path, "/v2/chat/completions")
	same(t, "model", got.said("model"), `"served"`)
	same(t, "key", got.header.Get("Authorization"), "Bearer "+secret)
}

// TestConnectionsAreKept: consecutive requests share one connection.
func TestConnectionsAreKept(t *testing.T) {
	places := map[string]bool{}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		places[r.RemoteAddr] = true
		says("yes")(w, r)
	})
	l := opened(t, config(entry(s)))
	for range 5 {
		ask(t, l, question())
	}
	same(t, "connections", len(places), 1)
}
