package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/cluster/hearing"
)

// play is one dispute, from the task to the verified case file.
type play struct {
	*Cluster
	creator, worker *party
	papers          papers
	record          *hearing.Notes
	task            onchain.Address
	began           time.Time
	before          uint64 // lamports on the chain
	spent           Spent  // before the dispute
	others          others // of StoryEngine and StoryAppeal
}

// Play has a creator post a task, a worker submit a good result, and both fight over it in court.
// Then it exports the case file to Config.Dir and verifies it. If the error is not nil, the report
// covers only the steps that were done. The error is ErrVerify if the case file does not verify, or
// that of a party's transaction, of a failed part of the cluster, or ctx's.
func (c *Cluster) Play(ctx context.Context) (r Summary, err error) {
	if len(c.running()) == 0 {
		return Summary{}, errors.New("cluster: a court without nodes cannot decide a dispute; set nodes to at least 1")
	}
	ctx, release := c.bind(ctx)
	defer release()
	c.teller.plays()
	p := &play{Cluster: c, record: hearing.New(), began: time.Now(), before: c.chain.Lamports()}
	if p.spent, err = c.spent(); err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	for _, act := range []func(context.Context) error{p.cast, p.committee, p.dispute, p.silence, p.corrupt, p.appeal, p.await, p.reversed, p.payOut} {
		if err := act(ctx); err != nil {
			return p.report(ctx), c.because(ctx, err)
		}
	}
	r = p.report(ctx)
	if r.Models, err = p.took(); err != nil {
		return r, err
	}
	if err = p.file(ctx, &r); err != nil {
		err = c.because(ctx, err)
	}
	r.Seconds = time.Since(p.began).Seconds()
	r.LamportsAfter = c.chain.Lamports()
	return r, err
}

// cast opens the parties.
func (p *play) cast(ctx context.Context) (err error) {
	if p.papers, err = p.cfg.loadPapers(); err != nil {
		return err
	}
	if p.creator, err = p.party(ctx, "creator"); err != nil {
		return err
	}
	if p.worker, err = p.party(ctx, "worker"); err != nil {
		return err
	}
	vault := partyVault
	if p.cfg.Story == StoryEngine || p.cfg.Story == StoryAppeal {
		vault *= 2 // two tasks, or two levels
	}
	if err := p.creator.register(ctx, vault); err != nil {
		return err
	}
	return p.worker.register(ctx, vault)
}

// dispute brings the task up to the counter-objection, which opens the case, unless an engine has
// its time before.
func (p *play) dispute(ctx context.Context) error {
	engine := client.Engine{Decider: p.others.engine, Seconds: p.silent()}
	if p.cfg.Story != StoryEngine {
		engine = client.Engine{}
	}
	if err := p.post(ctx, engine); err != nil {
		return err
	}
	return p.fight(ctx, engine.Decider)
}

// post lets the creator ask for the work.
func (p *play) post(ctx context.Context, engine client.Engine) error {
	terms := client.Offer{RewardMin: reward, RewardMax: reward, WorkSeconds: workSeconds, OnUndecided: "split", Engine: engine}
	if p.cfg.Story == StoryAppeal {
		terms.Seats = smallPanel
	}
	p.teller.hear(p.record.Hear)
	p.say("The creator asks for this work: %s", p.papers.words.task)
	done, err := p.creator.CreateTask(ctx, p.papers.task, terms, true)
	if err != nil {
		return fmt.Errorf("cluster: the creator: %w", err)
	}
	p.published(p.creator, "task", done)
	if p.task, err = onchain.ParseAddress(done.Task.Task); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	p.record.About(p.task)
	return nil
}

// fight brings the task from the claim to the counter-objection.
func (p *play) fight(ctx context.Context, trusted client.Decider) error {
	for _, step := range []struct {
		who   *party
		what  string
		words string
		do    func() (client.TaskDone, error)
	}{
		{p.worker, "claim", "", func() (client.TaskDone, error) {
			return p.worker.Claim(ctx, p.task, reward, true, client.Trust{Decider: trusted})
		}},
		{p.worker, "result", "", func() (client.TaskDone, error) { return p.deliver(ctx) }},
		{p.creator, "objection", "The creator objects: " + p.papers.words.objection, func() (client.TaskDone, error) { return p.creator.Object(ctx, p.task, p.papers.objection) }},
		{p.worker, "counter-objection", "The worker answers: " + p.papers.words.counter, func() (client.TaskDone, error) { return p.worker.CounterObject(ctx, p.task, p.papers.counter) }},
	} {
		if step.words != "" {
			p.say("%s", step.words)
		}
		done, err := step.do()
		if err != nil {
			return fmt.Errorf("cluster: the %s: %w", step.who.name, err)
		}
		p.published(step.who, step.what, done)
	}
	return nil
}

// published tells about the documents that nodes took.
func (p *play) published(who *party, what string, done client.TaskDone) {
	for _, d := range done.Published {
		p.teller.line(Line{Event: EventNote, Show: ShowLess,
			Text: fmt.Sprintf("The %s gives the %s (%d bytes, sha256 %.8s…) to %s.", who.name, what, d.Bytes, d.Hash, nodes(d.Accepted))})
	}
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}

// evidenceWait bounds the wait for the evidence after a verdict. It comes with the votes, or never.
const evidenceWait = 30 * time.Second

// await waits until the court has decided, and for the evidence against judges that equivocate.
func (p *play) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.longest(), fmt.Errorf("%w: the court did not decide in %s", errPatience, p.longest()))
	defer cancel()
	if p.cfg.Warp != WarpNever {
		go p.warp(ctx)
	}
	if p.cfg.Story != StoryAppeal {
		go p.waive(ctx)
	}
	select {
	case <-p.record.Over():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	limit := min(p.cfg.Patience, evidenceWait)
	err := p.pollFor(ctx, limit, 100*time.Millisecond, func() (bool, error) { return p.record.Convicted() >= p.cfg.Equivocating, nil })
	if errors.Is(err, errPatience) {
		p.say("Not every judge that equivocated was caught within %s.", limit)
		return nil
	}
	return err
}

// longest returns how long a case can take in real time.
func (p *play) longest() time.Duration {
	r := p.cfg.Params
	rounds := time.Duration(r.MaxRounds) * time.Duration(r.DrawSeconds+r.CommitSeconds+r.RevealSeconds) * time.Second
	if r.AppealSeconds > 0 {
		rounds = 2*rounds + time.Duration(r.AppealSeconds)*time.Second
	}
	return rounds + p.cfg.Patience
}

// close closes the parties' connections.
func (p *play) close() error {
	var errs []error
	for _, one := range append([]*party{p.creator, p.worker}, p.others.members...) {
		if one != nil && one.Client != nil {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}
