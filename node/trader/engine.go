package trader

import (
	"context"
	"errors"
	"sync"
	"time"

	"ojud/agent/work"
	"ojud/casefile/proof"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/voting"
)

// Line is what a trader tells its owner.
type Line struct {
	Task string `json:"task,omitempty"`
	Text string `json:"text"` // a sentence without its subject, such as "claims it"
}

// Needs are what a trader needs.
type Needs struct {
	Client *client.Client
	// Key is the agent's, with which a worker asks for private data; nil: it does not.
	Key *client.Keypair
	// Dir is the folder of the trader.
	Dir string
	// Assess estimates verdicts.
	Assess Assessor
	// Prover runs check programs; nil: the trader compiles one of its own.
	Prover *proof.Prover
	// Tell hears what the trader does, one line at a time. It may be nil.
	Tell func(Line)
	// Poll is how often the chain is looked at.
	Poll time.Duration
}

// machine is a Worker or a Creator of package work.
type machine interface{ Step(work.News) []work.Act }

// engine runs a machine: it looks, stores, acts, and hears from the background.
type engine struct {
	Needs
	store   *store
	prover  *proof.Prover
	own     proof.Prover // if Needs has none
	market  *market
	pledges *pledges
	machine machine
	look    func(ctx context.Context) (work.News, error)
	act     func(ctx context.Context, a work.Act) (work.News, error)

	back    chan work.News
	brought map[voting.Hash]bool // documents that nodes took, or that are being brought to them
	turn    chan struct{}        // of documents that are brought in the background
	wait    sync.WaitGroup
	telling sync.Mutex        // of told: what runs in the background tells, too
	told    map[string]string // the last line of each task
	stopped string            // why the agent ended by itself
}

func newEngine(d Needs, s *store, m *market, core machine) *engine {
	e := &engine{Needs: d, store: s, market: m, machine: core, told: map[string]string{}, brought: map[voting.Hash]bool{}, turn: make(chan struct{}, fetches)}
	if e.prover = d.Prover; e.prover == nil {
		e.prover = &e.own
	}
	return e
}

// close gives the folder back.
func (e *engine) close() error {
	return errors.Join(e.own.Close(context.Background()), e.store.close())
}

// maxTold bounds the tasks whose last line is remembered.
const maxTold = 1024

func (e *engine) tell(task, text string) { e.tellOf(task, task, text) }

// tellOf tells a line unless it is the last one about that subject.
func (e *engine) tellOf(subject, task, text string) {
	e.telling.Lock()
	defer e.telling.Unlock()
	if e.told[subject] == text {
		return
	}
	if len(e.told) >= maxTold {
		clear(e.told)
	}
	e.told[subject] = text
	if e.Tell != nil {
		e.Tell(Line{task, text})
	}
}

// run works until ctx ends or the agent stops.
func (e *engine) run(ctx context.Context) error {
	life, stop := context.WithCancel(ctx)
	defer e.wait.Wait()
	defer stop()
	e.back = make(chan work.News)
	if err := e.step(life, work.Restarted{}); err != nil {
		return err
	}
	tick := time.NewTicker(e.Poll)
	defer tick.Stop()
	for {
		seen, err := e.look(life)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			e.tell("", "cannot look at the court and tries again: "+err.Error())
		default:
			if err := e.step(life, seen); err != nil || e.stopped != "" {
				return err
			}
		}
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return nil
			case n := <-e.back:
				if err := e.step(life, n); err != nil {
					return err
				}
			case <-tick.C:
				waiting = false
			}
		}
	}
}

// step gives news to the machine, stores it, and does what it wants.
func (e *engine) step(ctx context.Context, n work.News) error {
	for todo := []work.News{n}; len(todo) > 0; todo = todo[1:] {
		acts := e.machine.Step(todo[0])
		if len(acts) == 0 && comesAgain(todo[0]) {
			continue
		}
		if err := e.store.save(e.machine); err != nil {
			return err
		}
		for _, a := range acts {
			next, err := e.do(ctx, a)
			if err != nil || ctx.Err() != nil {
				return err
			}
			if next != nil {
				todo = append(todo, next)
			}
		}
	}
	return nil
}

// comesAgain reports whether news comes again by itself: a look at the chain does. What models have
// used is told once.
func comesAgain(n work.News) bool {
	switch n.(type) {
	case work.Market, work.Books:
		return true
	}
	return false
}

// do does one act. The error is that of the disk; others become news.
func (e *engine) do(ctx context.Context, a work.Act) (work.News, error) {
	switch a := a.(type) {
	case work.Tell:
		e.tell(a.Task, a.Text)
		return nil, nil
	case work.Stop:
		e.stopped = a.Why
		e.tell("", "stops: "+a.Why)
		return nil, nil
	case work.Waive:
		return e.on(ctx, a.Task, "accepts the verdict, so that it is final", func(task onchain.Address) (client.TaskDone, error) {
			return client.Waive(ctx, e.Client, task)
		})
	case work.Expire:
		return e.on(ctx, a.Task, a.Why, func(task onchain.Address) (client.TaskDone, error) {
			return e.Client.Expire(ctx, task)
		})
	}
	return e.act(ctx, a)
}

