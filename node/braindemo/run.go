package braindemo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/casefile"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/dispute"
	"ojud/node/library"
	"ojud/node/megabrain"
)

// What agents have, and how they look. It is play money.
const (
	sol     = client.Lamports(onchain.LamportsPerSOL)
	purse   = 10 * sol
	stake   = sol
	budget  = sol / 2
	looks   = 300 * time.Millisecond
	longest = 20 * time.Minute
)

// The class of the task, and the results.
const (
	kind = `{"about":"Answer the question. year is a number, why is a sentence in English.",` +
		`"least_words":6,"meaning":["/year"],"name":"facts with reasons","prose":["/why"]}`
	question = "When did the bridge open, and why then?"
	first    = `{"why":"The bridge opened in the spring after four years of work by two firms","year":1931}`
	second   = `{"why":"After four years of work two firms opened the bridge in spring","year":1931}`
	copied   = `{"why":"The bridge opened in the spring after four years of labour by two firms","year":1931}`
	lazy     = `{"why":"because","year":1931}`
	mistaken = `{"why":"Nobody remembers well when the old crossing was finished by its owners","year":1935}`
)

// agent is a worker or an evaluator.
type agent struct {
	name, manner string
	role         brain.Role
	honest       bool
	result       string           // of a worker
	scores       func(string) int // of an evaluator: what it says of a result
	bonds        int64

	client *client.Client
	desk   *megabrain.Desk
	lacks  [32]byte // content that it pretends not to find
}

func looking(result string) int {
	return map[string]int{first: 92, second: 88, copied: 90, lazy: 8, mistaken: 15}[result]
}

func agents() []*agent {
	return []*agent{
		{name: "worker 1", manner: "honest", role: brain.WorkerRole, honest: true, result: first},
		{name: "worker 2", manner: "honest", role: brain.WorkerRole, honest: true, result: second},
		{name: "worker 3", manner: "copies worker 1", role: brain.WorkerRole, result: copied},
		{name: "worker 4", manner: "lazy", role: brain.WorkerRole, result: lazy},
		{name: "worker 5", manner: "wrong", role: brain.WorkerRole, result: mistaken},
		{name: "evaluator 1", manner: "honest", role: brain.EvaluatorRole, honest: true, scores: looking},
		{name: "evaluator 2", manner: "honest", role: brain.EvaluatorRole, honest: true, scores: func(r string) int { return looking(r) - 3 }},
		{name: "evaluator 3", manner: "passes everything", role: brain.EvaluatorRole, scores: func(string) int { return 85 }},
	}
}

// shared is a folder that all agents read, in place of a memory node.
type shared struct{ megabrain.Folder }

// Put implements megabrain.Archive.
func (s shared) Put(_ context.Context, content []byte) error {
	_, err := s.Keep(content)
	return err
}

// play is the running task.
type play struct {
	cluster   *cluster.Cluster
	dir       string
	tell      func(format string, args ...any)
	requester *agent
	agents    []*agent
	class, at onchain.Address
	told      brain.Told // what the task at asks
}

// Run plays the task in a court. dir is the court's. tell hears what happens. The error says what
// went wrong, also if cheating paid or a lamport is missing.
func Run(ctx context.Context, c *cluster.Cluster, dir string, tell func(format string, args ...any)) (r Played, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("braindemo: the task was not over in %s", longest))
	defer cancel()
	began, before := time.Now(), c.Chain().Lamports()
	p := &play{cluster: c, dir: dir, tell: tell, requester: &agent{name: "requester"}, agents: agents()}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	for _, step := range []func(context.Context) error{p.open, p.work, p.evaluate, p.post} {
		if err := step(ctx); err != nil {
			return r, err
		}
	}
	if r, err = p.dispute(ctx); err != nil {
		return r, err
	}
	if err := p.report(ctx, &r); err != nil {
		return r, err
	}
	r.Seconds, r.LamportsBefore, r.LamportsAfter = time.Since(began).Seconds(), before, c.Chain().Lamports()
	return r, r.check()
}

// close ends the clients of all, and says if the time was over.
func (p *play) close(ctx context.Context) (err error) {
	for _, a := range append(p.agents, p.requester) {
		if a.client != nil {
			err = errors.Join(err, a.client.Close())
		}
	}
	if ctx.Err() != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	return err
}

