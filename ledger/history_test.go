package ledger

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/voting"
)

// TestHistory: all that happened to a task and its case is listed in the order of the chain, once,
// without events of others, and is read once.
func TestHistory(t *testing.T) {
	node := newFakeNode()
	node.indices = true
	task := node.dispute(1, voting.Decided)
	address, other := node.program.Case(task), onchain.Address{5}
	cfg := testConfig()
	cfg.Watch.Page, cfg.Watch.MaxHistory = 3, 20
	events := []program.Event{
		&program.TaskMoved{Task: task, To: program.Created},
		&program.TaskMoved{Task: task, From: program.Disputed, To: program.Judiciary},
		&program.CaseOpened{Task: task, Round: 1},
		&program.Drawn{Task: task, Round: 1},
		&program.Committed{Task: task, Round: 1},
		&program.Revealed{Task: task, Round: 1, Choice: voting.Accept},
		&program.RoundSettled{Task: task, Round: 1},
		&program.Paid{Task: task, Kind: voting.PayReward, Amount: 1},
		&program.Closed{Account: address},
		&program.Closed{Account: task},
	}
	both := []onchain.Address{task, address}
	names := [][]onchain.Address{{task}, both, both, both, {address}, {address}, both, both, {address}, {task}}
	for n, e := range events {
		node.naming = names[n]
		node.happen(n+1, 0, text(e), text(&program.Paid{Task: other, Kind: voting.PayReward}))
		if n%4 == 3 {
			node.tick(1)
		}
	}
	node.happen(50, 0, text(&program.Paid{Task: other, Kind: voting.PayReward})) // names the task, says nothing of it
	node.tick(1)
	c := node.open(t, cfg)
	for range 2 {
		all, err := c.History(t.Context(), task)
		if err != nil || len(all) != len(events) {
			t.Fatalf("%d, %v", len(all), err)
		}
		for n, o := range all {
			if len(o.Events) != 1 || o.Events[0].EventName() != events[n].EventName() || o.Signature[2] != byte(n+1) || o.Time != node.timeOf(o.Slot) || !o.Complete {
				t.Errorf("%d: %+v", n, o)
			}
		}
	}
	if n := node.count("getTransaction"); n != len(events)+1 {
		t.Errorf("%d transactions were read", n)
	}
	for n := range 20 {
		node.happen(100+n, 0)
	}
	node.tick(1)
	if _, err := c.History(t.Context(), task); !errors.Is(err, errTooLong) {
		t.Error(err)
	}
}

