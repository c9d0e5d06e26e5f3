package assay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"ojud/golden/generator"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/node/library"
	"ojud/node/rulebook"
)

// What agents and proctor have: enough for some hundred cases, and it is play money.
const (
	sol     = client.Lamports(onchain.LamportsPerSOL)
	purse   = 2_000 * sol
	vault   = 1_500 * sol
	pairs   = 2 // of creators and workers, for golden cases and for ordinary ones
	looks   = 100 * time.Millisecond
	poll    = 200 * time.Millisecond
	copies  = 3
	lingers = 300 * time.Millisecond

	patience = 5 * time.Minute // until a first node has taken a document; a slow machine needs it
)

// court is a devnet with the people that a measurement needs.
type court struct {
	*Bench
	cluster           *cluster.Cluster
	network           node.Descriptor
	dir               string
	keeper, proctor   *client.Client
	creators, workers []*client.Client  // of golden cases
	buyers, sellers   []*client.Client  // of ordinary ones
	posting           [pairs]sync.Mutex // of buyers: numbers of tasks follow each other
	ordinary          int               // cases so far
	tell              func(format string, args ...any)
}

// open opens the clients of all people. close closes them, also after an error.
func (b *Bench) open(ctx context.Context, c *cluster.Cluster, dir string, tell func(string, ...any)) (*court, error) {
	w := &court{Bench: b, cluster: c, dir: dir, tell: tell}
	var err error
	if w.network, err = client.LoadNetwork(ctx, c.Chain().RPC(), nil); err != nil {
		return w, err
	}
	if w.keeper, err = w.person(ctx, "deployer"); err != nil {
		return w, err
	}
	if w.proctor, err = w.person(ctx, "proctor"); err != nil {
		return w, err
	}
	for i := range pairs {
		for name, to := range map[string]*[]*client.Client{"creator": &w.creators, "worker": &w.workers, "buyer": &w.buyers, "seller": &w.sellers} {
			one, err := w.person(ctx, fmt.Sprintf("%s-%d", name, i+1))
			if err != nil {
				return w, err
			}
			*to = append(*to, one)
			if _, err := one.Register(ctx, client.Profile{}, vault); err != nil {
				return w, fmt.Errorf("assay: the %s: %w", name, err)
			}
		}
	}
	return w, nil
}

// person opens the client of a person of the devnet, and fills its wallet.
func (w *court) person(ctx context.Context, name string) (*client.Client, error) {
	key, _, err := client.LoadOrCreateKey(filepath.Join(w.dir, "keys", name+".json"))
	if err != nil {
		return nil, err
	}
	cfg := client.DefaultConfig()
	cfg.Ledger.Calls.Rate = 0 // the chain is in this process
	cfg.Ledger.Send.Status = poll
	cfg.Content.Copies, cfg.Content.Linger, cfg.Content.Patience = copies, lingers, patience
	c, err := client.Open(ctx, w.network, key, cfg, client.Deps{Transport: w.cluster.Chain().Server().Transport()})
	if err != nil {
		return nil, err
	}
	if has, err := c.Balance(ctx, key.Address()); err != nil || has >= purse/2 {
		return c, err
	}
	_, err = c.Airdrop(ctx, key.Address(), purse)
	return c, err
}

func (w *court) close() error {
	var all []error
	for _, group := range [][]*client.Client{{w.keeper, w.proctor}, w.creators, w.workers, w.buyers, w.sellers} {
		for _, c := range group {
			if c != nil {
				all = append(all, c.Close())
			}
		}
	}
	return errors.Join(all...)
}

// admit makes the proctor one.
func (w *court) admit(ctx context.Context) error {
	who, err := onchain.ParseAddress(w.proctor.Me())
	if err != nil {
		return fmt.Errorf("assay: %w", err)
	}
	p, err := rulebook.AdmitProctor(ctx, w.keeper, who)
	if err == nil {
		_, err = p.Send(ctx, w.keeper)
	}
	return err
}

// allowed returns how many leaves may be committed now.
func (w *court) allowed(ctx context.Context) (int, error) {
	office := client.OfficeOf(w.proctor)
	pot, err := read(ctx, office, office.Program().Pot(), program.DecodePot)
	if err != nil {
		return 0, err
	}
	return int(pot.Leaves()), nil
}

// trade brings an ordinary dispute before the court, and waits for its end.
func (w *court) trade(ctx context.Context, number int) (onchain.Address, error) {
	d, err := w.ordinaryDispute(number)
	if err != nil {
		return onchain.Address{}, err
	}
	docs := make([]library.Document, 4)
	for i, raw := range [][]byte{d.Task, d.Result, d.Objection, d.Counter} {
		docs[i] = paper(raw)
	}
	w.learn(docs[0].Hash, docs[1].Hash, d.Answer)
	creator, worker := w.buyers[number%pairs], w.sellers[number/pairs%pairs]
	terms := client.Offer{RewardMin: reward, RewardMax: reward, WorkSeconds: 3600, OnUndecided: "split"}
	w.posting[number%pairs].Lock()
	done, err := creator.CreateTask(ctx, docs[0], terms, true)
	w.posting[number%pairs].Unlock()
	if err != nil {
		return onchain.Address{}, err
	}
	task, err := onchain.ParseAddress(done.Task.Task)
	if err != nil {
		return task, fmt.Errorf("assay: %w", err)
	}
	for _, step := range []func() (client.TaskDone, error){
		func() (client.TaskDone, error) { return worker.Claim(ctx, task, reward, true) },
		func() (client.TaskDone, error) { return worker.Submit(ctx, task, docs[1]) },
		func() (client.TaskDone, error) { return creator.Object(ctx, task, docs[2]) },
		func() (client.TaskDone, error) { return worker.CounterObject(ctx, task, docs[3]) },
	} {
		if _, err := step(); err != nil {
			return task, err
		}
	}
	return task, w.await(ctx, task)
}

const reward = sol / 20

// ordinaryDispute makes a dispute of which nobody has committed to the answer.
func (w *court) ordinaryDispute(number int) (generator.Dispute, error) {
	kinds := generator.Kinds()
	g, err := generator.Of(kinds[number%len(kinds)])
	if err != nil {
		return generator.Dispute{}, err
	}
	return g.Make(seed(w.cfg.Seed, "ordinary", number))
}

// await waits until a case is over, and tells the verdict to those who copy.
func (w *court) await(ctx context.Context, task onchain.Address) error {
	office := client.OfficeOf(w.proctor)
	for {
		k, err := read(ctx, office, office.Program().Case(task), program.DecodeCase)
		if err != nil {
			return err
		}
		if k.Status.Over() {
			w.decided(k.Verdict)
			return nil
		}
		if err := pause(ctx, looks); err != nil {
			return err
		}
	}
}

// watch tells verdicts of golden cases to those who copy, until ctx ends.
func (w *court) watch(ctx context.Context, tasks []onchain.Address) {
	office, over := client.OfficeOf(w.proctor), map[onchain.Address]bool{}
	for pause(ctx, poll) == nil {
		for _, task := range tasks {
			if over[task] {
				continue
			}
			k, err := read(ctx, office, office.Program().Case(task), program.DecodeCase)
			if err == nil && k.Status.Over() {
				over[task] = true
				w.decided(k.Verdict)
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
