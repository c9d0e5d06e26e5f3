package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/golden/proctor"
	"ojud/ledger"
	"ojud/ledger/journal/durable"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// errNotNow means that batch and court do not allow the action now.
var errNotNow = errors.New("batches: not possible")

// Life is a batch on its way through a court. Its methods send with the client's key.
type Life struct {
	dir     string
	made    *proctor.Batch
	leaves  []proctor.Leaf
	root    voting.Hash // of the leaves
	office  client.Office
	program program.Program
	me      string
	court   string // names the chain and the program
}

// kept is the content of chain.json: which batch of which chain the directory is.
type kept struct {
	Network string `json:"network"`
	Program string `json:"program"`
	Number  uint64 `json:"number,string"`
}

const (
	keptName = "chain.json"
	maxKept  = 1 << 10 // bytes
)

// Load reads a batch from its directory, and makes it again from its secret. c is the client of its
// proctor; one without a key can only look.
func Load(dir string, c *client.Client) (*Life, error) {
	made, err := proctor.Load(dir)
	if err != nil {
		return nil, err
	}
	office := client.OfficeOf(c)
	l := &Life{dir: dir, made: made, leaves: made.Leaves(), root: made.Root(), office: office, program: office.Program(), me: c.Me(), court: c.Network().Network}
	for i, leaf := range l.leaves {
		if l.program.Task(onchain.Address(leaf.Creator), leaf.Number) != onchain.Address(leaf.Address) {
			return nil, fmt.Errorf("%w: leaf %d is for another court, whose program is not %s; make a batch for this one, or name that one with --network", errNotNow, i+1, l.program.ID())
		}
	}
	return l, nil
}

// number returns the number of the batch on the chain. It is false if the batch was not committed.
func (l *Life) number() (uint64, bool, error) {
	f, err := os.Open(filepath.Join(l.dir, keptName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err = errors.Join(err, f.Close()); err != nil {
		return 0, false, err
	}
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return 0, false, fmt.Errorf("batches: %s: %w; if the batch was never committed, remove the file", f.Name(), err)
	}
	if k.Network != l.court || k.Program != l.program.ID().String() {
		return 0, false, fmt.Errorf("%w: the batch was committed to the program %s on the chain %.16s…, and this court is another one; name that one with --network", errNotNow, k.Program, k.Network)
	}
	return k.Number, true, nil
}

// keep writes the number of the batch before it is sent.
func (l *Life) keep(number uint64) error {
	raw, err := json.Marshal(kept{Network: l.court, Program: l.program.ID().String(), Number: number})
	if err != nil {
		return fmt.Errorf("batches: %w", err)
	}
	return durable.WriteFile(filepath.Join(l.dir, keptName), append(raw, '\n'))
}

// reading is what the chain shows of a batch, of its tasks and of its court.
type reading struct {
	law    *law.Rules
	pot    *program.Pot
	number uint64         // of the batch, if kept
	kept   bool           // the batch was committed, or it was tried
	batch  *program.Batch // nil: it is not there yet, or it is closed
	tasks  []*program.Task
	cases  []*program.Case
	agents map[onchain.Address]*program.Agent // the creators that are registered
}

// read reads everything. Its parts may be of different slots; the program checks them again.
func (l *Life) read(ctx context.Context) (*reading, error) {
	rules, err := law.Read(ctx, l.office)
	if err != nil {
		return nil, err
	}
	r := &reading{law: rules, agents: map[onchain.Address]*program.Agent{}, tasks: make([]*program.Task, len(l.leaves)), cases: make([]*program.Case, len(l.leaves))}
	if r.number, r.kept, err = l.number(); err != nil {
		return nil, err
	}
	wanted := []want{at(l.program.Pot(), program.DecodePot, &r.pot)}
	if r.kept {
		wanted = append(wanted, at(l.program.Batch(r.number), program.DecodeBatch, &r.batch))
	}
	for i, leaf := range l.leaves {
		task := onchain.Address(leaf.Address)
		wanted = append(wanted, at(task, program.DecodeTask, &r.tasks[i]), at(l.program.Case(task), program.DecodeCase, &r.cases[i]))
	}
	agents := make([]*program.Agent, len(l.creators()))
	for i, creator := range l.creators() {
		wanted = append(wanted, at(l.program.Agent(creator), program.DecodeAgent, &agents[i]))
	}
	if err := fill(ctx, l.office, wanted); err != nil {
		return nil, err
	}
	for i, creator := range l.creators() {
		if agents[i] != nil {
			r.agents[creator] = agents[i]
		}
	}
	if r.batch != nil && r.batch.Root != l.root {
		r.batch = nil // somebody else's, which took the number
		r.kept = false
	}
	if r.pot == nil {
		return nil, fmt.Errorf("%w: this court has no Pot", ledger.ErrForeign)
	}
	return r, nil
}

// want is an account to be read, and what to do with its bytes.
type want struct {
	address onchain.Address
	take    func(data []byte) error
}

func at[T any](address onchain.Address, decode func([]byte) (*T, error), to **T) want {
	return want{address, func(data []byte) (err error) {
		*to, err = decode(data)
		return err
	}}
}

// readAtOnce is how many accounts one call of an RPC node returns.
const readAtOnce = 100

// fill reads accounts. Those that do not exist, or are somebody else's, are left as they are.
func fill(ctx context.Context, office client.Office, all []want) error {
	for len(all) > 0 {
		some := all[:min(len(all), readAtOnce)]
		all = all[len(some):]
		addresses := make([]onchain.Address, len(some))
		for i, w := range some {
			addresses[i] = w.address
		}
		accounts, _, err := office.Accounts(ctx, addresses...)
		if err != nil {
			return err
		}
		for i, a := range accounts {
			if a == nil || a.Owner != office.Program().ID() {
				continue
			}
			if err := some[i].take(a.Data); err != nil {
				return fmt.Errorf("%w: %s: %w", ledger.ErrForeign, a.Address, err)
			}
		}
	}
	return nil
}

// creators lists the agents that post the tasks, each once.
func (l *Life) creators() (all []onchain.Address) {
	known := map[voting.Key]bool{}
	for _, leaf := range l.leaves {
		if !known[leaf.Creator] {
			known[leaf.Creator] = true
			all = append(all, onchain.Address(leaf.Creator))
		}
	}
	return all
}

// longest is how many seconds a case of the court may take: all rounds of the first panel, the time
// to appeal, and all rounds of the appeal.
func longest(p program.Params) int64 { return int64(p.LongestCase()) }
