package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/devnet"
	"ojud/ledger/devnet/bank"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	oju "ojud/programs/oju"
	"ojud/test/longtest"
	"ojud/voting"
)

// paper keeps the log of a node from Warn on.
type paper struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *paper) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(p, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// says fails the test unless a text has all the words.
func says(t testing.TB, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s does not say %q: %s", what, word, text)
		}
	}
}

// health returns the node's answer at /healthz.
func (m *member) health() (code int, body string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	r.Host = "localhost"
	m.api.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// problems returns the problems that keep the node from judging, in its own words.
func (m *member) problems() []string { return m.Status().Problems }

// findings returns the findings of Check for a node, one line each.
func (m *member) findings(t testing.TB) string {
	t.Helper()
	found, err := Check(t.Context(), m.home, m.cfg, m.deps)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range found {
		if !f.OK {
			fmt.Fprintf(&out, "%s fatal=%t: %s; %s\n", f.Name, f.Fatal, f.Detail, f.Next)
		}
	}
	return out.String()
}

// drain takes all lamports out of a wallet.
func (w *world) drain(k *ledger.Keypair) {
	w.t.Helper()
	have, _, err := w.client.Balance(w.t.Context(), k.Address())
	w.must(err)
	_, err = w.sender.Submit(w.t.Context(), []onchain.Instruction{
		onchain.Transfer(k.Address(), w.deployer.Address(), have),
	}, ledger.SubmitOptions{Payer: w.deployer, Signers: []*ledger.Keypair{k}})
	w.must(err)
}

// TestNoFunds: a judge with an empty wallet names the address, the missing amount and the remedy in
// every place where it reports problems. It keeps trying, and votes with the majority if it is
// funded in time.
func TestNoFunds(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(5, func(int) judge.Judge { return slow{code(), 20 * time.Second} })
		poor, log := w.nodes[4], &paper{}
		w.halt(poor)
		poor.deps.Logger = log.logger()
		w.drain(poor.home.Keys.Authority)
		address := poor.home.Keys.Authority.Address().String()
		says(t, "check", poor.findings(t), "funds fatal=false", address, "has 0 SOL", "0.01 SOL", "SOL to "+address)

		w.start(poor)
		task := w.dispute(eleptiger(t))
		w.until(3*time.Minute, "the others committed", task, func(c *program.Case) bool { return c.Committed == 4 })
		time.Sleep(2 * time.Minute)
		for what, text := range map[string]string{"log": log.String(), "status": strings.Join(poor.Status().Problems, "\n")} {
			says(t, what, text, address, "has 0 SOL", "SOL to "+address)
		}
		a, err := poor.Why(task, voting.Key{})
		w.must(err)
		says(t, "why", fmt.Sprint(a), "the commit could not be sent, because the authority had too few lamports", address)
		if code, body := poor.health(); code != 503 || !strings.Contains(body, address) {
			t.Errorf("health is %d: %s", code, body)
		}
		if n := strings.Count(log.String(), "what=funds"); n != 1 {
			t.Errorf("funds were complained about %d times", n)
		}
		w.fund(poor.home.Keys.Authority)
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if s := seatOf(t, c, poor); s.Result != voting.Majority || s.Slashed != 0 {
			t.Errorf("funded in time: %v, slashed %d", s.Result, s.Slashed)
		}
		time.Sleep(time.Minute)
		if code, body := poor.health(); code != 200 || len(poor.Status().Problems) > 0 {
			t.Errorf("health is %d: %s %q", code, body, poor.Status().Problems)
		}
	})
}

// route is the way to a chain. It may lead to another chain at any moment. It refuses websockets,
// because they would stay with the old one.
type route struct {
	to atomic.Pointer[http.RoundTripper]
}

func (r *route) lead(to http.RoundTripper) { r.to.Store(&to) }

// errDown is the answer of a route without a chain.
var errDown = errors.New("connection refused")

func (r *route) RoundTrip(ask *http.Request) (*http.Response, error) {
	to := r.to.Load()
	if to == nil || *to == nil || ask.Header.Get("Upgrade") != "" {
		return nil, errDown
	}
	return (*to).RoundTrip(ask)
}

// chain starts another chain, or a chain on a copy of a directory.
func (w *world) chain(cfg devnet.Config, deps devnet.Deps) *devnet.Server {
	w.t.Helper()
	deps.Logger = slog.New(slog.DiscardHandler)
	s, err := devnet.New(cfg, deps)
	w.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, s.Close()); err != nil {
			w.t.Error(err)
		}
	})
	return s
}

