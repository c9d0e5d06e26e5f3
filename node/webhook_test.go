package node

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ojud/ledger/program"
	"ojud/node/webhook"
	"ojud/p2p/p2ptest"
)

// pager is a receiver of notifications. It refuses the first attempts.
type pager struct {
	refuse int

	mu   sync.Mutex
	came map[string]int    // by ID
	kind map[string]string // by ID
	data map[string]webhook.Details
}

func (p *pager) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body struct {
		Type string
		Data webhook.Details
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	status := http.StatusServiceUnavailable
	if p.refuse--; p.refuse < 0 {
		id := r.Header.Get("webhook-id")
		p.came[id]++
		p.kind[id], p.data[id], status = body.Type, body.Data, http.StatusNoContent
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

// told returns the kinds of what came, sorted.
func (p *pager) told() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, kind := range p.kind {
		out = append(out, kind)
	}
	slices.Sort(out)
	return out
}

// paged gives a node a receiver.
func paged(p *pager) func(*member) {
	return func(m *member) {
		p.came, p.kind, p.data = map[string]int{}, map[string]string{}, map[string]webhook.Details{}
		m.deps.Webhooks = p
		m.cfg.Webhooks.List = []webhook.Hook{{Name: "pager", URL: "https://pager.example/", Secret: "${file:hook.secret}"}}
		if err := os.WriteFile(m.home.Path("hook.secret"), []byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"), 0o600); err != nil {
			panic(err)
		}
	}
}

// TestWebhooks: in a court of whole nodes, the receiver of a judge hears that it was drawn, voted
// and was paid, although it refuses at first. That of a judge that stopped after the draw hears
// when it comes back that it was absent and lost stake. Nothing comes under two IDs.
func TestWebhooks(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		present, missing := &pager{refuse: 3}, &pager{}
		w.joinWith(paged(present))
		w.join(2, nil)
		w.joinWith(func(m *member) {
			paged(missing)(m)
			m.deps.Judge = slow{code(), time.Minute}
		})
		last := w.nodes[3]
		task := w.dispute(eleptiger(t))
		w.until(10*time.Minute, "drawn", task, func(c *program.Case) bool { return len(c.Seats) == 4 })
		p2ptest.Eventually(t, time.Minute, "it hears that it was drawn", func() bool { return slices.Contains(missing.told(), webhook.JudgeDrawn) })
		w.halt(last)
		w.until(20*time.Minute, "over", task, func(c *program.Case) bool { return c.Status.Over() })
		w.start(last)
		want := func(who string, p *pager, kinds ...string) {
			t.Helper()
			p2ptest.Eventually(t, 20*time.Minute, who+" hears everything", func() bool {
				told := p.told()
				return slices.Equal(slices.Compact(slices.DeleteFunc(told, func(k string) bool { return !slices.Contains(kinds, k) })), kinds)
			})
			for id, d := range p.data {
				if d.Court != "test" || d.Judge == "" || d.Text == "" || strings.HasPrefix(p.kind[id], "judge.") && p.kind[id] != webhook.JudgePaid && d.Case != address(task).String() {
					t.Errorf("%s: %s %+v", who, p.kind[id], d)
				}
			}
		}
		want("the judge that voted", present, webhook.JudgeDrawn, webhook.JudgePaid, webhook.JudgeVoted)
		want("the judge that was gone", missing, webhook.JudgeAbsent, webhook.JudgeSlashed)
		for _, kind := range []string{webhook.JudgeDrawn, webhook.JudgeVoted} {
			if n := count(present.told(), kind); n != 1 {
				t.Errorf("%s came under %d IDs", kind, n)
			}
		}
	})
}

func count(all []string, one string) (n int) {
	for _, text := range all {
		if text == one {
			n++
		}
	}
	return n
}
