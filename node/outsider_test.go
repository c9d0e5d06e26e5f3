package node

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/evidence"
	"ojud/p2p"
	"ojud/p2p/identity"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// outsider is an asker without a node, whose host has the key of its agent.
func (w *world) outsider(key *ledger.Keypair) evidence.Outsider {
	w.t.Helper()
	seed, here := key.Seed()
	if !here {
		w.t.Fatal("the key is elsewhere")
	}
	id, err := identity.FromSeed(seed)
	w.must(err)
	host := w.net.NodeAs(id, func(c *p2p.Config, _ *p2p.Deps) {
		c.Listen = []string{fmt.Sprintf("/ip4/203.0.114.%d/udp/4600/quic-v1", 1+key.Address()[0])}
	})
	o := evidence.Outsider{
		Domain: w.domain, Key: id.Ed25519(), Host: host, Judges: map[casefile.DID]casefile.Address{}, Data: exchange.DefaultRequesterConfig(), Log: w.log,
		Fetch: func(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
			return host.Request(ctx, p, "blob", append([]byte{1}, hash[:]...))
		},
		Clock: func() int64 {
			now, err := w.client.Now(w.t.Context())
			w.must(err)
			return now.Unix
		},
	}
	for _, m := range w.nodes {
		o.Judges[casefile.DID(m.home.Keys.Peer())] = casefile.Address(m.home.Keys.Judge())
		w.must(host.Connect(w.t.Context(), p2ptest.Info(w.t, m.host)))
	}
	return o
}

// TestOutsiders: creator, worker, an agent and a key without any account ask whole nodes, each of
// which has other terms. Each node reads the chain itself. The answers of those that may ask have
// receipts that name key and task.
func TestOutsiders(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for _, terms := range []string{`{"who":"parties"}`, `{"who":"agents"}`, `{"who":"anyone"}`} {
			w.joinWith(func(m *member) { holdFor(t, m, "hello", terms) })
		}
		creator, worker, agent, stranger := keypair(t, 61), keypair(t, 62), keypair(t, 63), keypair(t, 64)
		w.fund(creator, worker, agent)
		for _, k := range []*ledger.Keypair{creator, worker, agent} {
			w.do(k, w.p.RegisterAgent(k.Address(), program.RegisterAgent{}), w.p.Deposit(k.Address(), k.Address(), program.Deposit{Amount: 5 * sol}))
		}
		task := w.open(creator, 0, 3600)
		w.claim(worker, creator, task, false)
		time.Sleep(time.Minute) // of fake time: they have met
		const parties, agents, anyone = 0, 1, 2
		named := casefile.Address(task).String()
		for name, key := range map[string]*ledger.Keypair{"creator": creator, "worker": worker, "agent": agent, "stranger": stranger} {
			o := w.outsider(key)
			for _, c := range []struct {
				holder int
				task   string
				why    error
			}{
				{parties, "", exchange.ErrNoTask}, {parties, named, unless(exchange.ErrNoParty, name == "creator" || name == "worker")},
				{agents, "", unless(exchange.ErrNoAgent, name != "stranger")}, {anyone, "", nil},
				{anyone, named, unless(exchange.ErrNoParty, name == "creator" || name == "worker")},
			} {
				only := casefile.DID(w.nodes[c.holder].home.Keys.Peer())
				r, err := o.Query(t.Context(), evidence.Query{Source: "notes", Request: []byte(`{"name":"7.json"}`), Case: c.task, Seconds: 10}, &only)
				w.must(err)
				if c.why != nil {
					if len(r.Answers) != 0 || len(r.Failures) != 1 || r.Failures[0].Reason != "refused: "+c.why.Error() || r.Failures[0].Next == "" {
						t.Errorf("%s, holder %d, task %q: %+v %+v", name, c.holder, c.task, r.Answers, r.Failures)
					}
					continue
				}
				if len(r.Answers) != 1 || !r.Outsider {
					t.Errorf("%s, holder %d, task %q: %+v", name, c.holder, c.task, r)
					continue
				}
				got := r.Answers[0].Receipt
				agreed, err := casefile.ParseAgreed(r.Answers[0].Terms)
				if err != nil || agreed.Differs(got) != "" || got.Verify(w.domain) != nil || got.Judge != casefile.Address(key.Address()) || got.Round != 0 ||
					(got.Case == casefile.Address(task)) != (c.task != "") {
					t.Errorf("%s: %+v %v", name, got, err)
				}
			}
		}
		log, err := os.ReadFile(w.nodes[anyone].home.Path(exchange.LogFile))
		if err != nil || !bytes.Contains(log, []byte(casefile.Address(stranger.Address()).String())) || !bytes.Contains(log, []byte(`"answered"`)) {
			t.Errorf("%s %v", log, err)
		}
	})
}

// unless returns the error if something does not hold.
func unless(err error, holds bool) error {
	if holds {
		return nil
	}
	return err
}
