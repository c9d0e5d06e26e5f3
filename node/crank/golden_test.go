package crank

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// put writes an account of the program.
func (c *chain) put(address onchain.Address, data []byte) onchain.Address {
	c.accounts[address] = &ledger.Account{Address: address, Owner: c.p.ID(), Lamports: 2_000_000, Data: data}
	return address
}

// apply does what the program does when a leaf is applied.
func (c *chain) apply(batch, address onchain.Address) {
	k, err := program.DecodeCase(c.accounts[address].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := program.DecodeBatch(c.accounts[batch].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	config, err := program.DecodeConfig(c.accounts[c.p.Config()].Data)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.now() < b.ApplyFrom(config) || !b.Fair() || k.Applied == 1 || config.Paused != 0 {
		c.t.Errorf("at %d: %+v, %+v", c.now(), b, k.Applied)
	}
	k.Applied = 1
	b.Applied++
	c.put(address, k.Encode())
	c.put(batch, b.Encode())
}

const (
	batchTime = 12 * time.Hour
	challenge = 4 * time.Hour
)

// golden puts an open batch with two golden cases on the chain, and returns all three.
func (c *chain) golden(change func(b *program.Batch)) (batch onchain.Address, cases []onchain.Address) {
	b := program.Batch{
		Leaves: 2, Opened: 2, Accepts: 1, Proctor: onchain.Address{7}, Deposit: onchain.LamportsPerSOL, CommittedAt: c.now(), CompleteAt: c.now(),
		OpenBy: c.now() + int64(batchTime.Seconds()), KeepUntil: c.now() + 86_400, ChallengeSeconds: uint32(challenge.Seconds()),
	}
	if change != nil {
		change(&b)
	}
	for i := range byte(2) {
		task := onchain.Address{8, i}
		k := program.Case{Task: task, Status: voting.Decided, Round: 1, Payer: onchain.Address{9}, SettledAt: c.now(), Golden: voting.Accept}
		params := program.DefaultParams()
		k.Rules = params.Rules(params.FeeMin)
		k.Rules.EvidenceSeconds = 86_400
		cases = append(cases, c.put(c.p.Case(task), k.Encode()))
	}
	c.put(c.p.Config(), (&program.Config{Rules: 1}).Encode())
	return c.put(c.p.Batch(0), b.Encode()), cases
}

// TestGolden: golden cases are applied when nobody may challenge them any more, the batch is closed
// then, and the cases when their time is over. So it is whether the node heard of them or found
// them, and not while the court is paused. A pause extends the time by its length, so they are
// applied soon after its end.
func TestGolden(t *testing.T) {
	for _, heard := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c, cfg := newChain(t), DefaultConfig()
			batch, cases := c.golden(nil)
			k := c.crank(cfg)
			if heard {
				k.Hear(&program.BatchCommitted{OpenBy: c.now() + int64(batchTime.Seconds()), Deposit: 1})
				for i := range byte(2) {
					k.Hear(&program.LeafOpened{Task: onchain.Address{8, i}, At: c.now()})
				}
			}
			runFor(t, k, challenge)
			if len(c.acts) != 0 {
				t.Fatalf("applied while it could be challenged: %v", c.acts)
			}
			c.put(c.p.Config(), (&program.Config{Rules: 1, Paused: 1}).Encode())
			runFor(t, k, challenge)
			if len(c.acts) != 0 {
				t.Fatalf("applied in a pause: %v", c.acts)
			}
			c.put(c.p.Config(), (&program.Config{Rules: 1, PausedSeconds: uint32(challenge.Seconds())}).Encode())
			runFor(t, k, time.Hour)
			slices.SortFunc(cases, func(a, b onchain.Address) int { return slices.Compare(a[:], b[:]) })
			acts := slices.Clone(c.acts)
			slices.SortFunc(acts[:min(2, len(acts))], func(a, b onchain.Address) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(acts, cases) {
				t.Fatalf("heard %v: %v, wanted %v; %+v", heard, acts, cases, k.Standing())
			}
			for i := range byte(2) {
				k.Hear(&program.LeafApplied{Task: onchain.Address{8, i}, At: c.now()})
			}
			runFor(t, k, time.Hour)
			if len(c.acts) != 3 || c.acts[2] != batch {
				t.Fatalf("the batch is not closed: %v", c.acts)
			}
			runFor(t, k, 48*time.Hour)
			if len(c.acts) != 5 || c.accounts[cases[0]] != nil {
				t.Errorf("the cases are not closed: %v, %+v", c.acts, k.Standing())
			}
		})
	}
}

// TestGoldenFailed: nothing of a batch that is not open in time, or out of balance, is applied. It
// is closed when that is certain.
func TestGoldenFailed(t *testing.T) {
	for name, change := range map[string]func(b *program.Batch){
		"late":       func(b *program.Batch) { b.Opened, b.Accepts, b.CompleteAt = 1, 1, 0 },
		"unbalanced": func(b *program.Batch) { b.Accepts = 2 },
		"void":       func(b *program.Batch) { b.Void = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChain(t)
				batch, _ := c.golden(change)
				k := c.crank(DefaultConfig())
				runFor(t, k, 20*time.Hour)
				if len(c.acts) != 1 || c.acts[0] != batch {
					t.Errorf("%v, %+v", c.acts, k.Standing())
				}
			})
		})
	}
}
