package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"ojud/agent"
)

// exchange is one request of langchaingo and its answer, with errors before they become text.
type exchange struct {
	call    *call
	dialect dialect
	over    http.RoundTripper
	key     *key
	fault   *fault
	says    string // the server's words if it refused, in lower case
	sent    int    // bytes of the request
}

func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	answer, err := x.send(r)
	if err != nil {
		x.fault = unreachable(err)
		return nil, x.fault
	}
	return answer, nil
}

func (x *exchange) send(r *http.Request) (*http.Response, error) {
	body, err := x.edited(r)
	if err != nil {
		return nil, &fault{class: agent.ErrRefused, what: "the request cannot be written", detail: short(err.Error()), free: true, asked: true}
	}
	x.sent = len(body)
	sent := r.Clone(r.Context())
	sent.ContentLength = int64(len(body))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	sent.Body = io.NopCloser(bytes.NewReader(body))
	if !x.call.quiet {
		sent.Header.Set("Accept", events)
		x.call.prompt.Heard("")
	}
	answer, err := x.over.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	if !x.call.quiet && inPieces(answer) {
		raw, err := x.listen(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
		return x.tidied(answer, raw)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1)) // it is in memory, within the bounds of wire or tape
	if closed := answer.Body.Close(); err != nil || closed != nil {
		return nil, fmt.Errorf("the answer: %w, %w", err, closed)
	}
	return x.tidied(answer, raw)
}

func (x *exchange) edited(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	if err := x.dialect.edit(members, x.call); err != nil {
		return nil, err
	}
	if !x.call.quiet {
		if err := x.dialect.stream(members); err != nil {
			return nil, err
		}
	}
	return json.Marshal(members)
}

// tidied returns the answer as langchaingo reads it.
func (x *exchange) tidied(answer *http.Response, raw []byte) (*http.Response, error) {
	if answer.StatusCode != http.StatusOK {
		x.says = strings.ToLower(string(raw))
		return nil, refusal(answer, short(string(raw)), time.Now())
	}
	tidy, err := x.dialect.tidy(raw)
	if err != nil {
		return nil, &fault{class: agent.ErrGarbled, what: "the answer is not in the form of the API", detail: short(err.Error())}
	}
	out := *answer
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(tidy)), int64(len(tidy))
	return &out, nil
}

// ask makes one request to one model. The usage is set even without a reply.
func (x *exchange) ask(ctx context.Context, e Endpoint) (reply agent.Reply, f *fault) {
	started := time.Now()
	response, err := x.generate(ctx, e)
	if err == nil && ctx.Err() == nil {
		reply, f = x.call.read(x.dialect, response)
	} else {
		f = x.failed(ctx, err)
	}
	reply.Model = e.Name
	reply.Usage = x.usage(e, response, f)
	reply.Usage.Time = time.Since(started)
	return reply, f
}

// failed says why langchaingo has no answer, from the exchange's own record.
func (x *exchange) failed(ctx context.Context, err error) *fault {
	switch {
	case ctx.Err() != nil:
		return &fault{class: agent.ErrDown, what: "no answer in time", detail: ctx.Err().Error()}
	case x.fault != nil:
		return x.fault
	}
	return &fault{class: agent.ErrGarbled, what: "the answer cannot be read", detail: short(fmt.Sprint(err))}
}

// generate calls langchaingo and contains its panics, because a server may write anything.
func (x *exchange) generate(ctx context.Context, e Endpoint) (response *llms.ContentResponse, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			response, err = nil, fmt.Errorf("langchaingo panicked: %v", failure)
		}
	}()
	client, err := x.dialect.client(e, x)
	if err != nil {
		return nil, err
	}
	response, err = client.GenerateContent(ctx, x.dialect.messages(x.call), x.dialect.options(e, x.call)...)
	if err == nil && (response == nil || len(response.Choices) == 0) {
		err = fmt.Errorf("no choice")
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// usage returns the cost of the request. A number is estimated if the server does not state it, or
// states it for an answer that did not come, because it may be billed.
func (x *exchange) usage(e Endpoint, response *llms.ContentResponse, f *fault) agent.Usage {
	u := agent.Usage{Calls: 1}
	if f != nil && f.free {
		return u
	}
	u.Prompt = estimate(x.sent)
	if response != nil {
		said, answered := x.dialect.spent(response.Choices[0].GenerationInfo)
		u.Completion = answered
		if said > 0 {
			u.Prompt = said
		}
		if answered == 0 {
			u.Completion = estimate(length(response))
		}
	}
	u.Cost = e.cost(u.Prompt, u.Completion)
	return u
}

func length(response *llms.ContentResponse) int {
	n := 0
	for _, choice := range response.Choices {
		n += len(choice.Content)
		for _, made := range choice.ToolCalls {
			n += len(made.FunctionCall.Arguments)
		}
	}
	return n
}
