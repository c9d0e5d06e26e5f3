package crank

import (
	"encoding/binary"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/voting"
)

// pays does what the program does with a pledge: it pays a party, and closes it after the last.
func (c *chain) pays(at, agent onchain.Address) {
	p, err := program.DecodePledge(c.accounts[at].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	t, err := program.DecodeTask(c.accounts[p.Task].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	if agent == c.p.Agent(t.Worker) {
		p.WorkerPaid = 1
	} else {
		p.CreatorPaid = 1
	}
	c.accounts[at].Data = p.Encode()
	if creator, worker := p.Due(t); creator+worker == 0 {
		delete(c.accounts, at)
	}
}

// holds puts a token account on the chain.
func (c *chain) holds(m *tokens.Mint, owner onchain.Address, state byte) {
	c.t.Helper()
	open, err := tokens.CreateAssociated(owner, owner, m)
	if err != nil {
		c.t.Fatal(err)
	}
	data := make([]byte, tokens.AccountSize)
	copy(data, m.Address[:])
	copy(data[32:], owner[:])
	data[108] = state
	at := open.Accounts[1].Address
	c.accounts[at] = &ledger.Account{Address: at, Owner: m.Program, Data: data}
}

// TestPledge: nodes pay the tokens beside the reward of a task before they close it, and spend no
// rent for that. A frozen account keeps only its owner's part, and with it the task. Nothing is
// spent on worthless tokens for which nobody has an account.
func TestPledge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		creator, worker := onchain.Address{2}, onchain.Address{3}
		over := program.Task{Status: program.Complete, Outcome: voting.Split, Worker: worker, FinishedAt: genesis}
		task, spam := c.add(creator, 1, over), c.add(creator, 2, over)
		for n, at := range []onchain.Address{task, spam} {
			m := &tokens.Mint{Address: onchain.Address{50, byte(n)}, Program: tokens.SPL()}
			data := make([]byte, tokens.MintSize)
			data[45] = 1
			binary.LittleEndian.PutUint64(data[36:], 1_000)
			c.accounts[m.Address] = &ledger.Account{Address: m.Address, Owner: m.Program, Data: data}
			pledge := &program.Pledge{Task: at, Mint: m.Address, Amount: 501}
			c.accounts[program.PledgeAt(c.p, at)] = &ledger.Account{Address: program.PledgeAt(c.p, at), Owner: c.p.ID(), Data: pledge.Encode()}
		}
		coin := &tokens.Mint{Address: onchain.Address{50, 0}, Program: tokens.SPL()}
		c.holds(coin, c.p.Agent(worker), 1)
		c.holds(coin, c.p.Agent(creator), 2)
		k := c.crank(DefaultConfig())
		for _, at := range []onchain.Address{task, spam} {
			k.Hear(&program.TaskMoved{Task: at, From: program.Verification, To: program.Complete, At: genesis})
		}
		runFor(t, k, DefaultConfig().Keep+72*time.Hour)
		if len(c.acts) != 1 || c.acts[0] != task || c.accounts[task] == nil {
			t.Fatalf("the worker alone can be paid: %v", c.acts)
		}
		c.holds(coin, c.p.Agent(creator), 1)
		runFor(t, k, 72*time.Hour)
		if want := []onchain.Address{task, task, task}; !slices.Equal(c.acts, want) || c.accounts[task] != nil || c.accounts[spam] == nil {
			t.Errorf("%v, want both paid, and the task closed; the other one stays", c.acts)
		}
	})
}