// final waits for the error that ends a node's Run.
func (m *member) final(t testing.TB, limit time.Duration) error {
	t.Helper()
	select {
	case err := <-m.done:
		m.stop()
		m.stop = nil
		return err
	case <-time.After(limit):
		t.Fatal("the node goes on")
		return nil
	}
}

// stranger returns a node without a stake, with a home for some program on some network.
func (w *world) stranger(d Descriptor) *member {
	w.t.Helper()
	m := &member{}
	w.equip(m)
	w.nodes = w.nodes[:len(w.nodes)-1]
	d.Format, d.Name, d.RPC, d.WS, d.Bootstrap = DescriptorFormat, "test", chainConfig().RPC, chainConfig().WS, []string{}
	var err error
	m.home, _, err = Init(w.t.TempDir(), d)
	w.must(err)
	w.must(w.give(m.home.Keys.Authority))
	return m
}

// TestWrongProgram: if network.json names a program or a chain other than the court's, the node
// ends before it signs anything. Check says the same.
func TestWrongProgram(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		second := keypair(t, 102)
		w := newWorld(t, nil, func(_ *devnet.Config, d *devnet.Deps) {
			d.Genesis.Programs = append(d.Genesis.Programs, bank.Upgradeable(second.Address(), keypair(t, 100).Address(), oju.ELF()))
		})
		elsewhere := program.New(second.Address())
		foreign := voting.Hash(bytes.Repeat([]byte{7}, 32))
		w.do(w.deployer, elsewhere.InitConfig(w.deployer.Address(), program.InitConfig{Network: foreign, Params: program.DefaultParams()}))
		network, here := w.domain.Network.String(), w.p.ID().String()
		for name, c := range map[string]struct {
			network, program string
			err              error
			words            []string
		}{
			"not deployed":  {network, keypair(t, 103).Address().String(), ledger.ErrNoProgram, []string{keypair(t, 103).Address().String(), "compare the field program"}},
			"a wallet":      {network, w.deployer.Address().String(), ledger.ErrNotExecutable, []string{"cannot be executed", "compare the field program"}},
			"another one":   {network, solana.BPFLoaderUpgradeableProgramID.String(), ledger.ErrNoConfig, []string{"no Config account", "field program of network.json"}},
			"other network": {network, second.Address().String(), ledger.ErrOtherChain, []string{"initialised for the network", "new home"}},
			"another chain": {foreign.String(), here, ledger.ErrOtherChain, []string{"genesis hash", "new home"}},
		} {
			log := &paper{}
			m := w.stranger(Descriptor{Network: c.network, Program: c.program})
			m.deps.Logger = log.logger()
			says(t, name+": check", m.findings(t), append(c.words, "chain fatal=true")...)
			w.start(m)
			err := m.final(t, time.Minute)
			if !errors.Is(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
			says(t, name+": run", fmt.Sprint(err), c.words...)
		}
	})
}

// TestChainStartedAnew: another chain replaces the one behind the RPC URL while the node runs. The
// node ends and names the remedy.
func TestChainStartedAnew(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		other := w.chain(devnet.DefaultConfig(), devnet.Deps{Genesis: bank.Genesis{Seed: bytes.Repeat([]byte{9}, 32)}})
		way := &route{}
		way.lead(w.server.Transport())
		w.joinWith(func(m *member) { m.deps.Transport = way })
		time.Sleep(time.Minute)
		way.lead(nil)
		time.Sleep(10 * time.Second)
		way.lead(other.Transport())
		m := w.nodes[0]
		err := m.final(t, 5*time.Minute)
		if !errors.Is(err, ledger.ErrOtherChain) {
			t.Error(err)
		}
		says(t, "run", fmt.Sprint(err), "started anew", "new home", "ojud join")
		says(t, "check", m.findings(t), "chain fatal=true", "new home")
	})
}

// TestNotOnRoster: a node without a stake runs, says that it is never drawn and how to change that,
// and notices the change.
func TestNotOnRoster(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(4, nil)
		m, log := &member{}, &paper{}
		w.equip(m)
		w.must(w.give(m.home.Keys.Authority))
		m.deps.Logger = log.logger()
		w.start(m)
		task := w.dispute(eleptiger(t))
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		time.Sleep(time.Minute)
		if len(c.Seats) != 4 {
			t.Errorf("%d seats", len(c.Seats))
		}
		for what, text := range map[string]string{"log": log.String(), "status": strings.Join(m.Status().Problems, "\n"), "check": m.findings(t)} {
			says(t, what, text, m.home.Keys.Authority.Address().String()+" is not on the roster", "ojud judge register")
		}
		if code, body := m.health(); code != 503 || !strings.Contains(body, "roster") {
			t.Errorf("health is %d: %s", code, body)
		}
		w.must(w.stake(m.home.Keys))
		p2ptest.Eventually(t, 2*time.Minute, "it knows of its stake", func() bool { return len(m.problems()) == 0 })
	})
}

