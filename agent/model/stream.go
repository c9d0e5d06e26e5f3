package model

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ojud/agent"
)

const (
	events    = "text/event-stream"
	maxEvents = 64 << 20  // bytes of an answer in pieces; each of them repeats what frames it
	maxEvent  = 256 << 10 // bytes of one
)

// errBroken is the end of an answer in pieces before the server said that it is whole.
var errBroken = errors.New("it breaks off")

// pieces joins an answer that comes in pieces into one that comes at once.
type pieces interface {
	// take takes an event, and returns the text that it adds.
	take(event []byte) (text string, err error)
	// whole is the answer, or errBroken if the server did not say that it is complete.
	whole() (json.RawMessage, error)
}

// listen reads an answer in pieces, and tells whoever wants to hear it. What could be the beginning
// of the key is told when it is known to be something else.
func (x *exchange) listen(body io.Reader) ([]byte, error) {
	parts := x.dialect.pieces()
	in := bufio.NewScanner(io.LimitReader(body, maxEvents))
	in.Buffer(nil, maxEvent)
	text, size := "", 0 // what was not told yet, and the bytes of all
	for in.Scan() {
		data, found := strings.CutPrefix(in.Text(), "data:")
		if data = strings.TrimSpace(data); !found || data == "" || data == "[DONE]" {
			continue
		}
		added, err := parts.take([]byte(data))
		if err != nil {
			return nil, &fault{class: agent.ErrGarbled, what: "the answer is not in the form of the API", detail: short(x.mask(err.Error()))}
		}
		if size += len(added); size > maxAnswer {
			return nil, &fault{class: agent.ErrTooLarge, what: fmt.Sprintf("more than %d bytes", maxAnswer)}
		}
		text = x.tell(text + added)
	}
	if err := in.Err(); err != nil {
		f := unreachable(err)
		f.detail = x.mask(f.detail)
		return nil, f
	}
	if text != "" {
		x.call.prompt.Heard(x.mask(text))
	}
	raw, err := parts.whole()
	if err != nil {
		return nil, &fault{class: agent.ErrGarbled, what: "the answer breaks off", detail: short(err.Error())}
	}
	if len(raw) > maxAnswer {
		return nil, &fault{class: agent.ErrTooLarge, what: fmt.Sprintf("more than %d bytes", maxAnswer)}
	}
	return []byte(x.mask(string(raw))), nil
}

// tell passes text on to whoever hears the answer. It returns the end of the text, if that may be
// the beginning of the key: it has to wait for what follows.
func (x *exchange) tell(text string) (rest string) {
	at := len(text) - x.key.begins(text)
	if now := x.mask(text[:at]); now != "" {
		x.call.prompt.Heard(now)
	}
	return text[at:]
}

func (x *exchange) mask(text string) string { return x.key.mask(text) }

// openaiPieces are those of the chat completions API.
type openaiPieces struct {
	text  strings.Builder
	calls []called
	args  []*strings.Builder // of the calls
	stop  string
	spent usage
}

func (openaiDialect) pieces() pieces { return &openaiPieces{} }

func (openaiDialect) stream(body map[string]json.RawMessage) error {
	return errors.Join(put(body, "stream", true), put(body, "stream_options", map[string]bool{"include_usage": true}))
}