// enter gives an agent a key, money and a desk.
func (p *play) enter(ctx context.Context, a *agent) error {
	home := filepath.Join(p.dir, "brain", a.name)
	key, _, err := client.LoadOrCreateKey(filepath.Join(home, "key.json"))
	if err != nil {
		return err
	}
	network, err := client.LoadNetwork(ctx, p.cluster.Chain().RPC(), nil)
	if err != nil {
		return err
	}
	cfg := client.DefaultConfig()
	cfg.Ledger.Calls.Rate = 0 // the chain is in this process
	cfg.Ledger.Send.Status = 200 * time.Millisecond
	cfg.Content.Copies, cfg.Content.Linger, cfg.Content.Patience = min(3, len(p.cluster.Members())), looks, 2*time.Minute
	if a.client, err = client.Open(ctx, network, key, cfg, client.Deps{Transport: p.cluster.Chain().Server().Transport()}); err != nil {
		return err
	}
	if _, err := a.client.Airdrop(ctx, key.Address(), purse); err != nil {
		return err
	}
	node := hidden{shared{megabrain.Folder{Dir: filepath.Join(p.dir, "brain", "shared")}}, &a.lacks}
	a.desk, err = megabrain.Open(megabrain.Means{
		Client: a.client, Program: brain.Devnet().ID(), Folder: megabrain.Folder{Dir: home, Archives: []megabrain.Archive{node}},
		Named: func(string) megabrain.Archive { return node },
		Made:  func(context.Context, onchain.Address, *brain.TaskAccount) (brain.Told, error) { return p.told, nil },
	})
	return err
}