// fickle gives another opinion each time.
type fickle struct {
	judge.Judge
	asked atomic.Int32
}

func (f *fickle) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	if f.asked.Add(1)%2 == 0 {
		return contrary{f.Judge}.Evaluate(ctx, b)
	}
	return f.Judge.Evaluate(ctx, b)
}

// TestRolledBack: the chain goes back, on the same genesis, to a moment before the commits. The
// judges cast the votes again that they signed, and no others, although they would decide otherwise
// now.
func TestRolledBack(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		var cfg devnet.Config
		w := newWorld(t, nil, func(c *devnet.Config, _ *devnet.Deps) { c.Chain.Dir = t.TempDir(); cfg = *c })
		way := &route{}
		way.lead(w.server.Transport())
		var minds []*fickle
		for range 5 {
			w.joinWith(func(m *member) {
				minds = append(minds, &fickle{Judge: slow{code(), 20 * time.Second}})
				m.deps.Judge, m.deps.Transport = minds[len(minds)-1], way
			})
		}
		w.halt(w.nodes[4]) // so that the commits stay open
		task := w.dispute(eleptiger(t))
		w.until(time.Minute, "drawn", task, func(c *program.Case) bool { return c.Status == voting.Committing })
		synctest.Wait()
		kept := t.TempDir()
		w.must(os.CopyFS(kept, os.DirFS(cfg.Chain.Dir)))
		before := w.until(3*time.Minute, "four commits", task, func(c *program.Case) bool { return c.Committed == 4 })
		way.lead(nil)
		time.Sleep(5 * time.Second)

		cfg.Chain.Dir = kept
		old := w.chain(cfg, devnet.Deps{})
		w.client.Close()
		var err error
		w.client, err = ledger.New(chainConfig(), w.p.ID(), ledger.Deps{Transport: old.Transport()})
		w.must(err)
		if c, _, err := w.client.Case(t.Context(), address(task)); err != nil || c.Committed != 0 {
			t.Fatalf("the chain was not set back: %+v, %v", c, err)
		}
		way.lead(old.Transport())
		p2ptest.Eventually(t, 25*time.Second, "the node says so", func() bool {
			return strings.Contains(strings.Join(w.nodes[0].Status().Problems, "\n"), "is behind")
		})
		after := w.until(3*time.Minute, "four commits again", task, func(c *program.Case) bool { return c.Committed == 4 })
		for _, m := range w.nodes[:4] {
			if x, y := seatOf(t, before, m), seatOf(t, after, m); x.Commitment != y.Commitment {
				t.Errorf("%s committed %x, then %x", m.home.Keys.Authority, x.Commitment, y.Commitment)
			}
		}
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		for _, m := range w.nodes[:4] {
			if s := seatOf(t, c, m); s.Result != voting.Majority || s.Flags&program.SeatEquivocated != 0 {
				t.Errorf("%s: %v, flags %d", m.home.Keys.Authority, s.Result, s.Flags)
			}
		}
	})
}

// TestClockOff: a machine whose clock is ten minutes before or behind the chain's votes in time and
// only warns.
func TestClockOff(t *testing.T) {
	for _, off := range []time.Duration{-630 * time.Second, 630 * time.Second} {
		t.Run(off.String(), func(t *testing.T) {
			p2ptest.Run(t, func(t *testing.T) {
				w := newWorld(t, nil, func(_ *devnet.Config, d *devnet.Deps) {
					d.Now = func() time.Time { return time.Now().Add(-off) }
				})
				log := &paper{}
				w.join(4, func(int) judge.Judge { return slow{code(), 20 * time.Second} })
				w.joinWith(func(m *member) { m.deps.Logger, m.deps.Judge = log.logger(), slow{code(), 20 * time.Second} })
				m := w.nodes[4]
				task := w.dispute(eleptiger(t))
				c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
				for _, m := range w.nodes {
					if s := seatOf(t, c, m); s.Result != voting.Majority || s.Choice != voting.Accept {
						t.Errorf("%v, %v", s.Result, s.Choice)
					}
				}
				says(t, "log", log.String(), "clock differs from the chain's", "10m")
				says(t, "check", m.findings(t), "clock fatal=false", "10m", "not at risk")
				if code, body := m.health(); code != 200 {
					t.Errorf("health is %d: %s", code, body)
				}
			})
		})
	}
}
