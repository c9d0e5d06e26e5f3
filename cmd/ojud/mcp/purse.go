package mcp

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ojud/cmd/ojud/cli"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/client"
)

// maxPurse bounds the file of a purse, in bytes.
const maxPurse = 1 << 20

// purse bounds what tools take out of the wallet and the vault of a key, in all. The key of the
// server signs through it alone: a transaction is read, and what it takes is on the disk before it
// is signed. So it does not matter what a tool, a client or an RPC node believes that became of it.
//
// A task is counted by its address, which is made of its creator's number. The program takes each
// number once, so any number of transactions for one address pay one reward: the highest at most. A
// claim has no such number, so each signature of one counts.
type purse struct {
	path  string
	limit client.Lamports
	lock  *durable.Lock

	mu    sync.Mutex
	state account
	now   *act // what a tool does now
}

// account is the file of a purse.
type account struct {
	Spent client.Lamports `json:"spent"`
	// Pending are tasks that were signed for and of which no answer came. They count as spent.
	Pending map[string]client.Lamports `json:"pending,omitempty"`
	// Own are the latest tasks that were signed for, to post or to claim them. Tools answer no
	// others.
	Own []string `json:"own,omitempty"`
}

// maxPending bounds the tasks whose end is not known. If there are more, they are spent for good.
const maxPending = 1000

// act is what a tool does, and what the purse counted for it.
type act struct {
	claims  onchain.Address // the task to claim; zero: it posts, or answers
	answers onchain.Address // the task to answer; zero: it does not
	may     string          // the instruction of the answer
	bond    client.Lamports // the most that the claim or the answer takes

	took    client.Lamports
	refused error
}

// openPurse opens the purse in a folder, or makes one. One process has it at a time.
func openPurse(dir string, limit client.Lamports) (p *purse, err error) {
	if err := durable.MakeDir(dir); err != nil {
		return nil, err
	}
	p = &purse{path: filepath.Join(dir, "mcp.spent"), limit: limit, state: account{Pending: map[string]client.Lamports{}}}
	if p.lock, err = durable.Acquire(p.path + ".lock"); err != nil {
		if errors.Is(err, durable.ErrLocked) {
			return nil, cli.Fail("another server spends from %s", p.path).Next("end that one first, or use another --home")
		}
		return nil, err
	}
	info, err := os.Stat(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	var raw []byte
	if err == nil && info.Size() > maxPurse {
		err = cli.Fail("it has more than %d bytes", maxPurse)
	}
	if err == nil {
		raw, err = os.ReadFile(p.path)
	}
	if err == nil {
		err = json.Unmarshal(raw, &p.state)
	}
	if err != nil {
		err = cli.Fail("%s, which says what tools have spent, cannot be read: %v", p.path, err).Next("if you remove it, tools may spend everything up to --spend again")
		return nil, errors.Join(err, p.lock.Release())
	}
	if p.state.Pending == nil {
		p.state.Pending = map[string]client.Lamports{}
	}
	return p, nil
}

func (p *purse) close() error { return p.lock.Release() }

// total is what counts as spent. A sum beyond all lamports counts as all.
func (a account) total() client.Lamports {
	sum := uint64(a.Spent)
	for _, n := range slices.Sorted(maps.Values(a.Pending)) {
		var carry uint64
		if sum, carry = bits.Add64(sum, uint64(n), 0); carry != 0 {
			return ^client.Lamports(0)
		}
	}
	return client.Lamports(sum)
}

// save writes the state. It changes nothing if that fails.
func (p *purse) save(next account) error {
	raw, err := json.Marshal(next)
	if err == nil && len(raw) > maxPurse {
		err = cli.Fail("too many acts of tools have no known end").Next("repeat them, or remove them from " + p.path)
	}
	if err == nil {
		err = durable.WriteFile(p.path, append(raw, '\n'))
	}
	if err == nil {
		p.state = next
	}
	return err
}

// hold returns the key as a server has it: it signs what the purse counted, and nothing else.
func (p *purse) hold(key *client.Keypair) *client.Keypair {
	return transact.Elsewhere(key.Address(), func(message []byte) (onchain.Signature, error) {
		if err := p.count(message); err != nil {
			return onchain.Signature{}, err
		}
		return key.Sign(message), nil
	})
}

// count counts what a message takes, or refuses it.
func (p *purse) count(message []byte) error {
	asked, err := transact.ReadMessage(message)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return cli.Fail("no tool asked for this transaction any more")
	}
	before, next := p.state.total(), p.state
	next.Pending = maps.Clone(next.Pending)
	if err = next.add(asked, p.now); err == nil && next.total() > p.limit {
		err = cli.Fail("this takes up to %s, and tools may spend only %s more of %s", next.total()-before, p.limit-min(p.limit, before), p.limit).
			Next("the operator may start the server with a higher --spend")
	}
	if err == nil {
		err = p.save(next)
	}
	if err != nil {
		p.now.refused = err
		return err
	}
	p.now.took += next.total() - before
	return nil
}

