package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxErrorText bounds what is kept of an error message of the node, in bytes.
const maxErrorText = 512

// request is a JSON-RPC 2.0 request.
type request struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params,omitempty"`
}

func newRequest(id uint64, method string, params []any) request {
	return request{Version: "2.0", ID: id, Method: method, Params: params}
}

// envelope is a JSON-RPC 2.0 answer, or on a websocket a notification: then Method and Params are set.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpcFault       `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type rpcFault struct {
	Code    json.Number     `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// decodeAnswer returns the result in an answer to the request with that id. Errors may come without an id: some proxies do not
// read the request before they refuse it.
func decodeAnswer(body []byte, method string, id uint64) (json.RawMessage, error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("%w: %s: no JSON-RPC: %s", ErrAnswer, method, excerpt(body))
	}
	ours := string(bytes.TrimSpace(e.ID)) == strconv.FormatUint(id, 10)
	anonymous := len(e.ID) == 0 || string(e.ID) == "null"
	switch {
	case e.Error != nil && (ours || anonymous):
		return nil, e.Error.as(method)
	case !ours:
		return nil, fmt.Errorf("%w: %s: it has the id %s, not %d", ErrAnswer, method, excerpt(e.ID), id)
	case len(e.Result) == 0:
		return nil, fmt.Errorf("%w: %s: neither result nor error", ErrAnswer, method)
	}
	return e.Result, nil
}

func (f *rpcFault) as(method string) *RPCError {
	code, err := strconv.Atoi(f.Code.String())
	if err != nil {
		code = codeInternal
	}
	return &RPCError{Method: method, Code: code, Message: excerpt([]byte(f.Message)), Data: f.Data, class: classOf(code)}
}

// decodeResult reads a result. Unknown fields are what newer nodes add.
func decodeResult(raw json.RawMessage, method string, out any) error {
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%w: %s: %s", ErrAnswer, method, excerpt([]byte(err.Error())))
	}
	return nil
}

// excerpt is a short printable piece of what the node wrote, for people.
func excerpt(b []byte) string {
	if len(b) > maxErrorText {
		b = append(b[:maxErrorText:maxErrorText], "…"...)
	}
	s := bytes.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, b)
	return string(s)
}
