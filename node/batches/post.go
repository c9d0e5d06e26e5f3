package batches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/library"
)

// Posting says how the cases of a batch are posted.
type Posting struct {
	// Creators are the clients of all agents that the batch names. Workers are clients of other
	// agents, which take the tasks in turns.
	Creators, Workers []*client.Client
	// Span is the time in which all tasks are posted; 0: as much as the batch has.
	Span time.Duration
	// Most is how many cases may be under way at once, so that creators and workers need not hold
	// the money of all; 0: no limit.
	Most int
	// Together claims a task in the transaction that makes it. No stranger can claim it then, but
	// everybody sees that creator and worker know each other. Without it the worker comes after a
	// while, as others do.
	Together bool
	// Seats is the size of the first panels; 0: as tasks of others have it. Whole panels measure
	// more judges, and show whose cases they are.
	Seats uint8
	// Once does what is due now, and no more.
	Once bool
	// Poll is the time between two looks at the chain; 0: a second.
	Poll time.Duration
	// Tell hears what was done with a leaf, from 1 on, or why it failed; it may be nil.
	Tell func(leaf int, what string, err error)
}

const (
	atOnce   = 8 // leaves
	maxTries = 5 // of one step, before the leaf is left as it is
	maxPause = 30 * time.Second
)

// post is a run of Post.
type post struct {
	*Life
	Posting
	creators, workers map[onchain.Address]*client.Client
	order             []onchain.Address // of the workers
	others            habits

	mu        sync.Mutex
	tries     map[int]int
	published map[int]bool // the documents so far were published in this run
	faults    map[int]error
}

// Post posts the cases of a committed batch: it creates the tasks, claims them, hands in result,
// objection and counter-objection, each in its time, and publishes the documents. It returns when
// all cases are before the court. If it was interrupted, doing it again goes on. The error names
// the leaves that failed.
func (l *Life) Post(ctx context.Context, how Posting) (Progress, error) {
	p, err := l.staff(how)
	if err != nil {
		return Progress{}, err
	}
	if p.others, err = p.observe(ctx); err != nil {
		return Progress{}, err
	}
	for {
		r, err := l.read(ctx)
		if err != nil {
			return Progress{}, err
		}
		if r.batch == nil {
			return Progress{}, fmt.Errorf("%w: the batch is not committed, or it is over; run first: ojud court proctor commit %s", errNotNow, l.dir)
		}
		now, next := p.due(r)
		if err := p.run(ctx, now); err != nil {
			return Progress{}, err
		}
		if how.Once || len(now) == 0 && next == 0 {
			break
		}
		if len(now) == 0 {
			if err := p.pause(ctx, next-r.law.Time); err != nil {
				return Progress{}, err
			}
		}
	}
	s, err := l.Show(ctx)
	return s, errors.Join(err, p.fault())
}

// staff checks that all agents are there.
func (l *Life) staff(how Posting) (*post, error) {
	p := &post{Life: l, Posting: how, creators: map[onchain.Address]*client.Client{}, workers: map[onchain.Address]*client.Client{}, tries: map[int]int{},
		published: map[int]bool{}, faults: map[int]error{}}
	for _, one := range []struct {
		all []*client.Client
		to  map[onchain.Address]*client.Client
	}{{how.Creators, p.creators}, {how.Workers, p.workers}} {
		for _, c := range one.all {
			address, err := onchain.ParseAddress(c.Me())
			if err != nil {
				return nil, fmt.Errorf("batches: %w", err)
			}
			one.to[address] = c
		}
	}
	for _, creator := range l.creators() {
		if p.creators[creator] == nil {
			return nil, fmt.Errorf("%w: nobody has the key of the creator %s; name its file with --creator-key", errNotNow, creator)
		}
	}
	for address := range p.workers {
		if p.creators[address] != nil {
			return nil, fmt.Errorf("%w: %s is creator and worker, and nobody may work for itself; name another key with --worker-key", errNotNow, address)
		}
		p.order = append(p.order, address)
	}
	if len(p.order) == 0 {
		return nil, fmt.Errorf("%w: there is no worker; name the key file of an agent with --worker-key", errNotNow)
	}
	slices.SortFunc(p.order, func(a, b onchain.Address) int { return slices.Compare(a[:], b[:]) })
	if p.Poll == 0 {
		p.Poll = time.Second
	}
	return p, nil
}

