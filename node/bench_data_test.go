//go:build unix

package node

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// bazaar is a court with one case in a round that stays live. Some of its nodes hold sources.
type bazaar struct {
	*court
	task    voting.Key
	from    int64 // Unix seconds of the chain's clock
	sources []string
	posts   string        // folder of the files that holders give
	second  time.Duration // how long a desk waits for another answer
}

const (
	roundTime  = 7200            // seconds of the commit phase: longer than a benchmark
	answerText = "the-very-post" // stands in every answer, and nowhere else
)

// stand describes a bazaar: the number of nodes, the number of sources of each of the last ones,
// the least size of an answer in bytes, and the distance between nodes on a simulated wire, or 0 on
// loopback.
type stand struct {
	nodes, holders, sources, bytes int
	wire                           time.Duration
}

// newBazaar starts the nodes and gives all judges a seat in one round.
func newBazaar(b testing.TB, is stand) *bazaar {
	b.Helper()
	n := is.nodes
	cfg := chainConfig()
	cfg.Send.Status = 100 * time.Millisecond
	m := &bazaar{court: &court{b: b, arrived: make(chan struct{}, n)}, posts: b.TempDir()}
	m.world = newChain(b, cfg, func(p *program.Params) { p.CommitSeconds = roundTime })
	if is.wire > 0 {
		m.net = p2ptest.NewNet(b, is.wire)
	}
	m.must(os.WriteFile(filepath.Join(m.posts, "7.json"), fmt.Appendf(nil, `{"text":%q}`, answerText+strings.Repeat(".", is.bytes)), 0o600))
	for i := range is.sources {
		m.sources = append(m.sources, fmt.Sprintf("post.%03d", i))
	}
	m.assemble(n, func(i int, to *member) {
		if i >= n-is.holders {
			m.offer(to)
		}
	})
	m.creator, m.worker = m.parties()
	m.task = m.bring(m.creator, m.worker, 0, sol/100, eleptiger(b))
	for range n {
		select {
		case <-m.arrived:
		case <-time.After(patience):
			b.Fatal("not every judge was asked")
		}
	}
	look, _ := m.nodes[0].loop.View().Case(m.task)
	m.from = look.CommitEnds - roundTime
	return m
}

// offer gives a node all sources. Every judge of a live round may ask for them without limit.
func (m *bazaar) offer(to *member) {
	m.b.Helper()
	for _, name := range m.sources {
		s, err := datasource.Parse(fmt.Appendf(nil, `{"name":%q,"description":"posts","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
"outputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
"terms":{"who":"judges","rate":{"requests":1000000,"seconds":1},"total_rate":{"requests":1000000,"seconds":1},"quota":1000000},
"upstream":{"kind":"files","dir":%q,"allow":["*.json"],"format":"json"}}`, name, m.posts))
		m.must(err)
		m.must(datasource.Write(to.home.Path("sources"), s))
	}
}

// evaluation returns the evaluation of a judge in the live round.
func (m *bazaar) evaluation(of *member) exchange.Evaluation {
	return exchange.Evaluation{Case: casefile.Address(m.task), Round: 1, Judge: casefile.Address(of.home.Keys.Judge()), Sources: m.sources,
		From: m.from, Until: m.from + roundTime, Deadline: time.Now().Add(patience)}
}

// desk returns a desk of a node with its own way to find holders and open lines. The first answer
// is enough unless m.second says otherwise.
func (m *bazaar) desk(of *member, f exchange.Finder, dial func(context.Context, casefile.DID) (exchange.Stream, error)) *exchange.Requester {
	m.b.Helper()
	cfg := exchange.DefaultRequesterConfig()
	cfg.SecondAnswerWait = m.second
	deps := of.evidence.RequesterDeps(of.blobs)
	deps.Finder, deps.Dial, deps.Blame = f, dial, nil
	d, err := exchange.NewRequester(cfg, deps)
	m.must(err)
	return d
}

// stages are the times from the question to each stage, in milliseconds.
type stages struct{ dial, line, answer, verified float64 }

// ask makes a node ask for a source and returns the times.
func (m *bazaar) ask(of *member, source string, f exchange.Finder) stages {
	m.b.Helper()
	out, err := m.try(of, source, f)
	m.must(err)
	return out
}

// try is ask for any goroutine; the error says why there is no answer.
func (m *bazaar) try(of *member, source string, f exchange.Finder) (stages, error) {
	watch := &stopclock{}
	s, err := m.desk(of, f, watch.dial(of.evidence.RequesterDeps(nil).Dial)).Open(m.b.Context(), m.evaluation(of))
	if err != nil {
		return stages{}, err
	}
	defer s.Close()
	watch.start = time.Now()
	answers, err := s.Ask(m.b.Context(), source, json.RawMessage(`{"name":"7.json"}`))
	verified := watch.since()
	if err != nil || len(answers) == 0 || !bytes.Contains(answers[0].Content, []byte(answerText)) {
		return stages{}, fmt.Errorf("%s: %d answers, %w, %v", source, len(answers), err, s.Record())
	}
	out := watch.stages()
	out.verified = verified
	return out, nil
}