// on does an act on a task and tells it.
func (e *engine) on(ctx context.Context, name, what string, do func(onchain.Address) (client.TaskDone, error)) (work.News, error) {
	task, err := onchain.ParseAddress(name)
	if err != nil {
		return work.Failed{Task: name, Why: err.Error()}, nil
	}
	done, err := do(task)
	switch {
	case ctx.Err() != nil:
		return nil, nil // the next start looks at the chain
	case errors.Is(err, program.ErrWrongStatus):
		return work.Failed{Task: name, Why: "came too late for what it wanted (" + what + "): somebody else's step came first"}, nil
	case err != nil:
		return work.Failed{Task: name, Why: "could not do what it wanted (" + what + "): " + err.Error()}, nil
	case done.Result != "already_done":
		e.tell(name, what)
	}
	return nil, nil
}

// bringTries is how often documents that no node took are brought again. Each try takes as long as
// the settings of the client say.
const bringTries = 20

// bring brings documents to nodes in the background if no node took them at first. The transaction
// has landed then. It returns other errors.
func (e *engine) bring(ctx context.Context, task onchain.Address, err error, docs ...library.Document) error {
	if err == nil || errors.Is(err, library.ErrNotPublished) {
		for _, d := range docs {
			e.brought[d.Hash] = true
		}
	}
	if !errors.Is(err, library.ErrNotPublished) {
		return err
	}
	e.tell(task.String(), "has not found a node that takes its document, and goes on trying; a side loses a dispute in which its document is missing")
	e.behind(ctx, func() work.News {
		for range bringTries {
			if _, err := e.Client.Publish(ctx, task, docs...); err == nil || ctx.Err() != nil {
				return nil
			}
		}
		return work.Failed{Task: task.String(), Why: "has found no node that takes its document, and stops trying; the next start tries again"}
	})
	return nil
}

// paidAtOnce bounds the pledges that one look pays.
const paidAtOnce = 8

// payPledges pays the tokens beside rewards of the agent, if there are some to pay.
func (e *engine) payPledges(ctx context.Context) error {
	for range paidAtOnce {
		task, text, err := e.pledges.pay(ctx, e.market.over)
		if err != nil || text == "" {
			return err
		}
		e.tell(task, text)
	}
	return nil
}

// behind runs work in the background. What it returns is news; nil is none.
func (e *engine) behind(ctx context.Context, do func() work.News) {
	e.wait.Go(func() {
		n := do()
		if n == nil {
			return
		}
		select {
		case e.back <- n:
		case <-ctx.Done():
		}
	})
}

const (
	fetchTries = 10 // until a document counts as missing
	fetchPause = 3 * time.Second
)

// document returns a document of a task: its own, or that of another party from nodes.
func (e *engine) document(ctx context.Context, hash voting.Hash) ([]byte, error) {
	if own, err := e.store.document(hash); err == nil {
		return own.Content, nil
	}
	var last error
	for try := range fetchTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(fetchPause):
			}
		}
		raw, err := e.market.text(ctx, hash)
		if err == nil || ctx.Err() != nil {
			return raw, err
		}
		last = err
	}
	return nil, last
}

// modules gets the modules that a task names.
func (e *engine) modules(ctx context.Context, task []byte) (out [][]byte) {
	for _, hash := range modulesOf(task) {
		if raw, err := e.Client.Fetch(ctx, hash); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// rebring brings documents of a task to nodes, unless this process did. It does so in the
// background, because nodes that cannot be reached must not keep the agent from its deadlines.
func (e *engine) rebring(ctx context.Context, task string, hashes ...string) {
	address, err := onchain.ParseAddress(task)
	if err != nil {
		return
	}
	var docs []library.Document
	for _, text := range hashes {
		hash, err := hashOf(text)
		if err != nil || e.brought[hash] {
			continue
		}
		if d, err := e.store.document(hash); err == nil {
			docs, e.brought[hash] = append(docs, d), true
		}
	}
	if len(docs) == 0 {
		return
	}
	e.behind(ctx, func() work.News {
		e.turn <- struct{}{}
		defer func() { <-e.turn }()
		if v, err := e.Client.Task(ctx, address); err == nil && v.FinishedAt != 0 {
			return nil // nodes take no documents of a task that is over
		}
		if _, err := e.Client.Publish(ctx, address, docs...); err != nil && ctx.Err() == nil {
			return work.Failed{Task: task, Why: "could not bring its documents to nodes again: " + err.Error()}
		}
		return nil
	})
}
