package shell

import (
	"context"
	"encoding/json"
	"time"

	"ojud/agent/host"
	"ojud/ledger/transact"
)

// Question is what an agent asks the holders of a data source of a court.
type Question struct {
	Source  string          `json:"data_source"`
	Request json.RawMessage `json:"request"`
	Task    string          `json:"task"`   // whose creator or worker the agent is; may be empty
	Holder  string          `json:"holder"` // a did:key; empty: any
	Timeout int64           `json:"timeout_ms"`
}

// AskSource asks by the key of an agent, and returns answers with their receipts.
type AskSource func(ctx context.Context, key *transact.Keypair, q Question) (json.RawMessage, error)

// The limits of questions.
const (
	maxAsked   = 16 // in one call of an agent
	maxAsking  = 4  // at once on a host
	askingTime = 30 * time.Second
	asksMost   = 5 * time.Minute
)

const asks = `{"type":"object","properties":{"data_source":{"type":"string"},"request":{"type":"object"},` +
	`"task":{"type":"string","description":"address of a task whose creator or worker you are"},"holder":{"type":"string","description":"did:key of the only holder to ask"},` +
	`"timeout_ms":{"type":"integer","minimum":1}},"required":["data_source"],"additionalProperties":false}`

// ask asks holders of a source for an agent, by its own key. Its file has to name the source, and
// its delegation has to allow it.
func ask(ctx context.Context, h *Host, by Caller, input json.RawMessage) (any, error) {
	q, err := decoded[Question](input)
	if err != nil {
		return nil, err
	}
	if len(q.Request) == 0 {
		q.Request = json.RawMessage("{}")
	}
	timeout := askingTime
	if q.Timeout > 0 {
		timeout = min(time.Duration(min(q.Timeout, asksMost.Milliseconds()))*time.Millisecond, asksMost)
	}
	key, err := counted(h, by, q.Source)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	q.Timeout = timeout.Milliseconds()
	select {
	case h.acting.asking <- struct{}{}:
		defer func() { <-h.acting.asking }()
	case <-ctx.Done():
		return nil, &host.Refused{Code: host.Busy, Words: "the host asks other questions; ask again"}
	}
	return h.parts.Ask(ctx, key, q)
}

// counted counts a question of an agent, and returns the agent's key.
func counted(h *Host, by Caller, source string) (*transact.Keypair, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m, key := h.files[by.ID], h.keys[by.ID]
	switch {
	case h.parts.Ask == nil:
		return nil, &host.Refused{Code: host.Denied, Words: "the host knows no court; start it with --network"}
	case by.ID == host.Operator || key == nil:
		return nil, &host.Refused{Code: host.Denied, Words: "an agent asks by its own key; ask yourself with: ojud source ask"}
	case !m.MayAsk(source):
		return nil, &host.Refused{Code: host.Denied, Words: sprint("the file of agent %s does not name the source %.64q (sources)", by.ID, source)}
	case h.acting.asked[by.Call] >= maxAsked:
		return nil, &host.Refused{Code: host.Budget, Words: sprint("%d questions were asked in this call, and that is the limit", maxAsked)}
	}
	if _, open := h.core.Open(by.Call); !open {
		return nil, &host.Refused{Code: host.Gone, Words: "the call in which the agent asks is over"}
	}
	h.acting.asked[by.Call]++
	return key, nil
}
