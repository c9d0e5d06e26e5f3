package bank_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
	"ojud/test/longtest"
)

func onDisk(dir string) bank.Config {
	c := bank.DefaultConfig()
	c.Dir = dir
	return c
}

// restart closes a chain and opens it again.
func (c *chain) restart(config bank.Config) *chain {
	c.t.Helper()
	if err := c.Close(); err != nil {
		c.t.Fatal(err)
	}
	again := reopen(c.t, config, nil)
	again.now = c.now
	return again
}

func TestChainSurvivesRestart(t *testing.T) {
	config := onDisk(t.TempDir())
	c := reopen(t, config, nil)
	total, genesis := c.capitalization(), c.GenesisHash()
	for i := range 5 {
		c.must(transfer(t, "payer", address("alice"), uint64(i+1), c.blockhash()))
		c.seal()
	}
	if err := c.Warp(time.Hour, c.now); err != nil {
		t.Fatal(err)
	}
	last := transfer(t, "payer", address("bob"), 5, c.blockhash())
	record := c.must(last)
	alice, slot, blocks := c.balance(bank.Processed, address("alice")), record.Slot, c.Blocks(0, 100)

	c = c.restart(config)
	if c.GenesisHash() != genesis || c.capitalization() != total {
		t.Error("another genesis, or another capitalization")
	}
	if got := c.balance(bank.Finalized, address("alice")); got != alice {
		t.Errorf("balance %d, want %d", got, alice)
	}
	c.refused(last, failure.ErrAlreadyProcessed)
	s, ok, err := c.Status(record.Signature())
	if err != nil || !ok || s.Transaction.Slot != slot || !slices.Equal(s.Transaction.Logs, record.Logs) {
		t.Errorf("status %+v %v %v", s, ok, err)
	}
	for i, b := range c.Blocks(0, len(blocks)) {
		if *b != *blocks[i] {
			t.Errorf("block %d was %+v, is %+v", i, blocks[i], b)
		}
	}
	c.Read(bank.Processed, func(v *bank.View) {
		if v.Slot() != slot+1 || v.Time() < start().Unix()+3600 || len(v.Environment().SlotHashes) != len(blocks)+1 {
			t.Errorf("slot %d, time %d, %d slot hashes", v.Slot(), v.Time(), len(v.Environment().SlotHashes))
		}
	})
	block, list, _, err := c.Block(slot, true)
	if err != nil || block.Count != 1 || list[0].Signature() != record.Signature() || block.Fees != 5000 {
		t.Errorf("the slot that was open became %+v %v", block, err)
	}
	got, err := c.Transactions(bank.Query{Address: address("alice"), MaxSlot: slot, Limit: 10})
	if err != nil || len(got) != 5 {
		t.Errorf("history of alice: %d, %v", len(got), err)
	}
	c.must(transfer(t, "payer", address("alice"), 99, c.blockhash()))
}

func TestSecondProcessIsLockedOut(t *testing.T) {
	longtest.Only(t)
	config := onDisk(t.TempDir())
	c := reopen(t, config, nil)
	_, err := bank.Open(config, testGenesis(), start(), nil, quiet())
	if !errors.Is(err, bank.ErrLocked) {
		t.Errorf("error %v", err)
	}
	c.restart(config)
}

