package devnet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
)

// request is one JSON-RPC call as it came. A call without an id is a notification and gets no
// response.
type request struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

// response is one answer. The id is what the request had, byte for byte.
type response struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result"`
	ID      json.RawMessage `json:"id"`
}

type failure struct {
	Version string          `json:"jsonrpc"`
	Error   *rpcError       `json:"error"`
	ID      json.RawMessage `json:"id"`
}

// notification tells a subscriber something.
type notification struct {
	Version string             `json:"jsonrpc"`
	Method  string             `json:"method"`
	Params  notificationParams `json:"params"`
}

type notificationParams struct {
	Result       any    `json:"result"`
	Subscription uint64 `json:"subscription"`
}

const version2 = "2.0"

// null is an id of requests that have none to echo.
func null() json.RawMessage { return json.RawMessage("null") }

// encode writes JSON without escaping HTML, as Rust's serde_json does.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// parse reads one request. The error's id is the request's, as far as it can be told.
func parse(raw []byte) (request, *rpcError) {
	var r request
	if err := json.Unmarshal(raw, &r); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return request{ID: null()}, invalidRequest()
		}
		return request{ID: null()}, &rpcError{Code: codeParse, Message: "Parse error"}
	}
	if r.ID != nil && !validID(r.ID) || r.Method == "" {
		return request{ID: null()}, invalidRequest()
	}
	if r.Version != version2 {
		return r, &rpcError{Code: codeInvalidRequest, Message: "Unsupported JSON-RPC protocol version"}
	}
	return r, nil
}

// validID allows what JSON-RPC does: a string, a number or null.
func validID(raw json.RawMessage) bool {
	c := raw[0]
	return c == '"' || c == '-' || c >= '0' && c <= '9' || c == 'n'
}

// call runs one method and gives its result, or the error to tell.
type call func(ctx context.Context, method string, params json.RawMessage) (any, error)

// answer handles a body, one request or a batch of at most MaxBatch, and returns what to send; nil
// if nothing is to be sent. Calls whose answers would make that longer than MaxAnswer get an error
// instead.
func answer(ctx context.Context, body []byte, limits Config, run call) ([]byte, error) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '[' {
		room := limits.MaxAnswer
		return answerOne(ctx, body, &room, run)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil {
		return encode(failure{version2, &rpcError{Code: codeParse, Message: "Parse error"}, null()})
	}
	if len(batch) == 0 || len(batch) > limits.MaxBatch {
		return encode(failure{version2, invalidRequest(), null()})
	}
	var out [][]byte
	room := limits.MaxAnswer
	for _, raw := range batch {
		one, err := answerOne(ctx, raw, &room, run)
		if err != nil {
			return nil, err
		}
		if one != nil {
			out = append(out, one)
		}
	}
	if out == nil {
		return nil, nil
	}
	return append(append([]byte{'['}, bytes.Join(out, []byte{','})...), ']'), nil
}

// leastRoom is more than any answer of a call that changes something: such a call is not run if its
// answer may not fit.
const leastRoom = 64 << 10

// answerOne answers with at most room bytes, or with an error that says there is no room. It takes
// from the room what it encoded, sent or not.
func answerOne(ctx context.Context, raw []byte, room *int, run call) ([]byte, error) {
	r, bad := parse(raw)
	if bad != nil {
		return encode(failure{version2, bad, idOf(r)})
	}
	result, err := any(nil), error(answerTooLarge())
	if *room >= leastRoom {
		result, err = run(ctx, r.Method, r.Params)
	}
	if r.ID == nil {
		return nil, nil
	}
	if err != nil {
		return encode(failure{version2, asRPC(err), r.ID})
	}
	out, err := encode(response{version2, result, r.ID})
	if *room -= len(out); err == nil && *room < 0 {
		return encode(failure{version2, answerTooLarge(), r.ID})
	}
	return out, err
}

func idOf(r request) json.RawMessage {
	if r.ID == nil {
		return null()
	}
	return r.ID
}

// asRPC is the error to tell: what is not meant for the caller is an internal error.
func asRPC(err error) *rpcError {
	var e *rpcError
	if errors.As(err, &e) {
		return e
	}
	return internalError()
}