// job is a step of a leaf that is due.
type job struct {
	i    int
	leaf proctor.Leaf
	task *program.Task
	step step
	pick uint64 // whose terms its task has
	r    *reading
}

// due returns the steps that are due now, and when the next one will be; 0: never.
func (p *post) due(r *reading) (now []job, next int64) {
	rules, span := r.law.Now.Params, int64(p.Span/time.Second)
	if most := window(rules); span == 0 || span > most {
		span = most
	}
	plan := pace(p.made.Chance(), len(p.leaves), span)
	under := p.under(r)
	for i, leaf := range p.leaves {
		if p.tries[i] >= maxTries {
			continue
		}
		plan[i] = p.others.pace(plan[i], span)
		at, wait := r.batch.CommittedAt+plan[i].post, false
		task := r.tasks[i]
		s := r.step(i, leaf, func(who onchain.Address) bool { return p.workers[who] != nil })
		switch s {
		case unposted:
			a := r.agents[onchain.Address(leaf.Creator)]
			wait = a == nil || a.TasksCreated != leaf.Number || p.Most > 0 && under >= p.Most // an earlier one comes first
			if r.law.Time+longest(rules) >= r.batch.OpenBy {
				continue // its case would end too late
			}
		case posted:
			at = task.CreatedAt + plan[i].claim
			if task.ClaimBy != 0 {
				at = task.CreatedAt + within(plan[i].claim, task.ClaimBy-task.CreatedAt)
			}
		case claimed:
			at = task.ClaimedAt + within(plan[i].submit, int64(task.WorkSeconds))
		case submitted:
			at = task.SubmittedAt + within(plan[i].object, int64(rules.VerifySeconds))
		case judging:
			if p.published[i] {
				continue
			}
			at = 0
		case objected:
			at = task.Deadline - int64(rules.AnswerSeconds) + within(plan[i].answer, int64(rules.AnswerSeconds))
		default:
			continue
		}
		if s != unposted { // a step that is late is done at once
			at = min(at, r.batch.CommittedAt+window(rules))
		}
		if wait || at > r.law.Time {
			if next == 0 || at < next {
				next = max(at, 1)
			}
			continue
		}
		if s == unposted {
			under++
		}
		now = append(now, job{i, leaf, task, s, plan[i].pick, r})
	}
	return now, next
}

// under counts the cases that are under way.
func (p *post) under(r *reading) (n int) {
	for i, leaf := range p.leaves {
		if s := r.step(i, leaf, nil); s > unposted && s < decided {
			n++
		}
	}
	return n
}

// pause waits until something is due, by the chain's clock, but looks again now and then.
func (p *post) pause(ctx context.Context, seconds int64) error {
	return pause(ctx, min(max(time.Duration(seconds)*time.Second, p.Poll), max(maxPause, p.Poll)))
}