// each lets all agents of a role act at once.
func (p *play) each(ctx context.Context, r brain.Role, do func(context.Context, *agent) error) error {
	group, in := errgroup.WithContext(ctx)
	for _, a := range p.agents {
		if r == 0 || a.role == r {
			group.Go(func() error {
				if err := do(in, a); err != nil {
					return fmt.Errorf("braindemo: %s: %w", a.name, err)
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// found makes a class, and registers all agents.
func (p *play) found(ctx context.Context, document string, terms brain.Parameters) error {
	if err := p.enter(ctx, p.requester); err != nil {
		return err
	}
	made, err := p.requester.desk.CreateClass(ctx, []byte(document), terms, nil)
	if err != nil {
		return err
	}
	if p.class, err = onchain.ParseAddress(made.Class); err != nil {
		return err
	}
	return p.each(ctx, 0, func(ctx context.Context, a *agent) error {
		if err := p.enter(ctx, a); err != nil {
			return err
		}
		_, err := a.desk.Join(ctx, p.class, a.role, stake, nil, false)
		return err
	})
}

// open makes class and task.
func (p *play) open(ctx context.Context) error {
	if err := p.found(ctx, kind, brain.Defaults()); err != nil {
		return err
	}
	p.tell("Five workers and three evaluators stake %s each in a class of MegaBrain.", stake)
	created, err := p.requester.desk.Create(ctx, p.class, brain.CreateTask{
		TaskID: [32]byte{1}, WorkerCount: 5, EvaluatorCount: 3, TotalBudget: uint64(budget), Difficulty: 100, Description: question,
	}, 0)
	if err != nil {
		return err
	}
	p.tell("A requester posts a task of %s: %s", budget, question)
	if p.at, err = onchain.ParseAddress(created.Task); err != nil {
		return err
	}
	return p.until(ctx, brain.Working)
}

// until carries the task on until it is at a stage.
func (p *play) until(ctx context.Context, stages ...brain.Stage) error {
	return p.carry(ctx, func(t *brain.TaskAccount) bool { return slices.Contains(stages, t.Status) })
}

// carry carries the task on until that is so.
func (p *play) carry(ctx context.Context, so func(*brain.TaskAccount) bool) error {
	for ctx.Err() == nil {
		s, err := p.requester.desk.Task(ctx, p.at)
		if err != nil || so(s.Task) {
			return err
		}
		if err := p.crank(ctx); err != nil {
			return err
		}
		rest(ctx)
	}
	return context.Cause(ctx)
}

// crank lets the requester's crank look once.
func (p *play) crank(ctx context.Context) (wrong error) {
	err := p.requester.desk.Run(ctx, megabrain.Crank{Classes: []onchain.Address{p.class}, Once: true, Tell: func(d megabrain.Deed) {
		if d.Error != "" {
			wrong = fmt.Errorf("braindemo: %s", d.Error)
		}
	}})
	return errors.Join(err, wrong)
}

// rest waits a little.
func rest(ctx context.Context) {
	t := time.NewTimer(looks)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// work lets the workers commit, the copying one last, and reveal.
func (p *play) work(ctx context.Context) error {
	commit := func(ctx context.Context, a *agent) error {
		_, err := a.desk.Commit(ctx, p.at, []byte(a.result), "a year, and why", nil)
		return err
	}
	err := p.each(ctx, brain.WorkerRole, func(ctx context.Context, a *agent) error {
		if a.result == copied {
			return nil
		}
		return commit(ctx, a)
	})
	if err != nil {
		return err
	}
	p.tell("Four workers commit to their results. Worker 1 shows its result to worker 3, which changes a word.")
	s, err := p.requester.desk.Task(ctx, p.at)
	if err != nil {
		return err
	}
	for then := s; then.Now <= s.Now; { // a copy is later, in seconds of the chain
		rest(ctx)
		if then, err = p.requester.desk.Task(ctx, p.at); err != nil {
			return err
		}
	}
	if err := commit(ctx, p.agents[2]); err != nil {
		return err
	}
	err = p.each(ctx, brain.WorkerRole, func(ctx context.Context, a *agent) error {
		_, err := a.desk.Reveal(ctx, p.at)
		return err
	})
	if err != nil {
		return err
	}
	p.tell("All results are revealed, and evaluators are drawn.")
	return p.until(ctx, brain.Evaluating)
}

// evaluate lets the evaluators score and reveal.
func (p *play) evaluate(ctx context.Context) error {
	err := p.each(ctx, brain.EvaluatorRole, func(ctx context.Context, a *agent) error {
		var scores []megabrain.Score
		for _, w := range p.agents {
			if w.role == brain.WorkerRole {
				scores = append(scores, megabrain.Score{Worker: w.client.Me(), Score: a.scores(w.result), Confidence: 90})
			}
		}
		_, err := a.desk.Evaluate(ctx, p.at, scores, []byte(`{"by":"`+a.name+`"}`), "")
		return err
	})
	if err != nil {
		return err
	}
	p.tell("Two evaluators look at the results; the third gives each of them 85 points.")
	return p.each(ctx, brain.EvaluatorRole, func(ctx context.Context, a *agent) error {
		_, err := a.desk.Reveal(ctx, p.at)
		return err
	})
}

// post lets the third evaluator post an outcome without copy, lack of effort and stamp.
func (p *play) post(ctx context.Context) error {
	liar := p.agents[7]
	found, err := liar.desk.Find(ctx, p.at, false)
	if err != nil {
		return err
	}
	lie := finding.Assessment{Facts: append([]finding.Fact(nil), found.Finding.Facts...), Stamped: make([]bool, len(found.Finding.Stamped))}
	right := 0
	for i, f := range lie.Facts {
		if f.Cluster == i+1 && right == 0 && found.Workers[i] != p.agents[4].client.Me() {
			right = i + 1
		}
	}
	for i := range lie.Facts {
		if found.Workers[i] != p.agents[4].client.Me() && i+1 >= right {
			lie.Facts[i] = finding.Fact{Complete: 10_000, Cluster: right}
		} else if found.Workers[i] != p.agents[4].client.Me() {
			lie.Facts[i] = finding.Fact{Complete: 10_000}
		}
	}
	if err := found.Instead(lie); err != nil {
		return err
	}
	if _, err := liar.desk.Post(ctx, found); err != nil {
		return err
	}
	p.tell("The third evaluator posts an outcome: nobody copied, nobody was lazy, and nobody stamps.")
	return nil
}

// dispute lets the first evaluator bring the outcome that code finds to the court.
func (p *play) dispute(ctx context.Context) (r Played, err error) {
	honest, liar := p.agents[5], p.agents[7]
	found, err := honest.desk.Find(ctx, p.at, false)
	if err != nil {
		return r, err
	}
	brought, err := honest.desk.Dispute(ctx, found, "worker 3 copied, worker 4 did nothing, evaluator 3 stamps")
	if err != nil {
		return r, err
	}
	p.tell("Evaluator 1 finds another outcome, and brings it to the court with %s at stake: %s", brought.Stake, brought.Dispute)
	r.Dispute, r.Task = brought.Dispute, p.at.String()
	at, err := onchain.ParseAddress(brought.Dispute)
	if err != nil {
		return r, err
	}
	answer := []byte(`{"reason":"The outcome that I posted is right."}`)
	if _, err := dispute.Join(ctx, liar.client, at, library.Document{Content: answer, Hash: casefile.HashOf(answer)}); err != nil {
		return r, err
	}
	p.tell("Evaluator 3 answers, and judges are drawn.")
	if err := p.until(ctx, brain.Settled, brain.Inconclusive); err != nil {
		return r, err
	}
	v, err := dispute.Show(ctx, honest.client, at)
	if err != nil {
		return r, err
	}
	r.Verdict = v.Verdict
	terms := brain.Defaults()
	bond := int64(terms.OutcomeBond(uint64(budget)))
	if r.Verdict == "accept" {
		honest.bonds, liar.bonds = bond, -bond
	}
	p.tell("The court says %s, and the task is settled by its outcome.", r.Verdict)
	return r, nil
}
