package assay

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"ojud/casefile"
	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/node/batches"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/library"
	"ojud/voting"
)

// Run measures the judges of a court that was started with this Bench. dir is the court's. tell
// hears what happens, in words.
func (b *Bench) Run(ctx context.Context, c *cluster.Cluster, dir string, tell func(format string, args ...any)) (r Findings, err error) {
	began := time.Now()
	w, err := b.open(ctx, c, dir, tell)
	defer func() { err = errors.Join(err, w.close()) }()
	if err != nil {
		return Findings{}, err
	}
	r = b.report(c)
	before := c.Chain().Lamports()
	if err := w.admit(ctx); err != nil {
		return r, err
	}
	tell("The court's keyholder admits a proctor. Of %d judges %d read, %d copy the last verdict, and %d reject everything.", b.judges,
		b.judges-b.cfg.Copiers-b.cfg.Rejecters, b.cfg.Copiers, b.cfg.Rejecters)
	for n := range b.cfg.Batches {
		if err := w.earn(ctx, &r); err != nil {
			return r, err
		}
		if err := w.batch(ctx, n, &r); err != nil {
			return r, fmt.Errorf("assay: batch %d: %w", n+1, err)
		}
		if err := r.stand(ctx, w); err != nil {
			return r, err
		}
		tell("Batch %d of %d is applied and closed: %s golden cases so far, %d ordinary ones, after %s.", n+1, b.cfg.Batches, fmt.Sprint(r.Golden), r.Ordinary,
			time.Since(began).Round(time.Second))
	}
	r.Seconds = time.Since(began).Seconds()
	r.LamportsBefore, r.LamportsAfter = client.Lamports(before), client.Lamports(c.Chain().Lamports())
	return r, nil
}

// earn brings ordinary cases before the court until it allows a batch.
func (w *court) earn(ctx context.Context, r *Findings) error {
	for {
		n, err := w.allowed(ctx)
		if err != nil || n >= w.cfg.Leaves {
			return err
		}
		cases := ((w.cfg.Leaves-n)*whole + int(w.cfg.Share) - 1) / int(w.cfg.Share)
		w.tell("The court allows %d leaves, and the batch has %d: %d ordinary cases come first.", n, w.cfg.Leaves, cases)
		if err := w.trades(ctx, cases, r); err != nil {
			return err
		}
	}
}

// trades brings so many ordinary cases before the court, some at once.
func (w *court) trades(ctx context.Context, cases int, r *Findings) error {
	group, in := errgroup.WithContext(ctx)
	group.SetLimit(w.cfg.AtOnce)
	tasks := make([]onchain.Address, cases)
	for i := range cases {
		number := w.ordinary + i
		group.Go(func() (err error) {
			tasks[i], err = w.trade(in, number)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	w.ordinary += cases
	r.Ordinary += cases
	return r.count(ctx, w, tasks)
}

// batch makes a batch, and brings it through the court beside ordinary cases.
func (w *court) batch(ctx context.Context, n int, r *Findings) error {
	dir := filepath.Join(w.dir, "batches", fmt.Sprintf("%04d", n+1))
	made, err := w.make(ctx, n)
	if err != nil {
		return err
	}
	if err := made.Save(dir); err != nil {
		return err
	}
	var tasks []onchain.Address
	for _, leaf := range made.Leaves() {
		w.learn(leaf.Task, leaf.Result, leaf.Answer)
		tasks = append(tasks, onchain.Address(leaf.Address))
	}
	life, err := batches.Load(dir, w.proctor)
	if err != nil {
		return err
	}
	rules, err := law.Read(ctx, client.OfficeOf(w.proctor))
	if err != nil {
		return err
	}
	seats := rules.Now.PanelSeats // all judges are measured
	if _, err := life.Commit(ctx, 0); err != nil {
		return err
	}
	w.tell("The proctor commits to %d answers, and posts its cases among ordinary ones.", w.cfg.Leaves)
	group, in := errgroup.WithContext(ctx)
	watching, stop := context.WithCancel(in)
	defer stop()
	go w.watch(watching, tasks)
	group.Go(func() error {
		_, err := life.Post(in, batches.Posting{Creators: w.creators, Workers: w.workers, Span: span, Most: w.cfg.AtOnce, Poll: poll, Seats: seats})
		return err
	})
	group.Go(func() error {
		return w.trades(in, w.cfg.Leaves*(whole-int(w.cfg.Share))/int(w.cfg.Share), r)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return w.finish(ctx, life, tasks, r)
}

// span is short, because a devnet has nobody to hide from.
const span = 5 * time.Second

// finish opens, applies and closes a batch.
func (w *court) finish(ctx context.Context, life *batches.Life, tasks []onchain.Address, r *Findings) error {
	for {
		_, err := life.Open(ctx, false)
		if err == nil {
			break
		}
		if !errors.Is(err, batches.ErrWaiting) {
			return err
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
	s, err := life.Show(ctx)
	if err != nil {
		return err
	}
	by := time.Duration(max(s.ApplyFrom-s.Now, 0)+1) * time.Second
	w.tell("All leaves are open. Nobody challenges one, so the chain's clock moves on by %s.", by)
	if err := w.cluster.Chain().Server().Warp(by); err != nil {
		return fmt.Errorf("assay: %w", err)
	}
	for {
		_, err := life.Apply(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, batches.ErrWaiting) {
			return err
		}
		if err := pause(ctx, poll); err != nil {
			return err
		}
	}
	r.Golden += len(tasks)
	if err := r.count(ctx, w, tasks); err != nil {
		return err
	}
	_, err = life.Close(ctx)
	return err
}

// make makes the batch with that number, whose creators take turns.
func (w *court) make(ctx context.Context, n int) (*proctor.Batch, error) {
	p := proctor.DefaultPlan()
	p.Leaves, p.Seed = w.cfg.Leaves, seed(w.cfg.Seed, "batch", n)
	p.Rewards = []proctor.Range{{Least: uint64(reward), Most: 2 * uint64(reward), Parts: 1}}
	first := make([]uint64, len(w.creators))
	for i, c := range w.creators {
		a, err := c.Agent(ctx, onchain.Address{})
		if err != nil {
			return nil, err
		}
		first[i] = a.TasksCreated
	}
	program := client.OfficeOf(w.proctor).Program()
	agents := make([]onchain.Address, len(w.creators))
	for i, c := range w.creators {
		var err error
		if agents[i], err = onchain.ParseAddress(c.Me()); err != nil {
			return nil, fmt.Errorf("assay: %w", err)
		}
	}
	p.Place = func(leaf int) proctor.Location {
		turn := leaf % len(agents)
		number := first[turn] + uint64(leaf/len(agents))
		return proctor.Location{Creator: voting.Key(agents[turn]), Number: number, Task: voting.Key(program.Task(agents[turn], number))}
	}
	return proctor.Make(p)
}

// seed is the seed of a dispute or a batch of a measurement.
func seed(text, what string, number int) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "oju:assay:v1/%s/%s/%d", text, what, number))
}

func paper(raw []byte) library.Document {
	return library.Document{Content: raw, Hash: casefile.HashOf(raw)}
}

// read reads an account of the program.
func read[T any](ctx context.Context, o client.Office, address onchain.Address, decode func([]byte) (*T, error)) (*T, error) {
	v, _, err := ledger.Read(ctx, o, address, decode)
	return v, err
}
