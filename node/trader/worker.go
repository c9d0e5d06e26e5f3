package trader

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/agent/work"
	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
	"ojud/voting"
)

// Worker is an agent that takes tasks and does them.
type Worker struct {
	*engine
	core   *work.Worker
	makers map[string]Maker
}

// NewWorker opens the folder of a worker, and goes on where it ended. Each skill of the policy has
// a maker of its name.
func NewWorker(policy work.WorkerPolicy, makers map[string]Maker, d Needs) (*Worker, error) {
	for _, s := range policy.Skills {
		if makers[s.Name] == nil {
			return nil, fmt.Errorf("trader: nothing makes the results of the skill %q", s.Name)
		}
	}
	m, err := newMarket(d.Client)
	if err != nil {
		return nil, err
	}
	policy.Name = d.Client.Me()
	core := work.NewWorker(policy)
	s, err := openStore(d.Dir, core)
	if err != nil {
		return nil, err
	}
	if core.Jobs == nil {
		core.Jobs = map[string]*work.Job{}
	}
	w := &Worker{engine: newEngine(d, s, m, core), core: core, makers: makers}
	w.engine.pledges = newPledges(m, policy.Mints)
	w.engine.look, w.engine.act = w.see, w.perform
	return w, nil
}

// Close gives the folder back.
func (w *Worker) Close() error { return w.close() }

// Run works until ctx ends or the budget is used up.
func (w *Worker) Run(ctx context.Context) error {
	needed := map[string]bool{}
	for _, j := range w.core.Jobs {
		needed[j.Result], needed[w.answer(j.Task)], needed[answerPrefix+j.Task] = true, true, true
	}
	if err := w.store.prune(func(name string) bool { return needed[name] }); err != nil {
		return err
	}
	return w.run(ctx)
}

// answer returns the hash of the answer that was written to an objection; empty: none.
func (w *Worker) answer(task string) string {
	raw, err := w.store.read(answerPrefix+task, 2*len64)
	if err != nil {
		return ""
	}
	return string(raw)
}

// len64 is the length of a hash in hex.
const len64 = 2 * int64(len(voting.Hash{}))

func (w *Worker) see(ctx context.Context) (work.News, error) {
	m, err := w.market.forWorker(ctx, func(task string) bool { return w.core.Jobs[task] != nil })
	if err == nil {
		err = w.pledges.value(ctx, m.Offers)
	}
	if err == nil {
		err = w.payPledges(ctx)
	}
	return m, err
}

func (w *Worker) perform(ctx context.Context, a work.Act) (work.News, error) {
	switch a := a.(type) {
	case work.Take:
		price := client.Lamports(a.Least).String()
		if j := w.core.Jobs[a.Task]; j != nil && j.Beside.Worth > 0 {
			price += " and " + j.Beside.Text
		}
		return w.on(ctx, a.Task, "claims it for "+price, func(task onchain.Address) (client.TaskDone, error) {
			return w.Client.Claim(ctx, task, client.Lamports(a.Least), true)
		})
	case work.Bring:
		w.rebring(ctx, a.Task, w.core.Jobs[a.Task].Result, w.answer(a.Task))
	case work.Make:
		w.behind(ctx, func() work.News { return w.make(ctx, a) })
	case work.Submit:
		return w.on(ctx, a.Task, "hands in its result", func(task onchain.Address) (client.TaskDone, error) {
			doc, err := w.paper(a.Result)
			if err != nil {
				return client.TaskDone{}, err
			}
			done, err := w.Client.Submit(ctx, task, doc)
			return done, w.bring(ctx, task, err, doc)
		})
	case work.Weigh:
		w.behind(ctx, func() work.News { return w.weigh(ctx, a) })
	case work.Rework:
		return w.on(ctx, a.Task, "takes the objection as fair", func(task onchain.Address) (client.TaskDone, error) {
			return w.Client.Rework(ctx, task)
		})
	case work.Counter:
		return w.on(ctx, a.Task, "brings the dispute before the court", func(task onchain.Address) (client.TaskDone, error) {
			doc, err := w.paper(w.answer(a.Task))
			if err != nil {
				return client.TaskDone{}, err
			}
			done, err := w.Client.CounterObject(ctx, task, doc)
			return done, w.bring(ctx, task, err, doc)
		})
	case work.Release:
		next, err := w.on(ctx, a.Task, "gives the claim back", func(task onchain.Address) (client.TaskDone, error) {
			return w.Client.Release(ctx, task)
		})
		if next == nil && err == nil && ctx.Err() == nil {
			next = work.Released(a)
		}
		return next, err
	}
	return nil, nil
}

func (w *Worker) paper(text string) (library.Document, error) {
	hash, err := hashOf(text)
	if err != nil {
		return library.Document{}, err
	}
	return w.store.document(hash)
}

