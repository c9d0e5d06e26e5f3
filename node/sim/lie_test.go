package sim

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// lie changes an answer as the fault says, and remembers the true answer.
func (l *link) lie(r *http.Request, resp *http.Response, e event, id json.RawMessage, method string, params []json.RawMessage) (*http.Response, error) {
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var out struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = readable(raw), int64(len(raw))
	if out.Error != nil {
		return resp, nil
	}
	key, err := subject(method, params)
	if err != nil {
		return nil, err
	}
	old := l.remember(key, out.Result)
	var changed json.RawMessage
	switch {
	case e.kind == staleRPC && old != nil && l.chance(0.5+0.5*e.dose):
		changed = old
	case e.kind == oldState && old != nil:
		changed = renewed(old, out.Result)
	case e.kind == wrongBytes && l.chance(0.2+0.5*e.dose):
		changed = l.flip(out.Result)
	case method == "getSignatureStatuses":
		changed = l.pretend(params, out.Result)
	}
	if changed == nil {
		return resp, nil
	}
	if e.kind != falseLanded {
		l.cov.effect(string(e.kind))
	}
	return reply(r, id, changed)
}

// subject returns the question in a request without its minimum slot, because that changes each
// time and a liar ignores it.
func subject(method string, params []json.RawMessage) (key string, err error) {
	key = method
	for _, p := range params {
		var options map[string]json.RawMessage
		if json.Unmarshal(p, &options) == nil {
			delete(options, "minContextSlot")
			if p, err = json.Marshal(options); err != nil {
				return "", err
			}
		}
		key += string(p)
	}
	return key, nil
}

// remember keeps an answer. It returns an answer to the same question that is at least ten seconds
// old.
func (l *link) remember(key string, result json.RawMessage) json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	past := l.past[key]
	now := time.Now()
	for len(past) > 1 && now.Sub(past[1].at) > 10*time.Second {
		past = past[1:]
	}
	l.past[key] = append(past, answer{now, result})
	if len(past) > 0 && now.Sub(past[0].at) > 10*time.Second {
		return past[0].result
	}
	return nil
}

// renewed gives an old answer the slot of a new one; nil if they have none.
func renewed(old, recent json.RawMessage) json.RawMessage {
	var a, b struct {
		Context json.RawMessage `json:"context"`
		Value   json.RawMessage `json:"value"`
	}
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(recent, &b) != nil || a.Context == nil || b.Context == nil {
		return nil
	}
	b.Value = a.Value
	out, err := json.Marshal(b)
	if err != nil {
		return nil
	}
	return out
}

// flip changes a byte in the data of every account of an answer; nil if there is none.
func (l *link) flip(result json.RawMessage) json.RawMessage {
	var tree any
	if json.Unmarshal(result, &tree) != nil {
		return nil
	}
	found := false
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		case []any:
			if len(v) == 2 && v[1] == "base64" {
				text, _ := v[0].(string)
				if raw, err := base64.StdEncoding.DecodeString(text); err == nil && len(raw) > 0 {
					l.mu.Lock()
					raw[l.rng.IntN(len(raw))] ^= byte(1 + l.rng.IntN(255))
					l.mu.Unlock()
					v[0], found = base64.StdEncoding.EncodeToString(raw), true
				}
				return
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(tree)
	out, err := json.Marshal(tree)
	if err != nil || !found {
		return nil
	}
	return out
}

// pretend reports swallowed transactions as landed.
func (l *link) pretend(params []json.RawMessage, result json.RawMessage) json.RawMessage {
	var asked []string
	var out struct {
		Context struct {
			Slot uint64 `json:"slot"`
		} `json:"context"`
		Value []any `json:"value"`
	}
	if json.Unmarshal(params[0], &asked) != nil || json.Unmarshal(result, &out) != nil || len(asked) != len(out.Value) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := false
	for i, sig := range asked {
		if l.told[sig] && out.Value[i] == nil {
			found = true
			out.Value[i] = map[string]any{"slot": out.Context.Slot, "confirmations": nil, "err": nil, "status": map[string]any{"Ok": nil}, "confirmationStatus": "finalized"}
		}
	}
	if !found {
		return nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return raw
}

func readable(raw []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(raw)) }
