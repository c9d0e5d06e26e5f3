package devnet

import (
	"bytes"
	"encoding/json"
	"errors"
)

// request is one JSON-RPC call as received. A call without an id is a notification and gets no
// response.
type request struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

// response is one answer. It has the request's id, byte for byte.
type response struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result"`
	ID      json.RawMessage `json:"id"`
}

type refusal struct {
	Version string          `json:"jsonrpc"`
	Error   *rpcError       `json:"error"`
	ID      json.RawMessage `json:"id"`
}

// notification is a message to a subscriber.
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

// null is the id in a response to a request without a readable id.
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

// parse reads one request. The error has the request's id if it is readable.
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

// validID reports whether JSON-RPC allows an id: a string, a number or null.
func validID(raw json.RawMessage) bool {
	c := raw[0]
	return c == '"' || c == '-' || c >= '0' && c <= '9' || c == 'n'
}

// call runs one method and returns its result, or an error for the caller.
type call func(method string, params json.RawMessage) (any, error)

// answer handles a body, which is one request or a batch of at most MaxBatch, and returns the
// response; nil means none. A call gets an error instead if its answer would make the response
// longer than MaxAnswer.
func answer(body []byte, limits Config, run call) ([]byte, error) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '[' {
		room := limits.MaxAnswer
		return answerOne(body, &room, run)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil {
		return encode(refusal{version2, &rpcError{Code: codeParse, Message: "Parse error"}, null()})
	}
	if len(batch) == 0 || len(batch) > limits.MaxBatch {
		return encode(refusal{version2, invalidRequest(), null()})
	}
	var out [][]byte
	room := limits.MaxAnswer
	for _, raw := range batch {
		one, err := answerOne(raw, &room, run)
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

// leastRoom is more than any answer of a call that changes something. Such a call is not run if its
// answer may not fit.
const leastRoom = 64 << 10

// answerOne answers with at most room bytes, or with an error that says there is no room. It
// subtracts the encoded bytes from the room, even if it does not send them.
func answerOne(raw []byte, room *int, run call) ([]byte, error) {
	r, bad := parse(raw)
	if bad != nil {
		return encode(refusal{version2, bad, idOf(r)})
	}
	result, err := any(nil), error(answerTooLarge())
	if *room >= leastRoom {
		result, err = run(r.Method, r.Params)
	}
	if r.ID == nil {
		return nil, nil
	}
	if err != nil {
		return encode(refusal{version2, asRPC(err), r.ID})
	}
	out, err := encode(response{version2, result, r.ID})
	if *room -= len(out); err == nil && *room < 0 {
		return encode(refusal{version2, answerTooLarge(), r.ID})
	}
	return out, err
}

func idOf(r request) json.RawMessage {
	if r.ID == nil {
		return null()
	}
	return r.ID
}

// asRPC returns the error for the caller. Errors that are not meant for the caller become an
// internal error.
func asRPC(err error) *rpcError {
	var e *rpcError
	if errors.As(err, &e) {
		return e
	}
	return &rpcError{Code: codeInternal, Message: "Internal error"}
}
