package marketdemo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/agent/judge"
	"ojud/agent/model"
	"ojud/agent/work"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/trader"
)

// What agents have, and how they look. It is play money.
const (
	sol      = client.Lamports(onchain.LamportsPerSOL)
	purse    = 20 * sol // in the wallet at first
	vault    = 5 * sol
	reward   = "0.1sol"
	looks    = 300 * time.Millisecond
	copies   = 3
	lingers  = 300 * time.Millisecond
	gives    = 2 * time.Minute // until a first node has taken a document
	patience = 20              // seconds that a task is on the market
	answers  = 40              // seconds to answer an objection
	longest  = 10 * time.Minute
)

// Rules returns the settings of a devnet in which the market ends within a minute on a fast
// machine.
func Rules(c cluster.Config) cluster.Config {
	c.Params.AnswerSeconds = answers
	return c
}

// person is an agent of the market.
type person struct {
	name, kind string
	creator    bool
	skills     []string // of a worker; the kind of work of a creator
	makes      makes
	assess     trader.Assessor // nil: honest
	unchecked  bool
	orders     int
	atOnce     int // of the orders
	client     *client.Client
	run        func(context.Context) error
	cheats     bool
}

func people() []*person {
	return []*person{
		{name: "creator 1", kind: "honest", creator: true, skills: []string{sorting}, orders: 4, atOnce: 4},
		{name: "creator 2", kind: "honest", creator: true, skills: []string{adding}, orders: 4, atOnce: 4},
		{name: "creator 3", kind: "objects to everything", creator: true, skills: []string{coding}, orders: 3, atOnce: 2, cheats: true,
			assess: claims{Chance: 2, Why: "it is not what I wanted"}},
		{name: "worker 1", kind: "honest", skills: []string{sorting, coding}, makes: does},
		{name: "worker 2", kind: "honest", skills: []string{adding, coding}, makes: does},
		{name: "worker 3", kind: "honest", skills: []string{coding, sorting, adding}, makes: does},
		{name: "worker 4", kind: "lazy", skills: []string{sorting}, makes: idles, unchecked: true, cheats: true},
		{name: "worker 5", kind: "lies", skills: []string{adding}, makes: lies, unchecked: true, cheats: true,
			assess: claims{Chance: 98, Why: "the total is as it should be"}},
	}
}

// words are what stands in the instruction of a task of a skill.
var words = map[string][]string{sorting: {"sort the words"}, adding: {"add up"}, coding: {"function above", "JavaScript"}}

// Site is where the agents of a market trade.
type Site struct {
	Network   node.Descriptor
	Transport http.RoundTripper // to the chain; nil: HTTP
	Dir       string            // the agents have folders in it
	Judges    int               // nodes that can take documents
	Patience  int64             // seconds that a task is on the market; 0: those of the demo
}

// market is a running market.
type market struct {
	Site
	tools  *trader.Tools
	people []*person
	tell   func(format string, args ...any)
}

