package model

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/tmc/langchaingo/llms"

	"ojud/agent"
)

// canned answers every request with the same text, without a network.
type canned struct {
	status int
	body   []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(c.body)), Request: r}, nil
}

// FuzzAnswer: for any answer of a server, in either API, the result is a reply that fits the prompt
// or an error of a known class. The usage is within its bounds.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		completed(`{"accept":true}`, "stop"), completed("yes", "length"), `null`, `{"choices":[null]}`, `{"choices":[{"message":{"tool_calls":[null]}}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"yes"}],"tool_calls":[{"id":"a","function":{"name":"posts_read","arguments":{}}}]}}]}`,
		`{"content":[{"type":"text","text":"{}"},{"type":"tool_use","id":"a","name":"f","input":{"x":1}},null],"stop_reason":"tool_use","usage":{"input_tokens":-1}}`,
		`{"content":[{"type":"tool_use","input":"x"}]}`, `{"choices":[],"content":[]}`, `{"usage":{"prompt_tokens":1e400}}`,
	} {
		for shape := range 4 {
			f.Add([]byte(body), shape)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, shape int) {
		d := dialect(openaiDialect{})
		if shape&1 == 1 {
			d = anthropicDialect{}
		}
		p := question(withTools)
		if shape&2 == 2 {
			p = question(withSchema)
		}
		r := &rung{entry: Endpoint{Name: "m", Tools: true, CompletionPrice: 1}.whole()}
		x := &exchange{call: r.call(p), dialect: d, over: canned{http.StatusOK, body}}
		reply, fault := x.ask(context.Background(), r.entry)
		if fault != nil {
			if !errors.Is(fault, agent.ErrGarbled) && !errors.Is(fault, agent.ErrRefused) {
				t.Errorf("fault %v", fault)
			}
			return
		}
		if p.Schema != nil && single(reply.Text) != nil || len(reply.Calls) == 0 && reply.Text == "" {
			t.Errorf("reply %+v", reply)
		}
		for _, c := range reply.Calls {
			if p.Tools == nil || object(c.Input) != nil || c.Name == "" || plainID(c.ID) != c.ID {
				t.Errorf("call %+v", c)
			}
		}
		if u := reply.Usage; u.Prompt < 1 || u.Prompt > maxCount || u.Completion < 0 || u.Completion > maxCount || u.Cost != uint64(u.Completion) {
			t.Errorf("usage %+v", u)
		}
	})
}

// TestAfterTheEnd: an answer that comes after the deadline does not count, even if it is whole.
func TestAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := opened(t, config(Endpoint{Name: "m", Provider: ollama, Model: "x"}), func(d *Deps) { d.Transport = ending{canned{200, []byte(completed("yes", "stop"))}, cancel} })
	if reply, err := l.Generate(ctx, question()); !errors.Is(err, agent.ErrDown) || errors.Is(err, agent.ErrGarbled) || reply.Text != "" {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

// ending ends the time while an answer is under way.
type ending struct {
	canned
	cancel func()
}

func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	e.cancel()
	return e.canned.RoundTrip(r)
}

// TestPanic: if langchaingo panics, the answer counts as unreadable.
func TestPanic(t *testing.T) {
	r := &rung{entry: Endpoint{Name: "m"}.whole()}
	x := &exchange{call: r.call(question()), dialect: panicking{}, over: canned{}}
	if reply, fault := x.ask(t.Context(), r.entry); fault == nil || !errors.Is(fault, agent.ErrGarbled) {
		t.Errorf("reply %+v, fault %v", reply, fault)
	}
}

type panicking struct{ openaiDialect }

func (panicking) messages(*call) []llms.MessageContent { panic("index out of range") }

// TestEstimate: if the server does not count the tokens of an answer, they are estimated.
func TestEstimate(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, 3: 1, 4: 2, 300: 100} {
		same(t, "tokens", estimate(bytes), want)
	}
}

// TestShort: text of strangers is one line in the log.
func TestShort(t *testing.T) {
	same(t, "line", short("a\nb\x1b[31m\u202ec\xff"), "a b[31mc")
	if n := len(short(string(bytes.Repeat([]byte("ü"), 500)))); n > 203 {
		t.Error(n)
	}
}