func TestAnotherGenesisIsRefused(t *testing.T) {
	config := onDisk(t.TempDir())
	elf := asm.MustELF("mov64 r0, 0\nexit\n", sbpf.V3)
	first := testGenesis()
	first.Programs = []bank.Program{{ID: address("program"), ELF: elf}}
	open := func(g bank.Genesis) error {
		b, err := bank.Open(config, g, start(), nil, quiet())
		if err == nil {
			closeBank(t, b)
		}
		return err
	}
	if err := open(first); err != nil {
		t.Fatal(err)
	}
	changed, other := first, first
	changed.Programs = []bank.Program{{ID: address("program"), ELF: asm.MustELF("mov64 r0, 1\nexit\n", sbpf.V3)}}
	other.Seed = seed("other")
	for name, g := range map[string]bank.Genesis{"program": changed, "seed": other} {
		if err := open(g); !errors.Is(err, bank.ErrGenesis) {
			t.Errorf("another %s: error %v", name, err)
		}
	}
	for name, g := range map[string]bank.Genesis{"same": first, "any": {}} {
		if err := open(g); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadGenesis(t *testing.T) {
	twice, broke, rich, code := testGenesis(), testGenesis(), testGenesis(), testGenesis()
	twice.Accounts = append(twice.Accounts, twice.Accounts[0])
	broke.Accounts = append(broke.Accounts, accounts.Keyed{Key: address("x")})
	rich.Accounts = append(rich.Accounts, accounts.Keyed{Key: address("x"), Account: accounts.Account{Lamports: 1<<64 - 1}})
	code.Programs = []bank.Program{{ID: address("x"), ELF: []byte("no program")}}
	for name, g := range map[string]bank.Genesis{"seed": {}, "twice": twice, "broke": broke, "rich": rich, "code": code} {
		if _, err := bank.Open(bank.DefaultConfig(), g, start(), nil, quiet()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestLargeAccountsFitADatabaseTransaction commits the largest inline data that one transaction can
// change.
func TestLargeAccountsFitADatabaseTransaction(t *testing.T) {
	config := onDisk(t.TempDir())
	g := testGenesis()
	for i := range 70 {
		size := 32<<10 - 1 // just inline
		if i%10 == 0 {
			size = 1 << 20 // in the value log
		}
		g.Accounts = append(g.Accounts, accounts.Keyed{
			Key:     solana.PublicKey{77, byte(i)},
			Account: accounts.Account{Lamports: 1 << 40, Data: bytes.Repeat([]byte{byte(i)}, size), Owner: address("owner")},
		})
	}
	b, err := bank.Open(config, g, start(), nil, quiet())
	if err != nil {
		t.Fatal(err)
	}
	closeBank(t, b)
	if b, err = bank.Open(config, g, start(), nil, quiet()); err != nil {
		t.Fatal(err)
	}
	defer closeBank(t, b)
	b.Read(bank.Finalized, func(v *bank.View) {
		for _, want := range g.Accounts[3:] {
			a, _ := v.Account(want.Key)
			if !bytes.Equal(a.Data, want.Account.Data) {
				t.Errorf("account %v differs", want.Key)
			}
		}
	})
}

func TestPruning(t *testing.T) {
	config := onDisk(t.TempDir())
	config.KeepTransactions, config.KeepBlocks = 1000, 512
	c := reopen(t, config, nil)
	var sent []solana.Signature
	for i := range 1100 {
		sent = append(sent, c.must(transfer(t, "payer", address("alice"), uint64(i), c.blockhash())).Signature())
		if i%2 == 1 {
			c.seal()
		}
	}
	check := func() {
		t.Helper()
		kept := 0
		for i, s := range sent {
			_, ok, err := c.Status(s)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				kept++
			}
			if ok != (i >= 100) {
				t.Fatalf("transaction %d is there: %v", i, ok)
			}
		}
		got, err := c.Transactions(bank.Query{Address: address("alice"), MaxSlot: 1 << 62, Limit: 5000})
		if err != nil || len(got) != kept || kept != 1000 {
			t.Fatalf("kept %d, history has %d, %v", kept, len(got), err)
		}
		if _, _, _, err := c.Block(2, false); !errors.Is(err, bank.ErrPruned) {
			t.Errorf("block 2: %v", err)
		}
		first := c.FirstBlock()
		if _, list, _, err := c.Block(first, true); err != nil || len(list) != 2 {
			t.Errorf("first block %d: %d transactions, %v", first, len(list), err)
		}
		if _, _, _, err := c.Block(first-1, true); !errors.Is(err, bank.ErrPruned) {
			t.Errorf("block %d: %v", first-1, err)
		}
	}
	check()
	c = c.restart(config)
	check()
}

func TestQueries(t *testing.T) {
	c := open(t, nil)
	var sent []solana.Signature
	for i := range 6 {
		sent = append(sent, c.must(transfer(t, "payer", address("new"), 1<<30+uint64(i), c.blockhash())).Signature())
		c.seal()
	}
	unknown := solana.Signature{1}
	tests := map[string]struct {
		q    bank.Query
		want []int
	}{
		"all":            {bank.Query{}, []int{5, 4, 3, 2, 1, 0}},
		"limit":          {bank.Query{Limit: 2}, []int{5, 4}},
		"before":         {bank.Query{Before: &sent[3]}, []int{2, 1, 0}},
		"until":          {bank.Query{Until: &sent[3]}, []int{5, 4}},
		"between":        {bank.Query{Before: &sent[4], Until: &sent[1]}, []int{3, 2}},
		"slot":           {bank.Query{MaxSlot: 3}, []int{2, 1, 0}},
		"unknown before": {bank.Query{Before: &unknown}, nil},
		"unknown until":  {bank.Query{Until: &unknown, Limit: 1}, []int{5}},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		q := tests[name].q
		q.Address = address("new")
		if q.Limit == 0 {
			q.Limit = 100
		}
		if q.MaxSlot == 0 {
			q.MaxSlot = 1 << 62
		}
		list, err := c.Transactions(q)
		var got []int
		for _, s := range list {
			got = append(got, slices.Index(sent, s.Transaction.Signature()))
		}
		if err != nil || !slices.Equal(got, tests[name].want) {
			t.Errorf("%s: %v %v, want %v", name, got, err, tests[name].want)
		}
	}
}