// TestSealed: the sealed opening is found in the commit or relay_commit instruction of that judge,
// round and commitment, and nowhere else.
func TestSealed(t *testing.T) {
	node := newFakeNode()
	p, judge := node.program, keypair(3)
	task, payload := onchain.Address{8}, make([]byte, 93)
	land := func(k *Keypair, i ...onchain.Instruction) {
		node.mu.Lock()
		defer node.mu.Unlock()
		u, err := transact.Compile(k.Address(), node.hash(), transact.Budget{Units: 9}, i)
		if err != nil {
			t.Fatal(err)
		}
		raw, _, err := u.Sign(map[onchain.Address]*Keypair{k.Address(): k})
		if err != nil {
			t.Fatal(err)
		}
		node.fundLocked(k.Address(), 1_000_000)
		node.land(raw)
	}
	commit := func(k *Keypair, task onchain.Address, round, b byte) {
		payload[0] = b
		land(k, p.Commit(k.Address(), task, program.Commit{Round: round, Commitment: voting.Hash{b}, Sealed: slices.Clone(payload)}))
	}
	carry := func(task onchain.Address, round, b byte) {
		d, seed := voting.Domain{Network: voting.Hash{7}, Program: voting.Key(p.ID())}, ed25519.NewKeyFromSeed(make([]byte, 32))
		n := voting.Relay{Commit: voting.Commit{Task: voting.Key(task), Round: round, Judge: voting.Key(judge.Address())}, Sealed: bytes.Repeat([]byte{b}, 93)}
		n.Commitment = voting.Hash{b}
		n.Request = voting.Signature(ed25519.Sign(seed, d.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed)))
		list, err := p.RelayCommit(d.Network, voting.Key(seed.Public().(ed25519.PublicKey)), n)
		if err != nil {
			t.Fatal(err)
		}
		land(keypair(4), list...)
	}
	commit(judge, task, 1, 1)
	commit(keypair(4), task, 1, 2)
	commit(judge, task, 2, 3)
	commit(judge, onchain.Address{9}, 1, 4)
	carry(task, 3, 5)
	carry(onchain.Address{9}, 3, 6)
	node.tick(1)
	c := node.open(t, testConfig())
	if got, err := c.Sealed(t.Context(), task, judge.Address(), 2, voting.Hash{3}); err != nil || len(got) != 93 || got[0] != 3 {
		t.Error(got, err)
	}
	if got, err := c.Sealed(t.Context(), task, judge.Address(), 3, voting.Hash{5}); err != nil || len(got) != 93 || got[0] != 5 {
		t.Error(got, err)
	}
	for _, w := range []struct{ round, b byte }{{1, 3}, {2, 1}, {1, 2}, {1, 4}, {3, 6}, {2, 5}} {
		if _, err := c.Sealed(t.Context(), task, judge.Address(), w.round, voting.Hash{w.b}); !errors.Is(err, ErrNotFound) {
			t.Errorf("round %d, commitment %d: %v", w.round, w.b, err)
		}
	}
}

func (f *fakeNode) fundLocked(address onchain.Address, lamports uint64) {
	f.accounts[address] = &Account{Address: address, Lamports: lamports}
}

// TestMerge: the merged list holds each transaction once, in the order of both lists.
func TestMerge(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		var all, a, b []listed
		for n := range 30 {
			l := listed{slot: uint64(n) / uint64(1+r.IntN(6)), signature: onchain.Signature{byte(n)}, index: -1}
			if seed%2 == 0 {
				l.index = int64(n)
			}
			if n > 0 {
				l.slot = max(l.slot, all[n-1].slot)
			}
			all = append(all, l)
			in := r.IntN(3)
			if in != 0 {
				a = append(a, l)
			}
			if in != 1 {
				b = append(b, l)
			}
		}
		got := merge(a, b)
		if len(got) != len(all) {
			t.Fatalf("seed %d: %d of %d", seed, len(got), len(all))
		}
		for _, list := range [][]listed{a, b} {
			at := -1
			for _, l := range list {
				i := slices.Index(got, l)
				if i <= at {
					t.Fatalf("seed %d: %v comes at %d, after %d", seed, l.signature[0], i, at)
				}
				at = i
			}
		}
		if seed%2 == 0 && !slices.Equal(got, all) {
			t.Fatalf("seed %d: not in the order of the indices", seed)
		}
		if !slices.IsSortedFunc(got, func(x, y listed) int { return int(x.slot) - int(y.slot) }) {
			t.Fatalf("seed %d: slots go back", seed)
		}
	}
}

// TestPast: memory for transactions is bounded, and a transaction that moved to another slot is
// read again.
func TestPast(t *testing.T) {
	p := newTxCache(3_000)
	for n := range 100 {
		p.put(&transaction{slot: uint64(n), signature: onchain.Signature{byte(n)}, raw: make([]byte, 500), logs: []string{"x"}})
		p.put(&transaction{slot: uint64(n), signature: onchain.Signature{byte(n)}, raw: make([]byte, 400), logs: []string{"x"}})
	}
	if len(p.known) != len(p.order) || p.size > 3_000 || len(p.known) != 4 {
		t.Errorf("%d, %d transactions, %d bytes", len(p.known), len(p.order), p.size)
	}
	if p.get(listed{slot: 99, signature: onchain.Signature{99}}) == nil || p.get(listed{slot: 98, signature: onchain.Signature{99}}) != nil {
		t.Error("found where it is not, or not where it is")
	}
}