// make makes a result and checks it.
func (w *Worker) make(ctx context.Context, a work.Make) work.News {
	made := work.Made{Task: a.Task, Attempt: a.Attempt}
	var data []Datum
	v, order, err := w.order(ctx, a.Task)
	if err == nil {
		data, err = w.data(ctx, a.Task, order)
	}
	if made.Unable = err != nil; made.Unable && ctx.Err() == nil {
		made.Fault = err.Error()
		return made
	}
	maker := w.makers[a.Skill]
	if err == nil && maker == nil {
		err = errors.New("no skill fits this task")
	}
	var product Product
	if err == nil {
		until, stop := context.WithTimeout(ctx, time.Duration(max(0, v.Deadline-v.Now))*time.Second)
		product, err = maker.Make(until, Assignment{Task: a.Task, Skill: a.Skill, Order: order, Data: data, Attempt: a.Attempt, Fault: a.Fault})
		stop()
		made.Use = product.Use
	}
	if ctx.Err() != nil {
		return nil // the next start does it again
	}
	var doc library.Document
	if err == nil {
		doc, err = library.ReadResult(product.Result)
	}
	if err == nil {
		err = w.store.keep(doc)
	}
	if err != nil {
		made.Fault = err.Error()
		return made
	}
	made.Result = hex.EncodeToString(doc.Hash[:])
	found, err := checked(ctx, w.prover, Bundle{Task: order, Result: doc.Content, Modules: w.modules(ctx, order)})
	switch {
	case err != nil:
		made.Fault = err.Error()
	case found.Chance < even:
		made.Fault = found.Why
	}
	return made
}

// task reads a task.
func (e *engine) task(ctx context.Context, name string) (client.TaskView, error) {
	task, err := onchain.ParseAddress(name)
	if err != nil {
		return client.TaskView{}, err
	}
	return e.Client.Task(ctx, task)
}

// order returns a task and its document.
func (w *Worker) order(ctx context.Context, name string) (client.TaskView, []byte, error) {
	v, err := w.task(ctx, name)
	if err != nil {
		return v, nil, err
	}
	hash, err := hashOf(v.TaskHash)
	if err != nil {
		return v, nil, err
	}
	raw, err := w.document(ctx, hash)
	return v, raw, err
}

// weigh reads an objection, writes an answer, and estimates what the court would say.
func (w *Worker) weigh(ctx context.Context, a work.Weigh) work.News {
	out := work.Weighed{Task: a.Task}
	fail := func(err error) work.News {
		if ctx.Err() != nil {
			return nil
		}
		out.Unable, out.Why = true, "it could not prepare an answer: "+err.Error()
		return out
	}
	v, order, err := w.order(ctx, a.Task)
	if err != nil {
		return fail(err)
	}
	p := Bundle{Task: order, Modules: w.modules(ctx, order), Data: w.held(ctx, order), Reworks: v.Reworks}
	if p.Result, err = w.named(ctx, v.ResultHash); err != nil {
		return fail(err)
	}
	if p.Objection, err = w.named(ctx, v.ObjectionHash); err != nil {
		// Judges hold a document that is missing against its publisher.
		p.Objection = []byte(`{"reason":"No node has the objection."}`)
	}
	p.Exhibits = w.exhibits(ctx, p)
	found, err := w.Assess.Assess(ctx, p)
	out.Use = found.Use
	if ctx.Err() != nil || err != nil && found.Why == "" {
		return fail(err)
	}
	if err != nil { // what code found is there
		out.Unable, found.Plea, found.Why = true, found.Why, found.Why+"; "+err.Error()
	}
	doc, err := pleading(ctx, w.prover, p, cmp.Or(found.Plea, found.Why), false)
	if err == nil {
		err = w.store.keep(doc)
	}
	if err == nil {
		err = w.store.write(answerPrefix+a.Task, []byte(hex.EncodeToString(doc.Hash[:])))
	}
	if err != nil {
		return fail(err)
	}
	out.Chance, out.Why = found.Chance, found.Why
	return out
}

// maxExhibit bounds an exhibit that a worker fetches, in bytes.
const maxExhibit = 1 << 20

// exhibits gets what the objection names. It waits for the openings of sealed checks, because the
// verdict depends on them, and asks for everything else once.
func (w *Worker) exhibits(ctx context.Context, p Bundle) (out [][]byte) {
	task, err := casefile.ParseTask(p.Task)
	objection, err2 := casefile.ParseObjection(p.Objection)
	if err != nil || err2 != nil {
		return nil // the judge says what that means
	}
	openings := named(task.Value, p)
	for _, e := range objection.Value.Evidence {
		var raw []byte
		switch hash := voting.Hash(e.SHA256); {
		case slices.Contains(openings, hash):
			raw, err = w.document(ctx, hash)
		case e.Bytes <= maxExhibit:
			raw, err = w.market.text(ctx, hash)
		default:
			continue
		}
		if err == nil && len(raw) <= maxExhibit {
			out = append(out, raw)
		}
	}
	return out
}

func (e *engine) named(ctx context.Context, text string) ([]byte, error) {
	hash, err := hashOf(text)
	if err != nil {
		return nil, err
	}
	return e.document(ctx, hash)
}

// modulesOf returns the hashes of the modules that a task names.
func modulesOf(task []byte) (out []voting.Hash) {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return nil
	}
	for _, d := range doc.Value.Modules() {
		out = append(out, voting.Hash(d))
	}
	return out
}

// Takings is what a worker has done.
type Takings struct {
	Earned client.Lamports `json:"earned"`
	Lost   client.Lamports `json:"lost"`
	work.Use
	Jobs []work.Job `json:"jobs"` // over, the latest last
}

// Takings returns what the worker has done. Call it after Run.
func (w *Worker) Takings() Takings {
	c := w.core
	return Takings{client.Lamports(c.Earned), client.Lamports(c.Spent.Lost), c.Spent.Use, c.Past}
}