// Run lets the agents trade in a court until all tasks are over. dir is the court's. tell hears
// what happens. The error says what went wrong, also if cheating paid or a lamport is missing; the
// report is complete then.
func Run(ctx context.Context, c *cluster.Cluster, dir string, tell func(format string, args ...any)) (r Trades, err error) {
	began, before := time.Now(), c.Chain().Lamports()
	network, err := client.LoadNetwork(ctx, c.Chain().RPC(), nil)
	if err != nil {
		return r, err
	}
	r, err = Host(ctx, Site{Network: network, Transport: c.Chain().Server().Transport(), Dir: dir, Judges: len(c.Members())}, tell)
	if len(r.Agents) == 0 {
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	r.LamportsBefore, r.LamportsAfter = before, c.Chain().Lamports()
	return r, errors.Join(err, r.conserved())
}

// Host lets the agents trade at a site until all tasks are over. If its process dies, the next one
// goes on in the same folder. It waits for a chain that does not answer. The error is as of Run,
// but it does not know the lamports of all accounts.
func Host(ctx context.Context, s Site, tell func(format string, args ...any)) (r Trades, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("marketdemo: the market was not over in %s", longest))
	defer cancel()
	began := time.Now()
	m := &market{Site: s, people: people(), tell: tell}
	if m.Patience == 0 {
		m.Patience = patience
	}
	if m.tools, err = trader.OpenTools(judge.DefaultConfig(), model.DefaultConfig(), s.Dir, nil); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if err = m.register(ctx); err == nil {
		err = m.trade(ctx)
	}
	if err == nil {
		r, err = m.report(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return r, context.Cause(ctx)
	case err != nil:
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	return r, r.check()
}

func (m *market) close() error {
	errs := []error{m.tools.Close()}
	for _, p := range m.people {
		if p.client != nil {
			errs = append(errs, p.client.Close())
		}
	}
	return errors.Join(errs...)
}

// register makes all agents with a vault.
func (m *market) register(ctx context.Context) error {
	group, in := errgroup.WithContext(ctx)
	for _, p := range m.people {
		group.Go(func() error {
			if err := m.enter(in, p); err != nil {
				return fmt.Errorf("marketdemo: %s: %w", p.name, err)
			}
			return m.prepare(p)
		})
	}
	return group.Wait()
}

// enter connects an agent, and registers it with a vault. It tries again until the chain has it.
func (m *market) enter(ctx context.Context, p *person) error {
	key, _, err := client.LoadOrCreateKey(filepath.Join(m.folder(p), "key.json"))
	if err != nil {
		return err
	}
	for {
		err := m.connect(ctx, p, key)
		if err == nil {
			_, err = p.client.Agent(ctx, key.Address())
		}
		if errors.Is(err, client.ErrNoAgent) {
			if _, err = p.client.Airdrop(ctx, key.Address(), purse); err == nil {
				_, err = p.client.Register(ctx, client.Profile{}, vault)
			}
		}
		if err == nil {
			return nil
		}
		m.tell("%s cannot start and tries again: %v", p.name, err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// folder is the folder of an agent.
func (m *market) folder(p *person) string {
	return filepath.Join(m.Dir, "agents", p.name[:len(p.name)-2]+"-"+p.name[len(p.name)-1:])
}

// connect opens the client of an agent, once.
func (m *market) connect(ctx context.Context, p *person, key *client.Keypair) (err error) {
	if p.client != nil {
		return nil
	}
	cfg := client.DefaultConfig()
	cfg.Ledger.Calls.Rate = 0 // the chain is on this machine
	cfg.Ledger.Send.Status = 200 * time.Millisecond
	cfg.Content.Copies, cfg.Content.Linger, cfg.Content.Patience = min(copies, m.Judges), lingers, gives
	p.client, err = client.Open(ctx, m.Network, key, cfg, client.Deps{Transport: m.Transport})
	return err
}

// prepare makes what an agent runs.
func (m *market) prepare(p *person) error {
	d := trader.Needs{Client: p.client, Dir: m.folder(p), Assess: p.assess, Prover: m.tools.Prover(), Poll: looks, Tell: func(l trader.Line) {
		subject := ""
		if l.Task != "" {
			subject = fmt.Sprintf(", task %.4s:", l.Task)
		}
		m.tell("%s%s %s", p.name, subject, l.Text)
	}}
	if p.assess == nil {
		d.Assess = m.tools
	}
	if p.creator {
		return m.hire(p, d)
	}
	policy, makers := work.WorkerPolicy{AtOnce: 1, LeastSeconds: 30, Undecided: []string{"split", "pay"}, MostLost: 1, Unchecked: p.unchecked, Reworks: 0}, map[string]trader.Maker{}
	for _, s := range p.skills {
		policy.Skills = append(policy.Skills, work.Skill{Name: s, Words: words[s], Attempts: 1})
		makers[s] = p.makes
	}
	w, err := trader.NewWorker(policy, makers, d)
	if err != nil {
		return err
	}
	p.run = func(ctx context.Context) error { return errors.Join(w.Run(ctx), w.Close()) }
	return nil
}

// hire prepares a creator and its queue.
func (m *market) hire(p *person, d trader.Needs) error {
	lines, err := orders(p.skills[0], p.orders, reward)
	if err != nil {
		return err
	}
	queue := filepath.Join(d.Dir, "orders.jsonl")
	if err := os.WriteFile(queue, lines, 0o600); err != nil {
		return fmt.Errorf("marketdemo: %w", err)
	}
	m.tell("%s orders %s of this kind: %s", p.name, picture.Count(p.orders, "task", "tasks"), wanted(p.skills[0]))
	terms := client.DefaultOffer(0)
	terms.WorkSeconds, terms.ClaimWithin = 60, 3600
	policy := work.CreatorPolicy{AtOnce: p.atOnce, Patience: m.Patience, Ends: true, Budget: work.Budget{Loss: uint64(vault)}}
	c, err := trader.NewCreator(policy, queue, terms, d)
	if err != nil {
		return err
	}
	p.run = func(ctx context.Context) error { return errors.Join(c.Run(ctx), c.Close()) }
	return nil
}

// trade runs all agents until the creators have ended.
func (m *market) trade(ctx context.Context) error {
	workers, in := errgroup.WithContext(ctx)
	working, leave := context.WithCancel(in)
	defer leave()
	creators, posting := errgroup.WithContext(in)
	for _, p := range m.people {
		if p.creator {
			creators.Go(func() error { return p.run(posting) })
		}
	}
	// The cheats come first, so that each has something to cheat with.
	for _, late := range []bool{false, true} {
		for _, p := range m.people {
			if !p.creator && p.cheats != late {
				workers.Go(func() error { return p.run(working) })
			}
		}
		if !late {
			if err := m.claimed(ctx); err != nil {
				leave()
				return errors.Join(err, workers.Wait(), creators.Wait())
			}
		}
	}
	err := creators.Wait()
	leave()
	return errors.Join(err, workers.Wait())
}

// claimed waits until each worker that cheats has claimed a task.
func (m *market) claimed(ctx context.Context) error {
	for _, p := range m.people {
		for p.cheats && !p.creator {
			a, err := p.client.Agent(ctx, onchain.Address{})
			if err == nil && a.TasksClaimed > 0 {
				break
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(looks):
			}
		}
	}
	return nil
}