// add counts a transaction of an act.
func (a *account) add(asked transact.Asked, of *act) error {
	if asked.Fee > uint64(mostFee) {
		return cli.Fail("the fee of a transaction is %s, and tools pay at most %s", client.Lamports(asked.Fee), mostFee).
			Next("set a lower priority fee")
	}
	fee, alone := client.Lamports(asked.Fee), true
	for _, i := range asked.Instructions {
		one, err := program.DecodeInstruction(i.Data)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(one.Accounts(), func(r program.AccountRole) bool { return r.Name == "task" })
		if at < 0 || at >= len(i.Accounts) {
			return cli.Fail("a transaction is for no task")
		}
		task := i.Accounts[at].Address
		switch one := one.(type) {
		case *program.CreateTask:
			if !of.claims.IsZero() || !of.answers.IsZero() || one.RewardMax > mostSpend {
				return cli.Fail("a tool that does not post signs for no new task")
			}
			alone = alone && a.Pending[task.String()] != 0
			a.post(task.String(), client.Lamports(one.RewardMax)+overhead)
			a.owns(task)
		case *program.ClaimTask:
			if task != of.claims {
				return cli.Fail("a tool claims another task than it was asked to")
			}
			a.Spent, alone = a.plus(of.bond+overhead), false
			a.owns(task)
		case *program.StartTask:
			if task != of.claims && (task != of.answers || of.may != (&program.SubmitResult{}).InstructionName()) {
				return cli.Fail("a tool begins another task than it was asked to")
			}
		case *program.SubmitResult, *program.Accept, *program.Object:
			if task != of.answers || one.InstructionName() != of.may {
				return cli.Fail("a tool wants to sign %s of %s, and was not asked to", one.InstructionName(), task)
			}
			if _, bonded := one.(*program.Object); bonded {
				a.Spent, alone = a.plus(of.bond+overhead), false
			}
		default:
			return cli.Fail("a tool wants to sign %s", one.InstructionName())
		}
	}
	if alone { // the overhead of an act has the fee of one transaction
		a.Spent = a.plus(fee)
	}
	return nil
}

// plus is what is spent for good, and more.
func (a *account) plus(more client.Lamports) client.Lamports {
	return account{Spent: a.Spent, Pending: map[string]client.Lamports{"": more}}.total()
}

// owns notes a task that is posted or claimed.
func (a *account) owns(task onchain.Address) {
	if !slices.Contains(a.Own, task.String()) {
		a.Own = append(slices.Clone(a.Own[max(0, len(a.Own)-maxPending+1):]), task.String())
	}
}

// post counts a task.
func (a *account) post(task string, most client.Lamports) {
	if len(a.Pending) >= maxPending && a.Pending[task] == 0 {
		*a = account{Spent: a.total(), Pending: map[string]client.Lamports{}, Own: a.Own}
	}
	a.Pending[task] = max(a.Pending[task], most)
}

// begin lets an act sign.
func (p *purse) begin(of *act) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = of
}

// end lets nothing more sign, and returns what was counted. Task is the one that the act led to, if
// that is known, and back is what the purse counted and the chain shows that it was not taken.
func (p *purse) end(task string, back client.Lamports) (client.Lamports, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.now
	p.now = nil
	back = min(back, of.took)
	next := p.state
	next.Pending = maps.Clone(next.Pending)
	was, pending := next.Pending[task]
	if !pending && back == 0 {
		return of.took, nil
	}
	delete(next.Pending, task)
	next.Spent = next.plus(was) - back
	return of.took - back, p.save(next)
}

// own reports whether tools posted or claimed a task.
func (p *purse) own(task onchain.Address) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.state.Own, task.String())
}

// left is what tools may still spend.
func (p *purse) left() client.Lamports {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit - min(p.limit, p.state.total())
}
