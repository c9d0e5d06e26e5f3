package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// FuzzFeed: for any notifications, nothing panics, and nothing is queued beyond its bound.
func FuzzFeed(f *testing.F) {
	f.Add([]byte(`{"context":{"slot":5},"value":{"signature":"` + onchain.Signature{1}.String() + `","err":null,"logs":["Program data: ` + mark(1) + `"]}}`))
	f.Add([]byte(`{"context":{"slot":5},"value":{"lamports":1,"owner":"11111111111111111111111111111111","data":["` +
		strings.Repeat("A", 54) + `==","base64"]}}`))
	node := newFakeNode()
	cfg := testConfig()
	cfg.Watch.Buffer = 4
	c, err := New(cfg, node.program.ID(), Deps{Transport: node})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		w := NewWatcher(c, Cursor{})
		for range 6 {
			w.feed.onLogs(result)
			w.feed.onClock(result)
		}
		if len(w.feed.queue) > 4 {
			t.Fatal("the queue overflows")
		}
	})
}

// scripted answers every request with one result.
type scripted struct{ result []byte }

// RoundTrip implements http.RoundTripper.
func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	var q struct{ ID uint64 }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return nil, err
	}
	return response(200, nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, q.ID, s.result)), nil
}

// FuzzAnswer: for any answers of a node, every read ends with a value or an error of a known class.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`null`, `5`, `"x"`, `{}`, `[]`, `[null]`, `{"context":{"slot":9},"value":null}`, `{"context":{"slot":9},"value":[null]}`,
		`{"context":{"slot":9},"value":{"blockhash":"11111111111111111111111111111112","lastValidBlockHeight":5}}`,
		`{"context":{"slot":9},"value":[{"slot":5,"confirmations":null,"err":{"InstructionError":[0,{"Custom":1}]},"confirmationStatus":"confirmed"}]}`,
		`{"context":{"slot":9},"value":{"err":"AccountInUse","logs":["a"],"unitsConsumed":5}}`,
		`{"context":{"slot":9},"value":[{"pubkey":"11111111111111111111111111111112","account":{"lamports":1,"owner":"11111111111111111111111111111111","data":["AAAA","base64"]}}]}`,
		`{"slot":5,"blockTime":5,"transaction":["AAAA","base64"],"meta":{"err":null,"logMessages":["x"]}}`,
		`[{"signature":"` + onchain.Signature{1}.String() + `","slot":5,"err":null,"blockTime":5}]`,
		`{"absoluteSlot":5,"blockHeight":5}`, `[{"slot":1,"prioritizationFee":5}]`,
	} {
		f.Add([]byte(text))
	}
	cfg := testConfig()
	cfg.Calls.BackoffMin, cfg.Calls.BackoffMax = time.Minute, time.Minute // no second try
	f.Fuzz(func(t *testing.T, result []byte) {
		c, err := New(cfg, onchain.Address{7}, Deps{Transport: scripted{result}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, a, sig := context.Background(), onchain.Address{1}, onchain.Signature{1}
		for name, read := range map[string]func() error{
			"accounts":    func() error { _, _, err := c.Accounts(ctx, a); return err },
			"task":        func() error { _, _, err := c.Task(ctx, a); return err },
			"tasks":       func() error { _, _, err := c.Tasks(ctx, TaskFilter{}); return err },
			"heads":       func() error { _, _, err := c.caseHeads(ctx); return err },
			"now":         func() error { _, err := c.Now(ctx); return err },
			"statuses":    func() error { _, _, err := c.statuses(ctx, sig); return err },
			"final":       func() error { _, err := newDesk(ctx, c).final(ctx); return err },
			"blockhash":   func() error { _, _, err := (&Sender{client: c}).blockhash(ctx); return err },
			"simulate":    func() error { return simulateAnything(ctx, c) },
			"transaction": func() error { return readAnything(ctx, c, sig) },
			"page":        func() error { _, err := c.page(ctx, a, onchain.Signature{}, onchain.Signature{}); return err },
			"rent":        func() error { _, err := c.RentMinimum(ctx, 1); return err },
		} {
			if err := read(); err != nil && rpc.Reason(err) == "error" && !strings.HasPrefix(err.Error(), "ledger: ") {
				t.Errorf("%s: %v has no class", name, err)
			}
		}
	})
}

func simulateAnything(ctx context.Context, c *Client) error {
	u, err := transact.Compile(onchain.Address{1}, onchain.Hash{}, transact.Budget{}, []onchain.Instruction{c.program.Draw(onchain.Address{2})})
	if err != nil {
		return err
	}
	s, err := (&Sender{client: c}).simulate(ctx, u)
	if err != nil {
		return err
	}
	r, err := rejection(c.program, u.Message(), s.failure, s.logs)
	if r != nil {
		_, _ = r.Broke()
		_ = transact.Outcome{Class: Rejected, Rejection: r}.Voting(nil)
	}
	return err
}

func readAnything(ctx context.Context, c *Client, sig onchain.Signature) error {
	t, err := c.transaction(ctx, sig)
	if err != nil {
		return err
	}
	c.occurred(t.slot, sig, t.time, t.logs)
	_, err = commits(c.program, t.raw)
	return err
}

// FuzzEvents: the hints that the looker takes from events of any content.
func FuzzEvents(f *testing.F) {
	f.Add(program.EncodeEvent(&program.Committed{Round: 1}))
	f.Add(program.EncodeEvent(&program.Closed{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := program.DecodeEvent(data)
		if err != nil {
			return
		}
		looks.Touched(e, func(task onchain.Address) {
			if _, moved := e.(*program.TaskMoved); !moved && !about(e, task, onchain.Address{}) {
				t.Errorf("%s touches a case that it is not about", e.EventName())
			}
		})
	})
}