func (p *openaiPieces) take(event []byte) (string, error) {
	var e struct {
		Choices []struct {
			Delta struct {
				Content content `json:"content"`
				Calls   []struct {
					Index    int      `json:"index"`
					ID       string   `json:"id"`
					Function function `json:"function"`
				} `json:"tool_calls"`
			} `json:"delta"`
			Stop string `json:"finish_reason"`
		} `json:"choices"`
		Usage *usage          `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return "", err
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return "", fmt.Errorf("the server says: %.200s", e.Error)
	}
	if e.Usage != nil {
		p.spent = *e.Usage
	}
	if len(e.Choices) == 0 {
		return "", nil
	}
	c := e.Choices[0]
	if c.Stop != "" {
		p.stop = c.Stop
	}
	for _, d := range c.Delta.Calls {
		switch {
		case d.Index == len(p.calls) && d.Index < maxCalls:
			p.calls, p.args = append(p.calls, called{ID: d.ID, Type: "function"}), append(p.args, &strings.Builder{})
		case d.Index < 0 || d.Index >= len(p.calls):
			return "", errors.New("calls of tools are out of order, or too many")
		}
		name, args := &p.calls[d.Index].Function.Name, p.args[d.Index]
		*name += d.Function.Name
		args.WriteString(string(d.Function.Arguments))
		if len(*name)+args.Len() > maxAnswer {
			return "", errors.New("the call of a tool is too large")
		}
	}
	p.text.WriteString(string(c.Delta.Content))
	return string(c.Delta.Content), nil
}

func (p *openaiPieces) whole() (json.RawMessage, error) {
	if p.stop == "" {
		return nil, errBroken
	}
	for i, args := range p.args {
		p.calls[i].Function.Arguments = arguments(args.String())
	}
	return json.Marshal(completion{Choices: []choice{{Message: message{Role: "assistant", Content: content(p.text.String()), Calls: p.calls}, FinishReason: p.stop}}, Usage: p.spent})
}

// anthropicPieces are those of the messages API.
type anthropicPieces struct {
	answered
	texts, inputs []*strings.Builder // of the blocks
	over          bool
}

func (anthropicDialect) pieces() pieces { return &anthropicPieces{} }

func (anthropicDialect) stream(body map[string]json.RawMessage) error {
	return put(body, "stream", true)
}

func (p *anthropicPieces) take(event []byte) (string, error) {
	var e struct {
		Type    string   `json:"type"`
		Message answered `json:"message"`
		Index   int      `json:"index"`
		Block   block    `json:"content_block"`
		Delta   struct {
			Text string `json:"text"`
			Part string `json:"partial_json"`
			Stop string `json:"stop_reason"`
		} `json:"delta"`
		Usage struct {
			Output count `json:"output_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(event, &e); err != nil {
		return "", err
	}
	switch e.Type {
	case "message_start":
		p.Usage = e.Message.Usage
	case "content_block_start":
		if e.Index != len(p.Content) || e.Index > 2*maxCalls {
			return "", errors.New("blocks are out of order, or too many")
		}
		p.Content = append(p.Content, block{Type: e.Block.Type, ID: e.Block.ID, Name: e.Block.Name})
		p.texts, p.inputs = append(p.texts, &strings.Builder{}), append(p.inputs, &strings.Builder{})
		p.texts[e.Index].WriteString(e.Block.Text)
		return e.Block.Text, nil
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(p.Content) {
			return "", errors.New("a piece of no block")
		}
		p.texts[e.Index].WriteString(e.Delta.Text)
		p.inputs[e.Index].WriteString(e.Delta.Part)
		if p.inputs[e.Index].Len() > maxAnswer {
			return "", errors.New("the call of a tool is too large")
		}
		return e.Delta.Text, nil
	case "message_delta":
		p.Stop, p.Usage.Output = e.Delta.Stop, max(p.Usage.Output, e.Usage.Output)
	case "message_stop":
		p.over = true
	case "error":
		return "", fmt.Errorf("the server says: %.200s", e.Error)
	}
	return "", nil
}

func (p *anthropicPieces) whole() (json.RawMessage, error) {
	if !p.over {
		return nil, errBroken
	}
	for i := range p.Content {
		p.Content[i].Text = p.texts[i].String()
		if p.Content[i].Type != "tool_use" {
			continue
		}
		input := p.inputs[i].String()
		if input == "" {
			input = "{}"
		}
		if !json.Valid([]byte(input)) {
			return nil, errors.New("the input of a tool is no JSON")
		}
		p.Content[i].Input = json.RawMessage(input)
	}
	return json.Marshal(p.answered)
}