// run does some steps at once. The error is that of ctx; those of steps are kept.
func (p *post) run(ctx context.Context, all []job) error {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, j := range all {
		group.Go(func() error {
			what, err := p.do(ctx, j)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.note(j.i, err)
			if p.Tell != nil {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.Tell(j.i+1, what, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func (p *post) note(i int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.faults[i] = err; err == nil {
		delete(p.tries, i)
		return
	}
	p.tries[i]++
	if errors.Is(err, library.ErrNotPublished) {
		p.published[i] = false
	}
}

// fault names the leaves whose last step failed.
func (p *post) fault() error {
	var all []error
	for i := range p.leaves {
		if err := p.faults[i]; err != nil {
			all = append(all, fmt.Errorf("leaf %d: %w", i+1, err))
		}
	}
	return errors.Join(all...)
}

// worker is who takes a leaf: who has claimed it, or the one whose turn it is.
func (p *post) worker(j job) *client.Client {
	if j.task != nil && p.workers[j.task.Worker] != nil {
		return p.workers[j.task.Worker]
	}
	return p.workers[p.order[j.i%len(p.order)]]
}

// do does the step that follows, and publishes the documents that the chain names then.
func (p *post) do(ctx context.Context, j job) (what string, err error) {
	creator, worker := p.creators[onchain.Address(j.leaf.Creator)], p.worker(j)
	task, docs := onchain.Address(j.leaf.Address), papers(j.leaf, 4)
	switch j.step {
	case unposted:
		return "posted", p.create(ctx, j, creator, worker)
	case posted:
		if err = p.again(ctx, j, creator, docs[:1]...); err == nil {
			_, err = worker.Claim(ctx, task, 0, false)
		}
		return "claimed", err
	case claimed:
		if err = p.again(ctx, j, creator, docs[:1]...); err == nil {
			_, err = worker.Submit(ctx, task, docs[1])
		}
		return "submitted", err
	case submitted:
		if err = p.again(ctx, j, worker, docs[:2]...); err == nil {
			_, err = creator.Object(ctx, task, docs[2])
		}
		return "objected", err
	case objected:
		if err = p.again(ctx, j, creator, docs[:3]...); err == nil {
			_, err = worker.CounterObject(ctx, task, docs[3])
		}
		return "before the court", err
	}
	return "published again", p.publish(ctx, j, worker, docs...)
}

// again publishes what an earlier run may not have published, once.
func (p *post) again(ctx context.Context, j job, c *client.Client, docs ...library.Document) error {
	p.mu.Lock()
	done := p.published[j.i]
	p.mu.Unlock()
	if done {
		return nil
	}
	return p.publish(ctx, j, c, docs...)
}

func (p *post) publish(ctx context.Context, j job, c *client.Client, docs ...library.Document) error {
	if _, err := c.Publish(ctx, onchain.Address(j.leaf.Address), docs...); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.published[j.i] = true
	return nil
}

// create posts the task at its address, and nowhere else. The program refuses it if the creator has
// posted something else in the meantime.
func (p *post) create(ctx context.Context, j job, creator, worker *client.Client) error {
	leaf, me, rules := j.leaf, onchain.Address(j.leaf.Creator), j.r.law.Now
	task := onchain.Address(leaf.Address)
	if a := j.r.agents[me]; a.Vault < leaf.Reward {
		return fmt.Errorf("%w: the vault of %s holds %s and the reward is %s; run: ojud agent deposit %s, with its key", errNotNow, me,
			client.Lamports(a.Vault), client.Lamports(leaf.Reward), client.Lamports(leaf.Reward-a.Vault).Argument())
	}
	office := client.OfficeOf(creator)
	terms := p.others.offer(leaf, j.pick, rules.Params)
	terms.Seats = cmp.Or(p.Seats, terms.Seats)
	create, err := office.NewTask(leaf.Number, rules, leaf.Task, terms, j.r.law.Time)
	if err != nil {
		return err
	}
	order := client.Order{
		Name: fmt.Sprintf("create the task of leaf %d, %s", j.i+1, task), Instructions: []onchain.Instruction{create},
		Done: func(ctx context.Context) (bool, error) {
			t, _, err := ledger.Read(ctx, p.office, task, program.DecodeTask)
			if errors.Is(err, ledger.ErrNotFound) {
				return false, nil
			}
			return err == nil && t.Seal == leaf.Hash(), err
		},
	}
	if p.Together {
		key, err := onchain.ParseAddress(worker.Me())
		if err != nil {
			return fmt.Errorf("batches: %w", err)
		}
		order.Instructions = append(order.Instructions, p.program.ClaimTask(key, task, rules.Number, program.ClaimTask{MinReward: leaf.Reward}), p.program.StartTask(key, task))
		order.With = []*client.Client{worker}
	}
	if _, err := office.Send(ctx, order); err != nil {
		return err
	}
	return p.publish(ctx, j, creator, papers(leaf, 1)...)
}

// papers are the first n documents of a leaf: task, result, objection, counter-objection.
func papers(l proctor.Leaf, n int) []library.Document {
	d := l.Documents
	return []library.Document{
		{Content: d.Task, Hash: l.Task}, {Content: d.Result, Hash: l.Result}, {Content: d.Objection, Hash: l.Objection}, {Content: d.Counter, Hash: l.Counter},
	}[:n]
}
