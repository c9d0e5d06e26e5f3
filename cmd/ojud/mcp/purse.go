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
	"ojud/node/client"
)

// maxPurse bounds the file of a purse, in bytes.
const maxPurse = 1 << 20

// purse bounds what tools take out of the wallet and the vault of a key, in all. What it counted is
// on the disk before money moves, so a restart or a crash gives nothing back.
type purse struct {
	path  string
	limit client.Lamports
	lock  *durable.Lock

	mu    sync.Mutex
	state account
}

// account is the file of a purse.
type account struct {
	Spent client.Lamports `json:"spent"`
	// Pending are acts whose end is not known, by what they do. They count as spent.
	Pending map[string]client.Lamports `json:"pending,omitempty"`
	// Made are the latest acts that ended, and their tasks. Doing one again takes nothing.
	Made []made `json:"made,omitempty"`
}

type made struct {
	Act  string `json:"act"`
	Task string `json:"task"`
}

// maxMade is how many acts are known by their tasks. Repeating an older one counts again.
const maxMade = 1000

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

// begin counts an act before it is done. The same act, begun before without a known end, counts
// once.
func (p *purse) begin(act string, most client.Lamports) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.state
	next.Pending = maps.Clone(next.Pending)
	next.Pending[act] = max(next.Pending[act], most)
	if total := next.total(); total > p.limit {
		left := p.limit - min(p.limit, p.state.total())
		return cli.Fail("this takes up to %s, and tools may spend only %s more of %s", most, left, p.limit).Next("the operator may start the server with a higher --spend")
	}
	return p.save(next)
}

// end counts what an act took, and returns it. It is called only if that is known. An act that did
// nothing now, because it led to the same task before, was counted then. Task is empty for acts
// that may be done again on one task.
func (p *purse) end(act, task string, landed bool, took client.Lamports) (client.Lamports, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.state
	next.Pending = maps.Clone(next.Pending)
	delete(next.Pending, act)
	this := made{act, task}
	switch known := slices.Contains(next.Made, this); {
	case task != "" && known && !landed:
		took = 0
	case task != "" && !known:
		next.Made = append(slices.Clone(next.Made), this)
		next.Made = next.Made[max(0, len(next.Made)-maxMade):]
	}
	next.Spent = account{Spent: next.Spent, Pending: map[string]client.Lamports{act: took}}.total()
	return took, p.save(next)
}

// left is what tools may still spend.
func (p *purse) left() client.Lamports {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limit - min(p.limit, p.state.total())
}
