package node

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

var flakyJudges = flag.Int("flaky.judges", 7, "judges of TestFlakyProvider, each behind a bad RPC node")

// landing is how long a bad provider takes to bring a transaction to the chain: three slots.
const landing = 1200 * time.Millisecond

// flaky is a bad provider: it loses a fifth of the transactions and forwards the others late. It
// answers 8 calls a second, and 20 at once. It says of a third of the calls that ask for a recent
// slot that it has not reached that, answers 5 % of the calls with 503, and 3 % after 15 s.
type flaky struct {
	truth http.RoundTripper
	poor  bool    // it refuses lists of accounts
	loss  float64 // share of transactions that it loses

	mu      sync.Mutex
	dice    *rand.Rand
	tokens  float64
	refill  time.Time
	refused map[string]int // calls that got no answer, by reason
}

// RoundTrip implements http.RoundTripper.
func (f *flaky) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil { // a websocket
		return f.truth.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var q struct {
		ID     json.RawMessage
		Method string
		Params []json.RawMessage
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	object := func(format string, args ...any) (*http.Response, error) {
		text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, fmt.Sprintf(format, args...))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text))}, nil
	}
	switch what := f.fault(q.Method, body); what {
	case "429", "503":
		status := http.StatusServiceUnavailable
		if what == "429" {
			status = http.StatusTooManyRequests
		}
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody}, nil
	case "hangs":
		select {
		case <-time.After(15 * time.Second):
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: http.NoBody}, nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	case "behind":
		return object(`"error":{"code":%d,"message":"Minimum context slot has not been reached"}`, rpc.CodeMinContextSlot)
	case "no lists":
		return object(`"error":{"code":-32010,"message":"excluded from account secondary indexes"}`)
	case "lost", "late":
		var text string
		if err := json.Unmarshal(q.Params[0], &text); err != nil {
			return nil, err
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		if what == "late" {
			late := r.Clone(context.WithoutCancel(r.Context()))
			late.Body = io.NopCloser(bytes.NewReader(body))
			time.AfterFunc(landing, func() {
				if answer, err := f.truth.RoundTrip(late); err == nil {
					_ = answer.Body.Close() // nobody waits for it
				}
			})
		}
		return object(`"result":%q`, transact.SignatureOf(raw))
	}
	return f.truth.RoundTrip(r)
}

// fault returns what is wrong with the answer to a call; empty: nothing.
func (f *flaky) fault(method string, body []byte) (what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() {
		if what != "" {
			f.refused[what]++
		}
	}()
	f.tokens = min(20, f.tokens+time.Since(f.refill).Seconds()*8)
	f.refill = time.Now()
	if f.tokens < 1 {
		return "429"
	}
	f.tokens--
	dice := f.dice.Float64()
	switch {
	case dice < 0.05:
		return "503"
	case dice < 0.08:
		return "hangs"
	case f.poor && method == rpc.ListMethod:
		return "no lists"
	case method == "sendTransaction" && f.dice.Float64() < f.loss:
		return "lost"
	case method == "sendTransaction":
		return "late"
	case bytes.Contains(body, []byte(`"minContextSlot"`)) && f.dice.Float64() < 0.35:
		return "behind"
	}
	return ""
}

// TestFlakyProvider: behind bad RPC nodes, all judges vote in time, none is slashed, and the case
// ends with their pay. It is the same without websockets where lists of accounts are refused, too.
func TestFlakyProvider(t *testing.T) {
	longtest.Only(t)
	for _, c := range []struct {
		name string
		ws   string
		poor bool
	}{{"websocket", "ws://node.test:8900", false}, {"no websocket, no lists", "off", true}} {
		t.Run(c.name, func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w, got := flakyCourt(t, *flakyJudges, func(way *flaky, cfg *Config) { way.poor, cfg.Ledger.WS = c.poor, c.ws })
				if got.Round != 1 || got.Verdict != voting.ForWorker || int(got.Revealed) != len(got.Seats) || len(got.Seats) != *flakyJudges {
					t.Errorf("round %d, verdict %v, %d of %d revealed", got.Round, got.Verdict, got.Revealed, len(got.Seats))
				}
				for _, s := range got.Seats {
					if s.Slashed != 0 {
						t.Errorf("%s was slashed %d lamports", s.Judge, s.Slashed)
					}
				}
				w.paidAlong(voting.Key(got.Task), len(got.Seats))
			})
		})
	}
}

// TestFlakyProviderControl: if these providers lose nine of ten transactions, and judges send each
// only once in a minute, votes are missing, although judges bring each other's to the chain.
func TestFlakyProviderControl(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		_, got := flakyCourt(t, 7, func(way *flaky, cfg *Config) {
			way.loss, cfg.Ledger.WS, cfg.Ledger.Send.Rebroadcast = 0.9, "ws://node.test:8900", time.Minute
		})
		if got.Round == 1 && got.Revealed == 7 {
			t.Error("all seven voted in the first round")
		}
	})
}

// flakyCourt settles a case of judges behind bad RPC nodes, and tells what happened.
func flakyCourt(t *testing.T, judges int, change func(*flaky, *Config)) (*world, *program.Case) {
	t.Helper()
	w := newWorld(t, func(p *program.Params) { p.CommitSeconds, p.RevealSeconds = 60, 40 })
	var ways []*flaky
	for i := range judges {
		way := &flaky{truth: w.server.Transport(), loss: 0.2, dice: rand.New(rand.NewPCG(7, uint64(i))), tokens: 20, refill: time.Now(), refused: map[string]int{}}
		ways = append(ways, way)
		w.admit(&member{}, func(m *member) {
			change(way, &m.cfg)
			m.deps.Judge, m.deps.Transport = code(), way
		})
	}
	w.season()
	time.Sleep(time.Minute)
	began := time.Now()
	task := w.dispute(eleptiger(t))
	got := w.until(30*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() || c.Status == voting.Appealable })
	took := time.Since(began)
	all, err := w.server.Bank().Transactions(bank.Query{Address: solana.PublicKey(w.p.Case(address(task))), MaxSlot: math.MaxUint64, Limit: 1000})
	w.must(err)
	landed, faults := map[string]int{}, map[string]int{}
	for _, s := range all {
		log, err := w.p.Events(s.Transaction.Logs)
		w.must(err)
		for _, e := range log.Events {
			landed[e.EventName()]++
		}
		if s.Transaction.Err != nil {
			landed["in vain: "+w.deed(s.Transaction.Wire)]++
		}
	}
	for _, way := range ways {
		way.mu.Lock()
		for what, n := range way.refused {
			faults[what] += n
		}
		way.mu.Unlock()
	}
	t.Logf("%d judges, settled %s after the case began; faults %v; landed %v", len(got.Seats), took.Round(time.Second), faults, landed)
	return w, got
}

// deed names the last instruction of a transaction.
func (w *world) deed(raw []byte) string {
	w.t.Helper()
	tx, err := solana.TransactionFromBytes(raw)
	w.must(err)
	i, err := program.DecodeInstruction(tx.Message.Instructions[len(tx.Message.Instructions)-1].Data)
	w.must(err)
	return strings.TrimPrefix(fmt.Sprintf("%T", i), "*program.")
}
