package node

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// liars are RPC nodes of one judge that tell the same lies, once they begin: the time is ten
// minutes later ("deadline"), the judge has no seat ("panel"), and its wallet is empty ("balance").
// Other hosts tell the truth.
type liars struct {
	hosts []string
	lies  []string // those that they tell
	truth http.RoundTripper
	judge func() onchain.Address
	begun atomic.Bool
	told  atomic.Int64 // answers that were changed
}

// RoundTrip implements http.RoundTripper.
func (l *liars) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := l.truth.RoundTrip(r)
	var q struct {
		Method string
		Params []json.RawMessage
	}
	if err != nil || !l.begun.Load() || !slices.Contains(l.hosts, r.URL.Host) || json.Unmarshal(body, &q) != nil || q.Method != "getMultipleAccounts" {
		return resp, err
	}
	var addresses []onchain.Address
	if err := json.Unmarshal(q.Params[0], &addresses); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  *struct {
			Context json.RawMessage  `json:"context"`
			Value   []map[string]any `json:"value"`
		} `json:"result,omitempty"`
		Error json.RawMessage `json:"error,omitempty"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	if answer.Result != nil {
		for i, a := range answer.Result.Value {
			if a != nil {
				l.change(addresses[i], a)
			}
		}
		if raw, err = json.Marshal(answer); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	return resp, nil
}

// change tells the lie about one account, if there is one.
func (l *liars) change(at onchain.Address, a map[string]any) {
	data, ok := a["data"].([]any)
	if !ok || len(data) != 2 {
		return
	}
	was, err := base64.StdEncoding.DecodeString(fmt.Sprint(data[0]))
	if err != nil {
		return
	}
	l.told.Add(1)
	switch c, err := program.DecodeCase(was); {
	case at == onchain.ClockAccount() && slices.Contains(l.lies, "deadline"):
		binary.LittleEndian.PutUint64(was[32:], binary.LittleEndian.Uint64(was[32:])+600)
	case at == l.judge() && slices.Contains(l.lies, "balance"):
		a["lamports"] = 0
	case err == nil && slices.Contains(l.lies, "panel"):
		for i := range c.Seats {
			if c.Seats[i].Judge == l.judge() {
				c.Seats[i].Judge = onchain.Address{9}
			}
		}
		was = c.Encode()
	default:
		l.told.Add(-1)
	}
	data[0] = base64.StdEncoding.EncodeToString(was)
}

// deceived runs a round with four judges, one of whom has lying RPC nodes from a moment on. The
// others offer theirs if they are generous.
func deceived(t *testing.T, urls []string, generous, early bool, lies ...string) (m *member, c *program.Case, l *liars, problems string) {
	w := newWorld(t, brisk)
	l = &liars{hosts: []string{"one.test", "three.test"}, truth: w.server.Transport(), lies: lies}
	for i := range 3 {
		w.joinWith(func(m *member) {
			m.deps.Judge = slow{code(), 20 * time.Second}
			m.cfg.Ledger.RPC, m.cfg.Ledger.Offer = fmt.Sprintf("http://judge%d.test", i), generous
		})
	}
	w.joinWith(func(m *member) {
		l.judge = m.home.Keys.Authority.Address
		m.cfg.Ledger.RPC, m.cfg.Ledger.MoreRPC, m.cfg.Ledger.WS = urls[0], urls[1:], "off"
		m.deps.Judge, m.deps.Transport = slow{code(), 10 * time.Second}, l
	})
	m = w.nodes[3]
	p2ptest.Eventually(t, 2*time.Minute, "it knows the others", func() bool { return len(m.offered()) == 3 || !generous })
	l.begun.Store(early)
	task := w.dispute(eleptiger(t))
	w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
	time.Sleep(6 * time.Second)
	l.begun.Store(true)
	w.until(30*time.Minute, "half over", task, func(c *program.Case) bool { return c.Status != voting.Committing })
	problems = strings.Join(m.Status().Problems, "\n")
	c = w.until(30*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
	if l.told.Load() == 0 {
		t.Fatal("nobody lied")
	}
	return m, c, l, problems
}

// TestAttackTwoOfThreeProviders has two of a judge's three RPC nodes lie about the deadline, the
// panel and its balance. Its vote counts and it loses nothing: if other judges offer RPC nodes, it
// goes on and the liars are named; if not, it sees nothing, says so, and the others carry its vote.
// With EACH_LIE=1 (make liars) each lie is told alone, too.
func TestAttackTwoOfThreeProviders(t *testing.T) {
	three := []string{"http://one.test", "http://two.test", "http://three.test"}
	told := [][]string{{"deadline", "panel", "balance"}}
	if os.Getenv("EACH_LIE") == "1" {
		told = append(told, []string{"deadline"}, []string{"panel"}, []string{"balance"})
	}
	for _, lies := range told {
		for _, generous := range []bool{true, false} {
			name := map[bool]string{true: "others offer theirs", false: "nobody settles it"}[generous]
			t.Run(strings.Join(lies, " and ")+", "+name, func(t *testing.T) {
				p2ptest.Run(t, func(t *testing.T) {
					m, c, _, problems := deceived(t, three, generous, generous, lies...)
					if s := seatOf(t, c, m); s.Result != voting.Majority || s.Slashed != 0 || s.Earned == 0 {
						t.Errorf("%v, slashed %d, earned %d", s.Result, s.Slashed, s.Earned)
					}
					if generous {
						says(t, "status", problems, "one.test: refuted", "three.test: refuted")
					} else {
						says(t, "status", problems, "one.test and three.test against two.test")
					}
				})
			})
		}
	}
}

// TestOneLyingProvider is the control: the same lies of its only RPC node deceive the judge, and it
// is slashed.
func TestOneLyingProvider(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		m, c, _, _ := deceived(t, []string{"http://one.test"}, false, true, "deadline", "panel", "balance")
		if s := seatOf(t, c, m); s.Result != voting.Absent || s.Slashed == 0 {
			t.Errorf("%v, slashed %d", s.Result, s.Slashed)
		}
	})
}
