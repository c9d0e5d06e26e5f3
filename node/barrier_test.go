package node

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/program"
	"ojud/voting"
)

// barrier holds back the notices of a node, and its transactions with commits and reveals, until a
// test lets them pass. So an exchange begins at all nodes at once and does not wait for the chain.
type barrier struct {
	inner Broadcaster
	chain http.RoundTripper

	mu   sync.Mutex
	held []pendingPush
	open map[string]bool // instructions that pass
	wake chan struct{}   // closed when open changes
}

// holdBack puts a barrier before a node that has not started. It also delays catching up, which
// would fetch the held notices.
func holdBack(m *member) *barrier {
	s := &barrier{chain: m.deps.Transport, open: map[string]bool{}, wake: make(chan struct{})}
	m.deps.Transport, m.deps.WrapBroadcaster = s, func(inner Broadcaster) Broadcaster { s.inner = inner; return s }
	m.cfg.Habits.CatchUpEvery = 600
	return s
}

// pendingPush is a notice that a node wants to push, and its receivers.
type pendingPush struct {
	to     []voting.Key
	notice voting.Notice
}

// Push implements Broadcaster: it keeps the notice.
func (s *barrier) Push(to []voting.Key, notice voting.Notice) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, pendingPush{to, notice})
	return nil
}

// Publish implements Broadcaster. It does nothing, because the benchmark runs the second path
// itself.
func (*barrier) Publish(voting.Notice) error { return nil }

// holds reports whether n notices wait.
func (s *barrier) holds(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held) >= n
}

// take removes and returns the waiting notices.
func (s *barrier) take() []pendingPush {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.held
	s.held = nil
	return out
}

// pass lets an instruction through from now on, or holds it back.
func (s *barrier) pass(instruction string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[instruction] = open
	close(s.wake)
	s.wake = make(chan struct{})
}

// RoundTrip implements http.RoundTripper: commits and reveals wait until they may pass.
func (s *barrier) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		return s.chain.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	for name := sent(body); name != ""; {
		s.mu.Lock()
		open, wake := s.open[name], s.wake
		s.mu.Unlock()
		if open {
			break
		}
		select {
		case <-wake:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return s.chain.RoundTrip(r)
}

// sent names the commit or reveal in a request; it is empty if there is none.
func sent(body []byte) string {
	var call struct {
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	var text string
	if json.Unmarshal(body, &call) != nil || call.Method != "sendTransaction" || len(call.Params) == 0 || json.Unmarshal(call.Params[0], &text) != nil {
		return ""
	}
	tx, err := solana.TransactionFromBase64(text)
	if err != nil {
		return ""
	}
	for _, i := range tx.Message.Instructions {
		switch op, err := program.DecodeInstruction(i.Data); {
		case err != nil: // of another program
		case slices.Contains([]string{"commit", "reveal"}, op.InstructionName()):
			return op.InstructionName()
		}
	}
	return ""
}
