package bank_test

import (
	"reflect"
	"testing"
	"time"

	"ojud/ledger/devnet/bank"
)

// script plays the same story on a chain and returns the events of its observer.
func script(t *testing.T, name string, change func(*chain)) ([]bank.Event, bank.Block) {
	t.Helper()
	var events []bank.Event
	g := testGenesis()
	g.Seed = seed(name)
	b, err := bank.Open(bank.DefaultConfig(), g, start(), func(e bank.Event) { events = append(events, e) }, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer closeBank(t, b)
	c := &chain{b, t, start()}
	for i := range 20 {
		c.must(transfer(t, "payer", address("alice"), uint64(i), c.blockhash()))
		if i%3 == 0 {
			c.must(transfer(t, "bob", address("alice"), 1<<60, c.blockhash()))
		}
		c.seal()
	}
	if err := c.Warp(8*time.Hour, c.now); err != nil {
		t.Fatal(err)
	}
	change(c)
	c.seal()
	c.seal()
	list := c.Blocks(0, 1000)
	return events, *list[len(list)-1]
}

func TestEqualInputsGiveEqualChains(t *testing.T) {
	nothing := func(*chain) {}
	events, last := script(t, "one", nothing)
	again, same := script(t, "one", nothing)
	if last != same {
		t.Errorf("the last blocks differ: %+v, %+v", last, same)
	}
	if !reflect.DeepEqual(events, again) {
		t.Error("the events differ")
	}
	_, seeded := script(t, "two", nothing)
	_, moved := script(t, "one", func(c *chain) { c.must(transfer(t, "payer", address("bob"), 1, c.blockhash())) })
	_, later := script(t, "one", func(c *chain) { c.now = c.now.Add(time.Second) })
	for what, other := range map[string]bank.Block{"seed": seeded, "transaction": moved, "time": later} {
		if other.Hash == last.Hash {
			t.Errorf("another %s gives the same bank hash", what)
		}
	}
	if seeded.Blockhash == last.Blockhash || moved.Blockhash == last.Blockhash {
		t.Error("another seed or transaction gives the same blockhash")
	}
}

func TestEventsComeInOrder(t *testing.T) {
	events, _ := script(t, "one", func(*chain) {})
	var newest [3]uint64
	var transactions [3]int
	for _, e := range events {
		if e.Slot < newest[e.Level] || e.Root > e.Slot {
			t.Fatalf("%v slot %d after %d, root %d", e.Level, e.Slot, newest[e.Level], e.Root)
		}
		if e.Opened && e.Slot == newest[e.Level] {
			t.Fatalf("slot %d opened twice", e.Slot)
		}
		newest[e.Level] = e.Slot
		transactions[e.Level] += len(e.Transactions)
	}
	if transactions != [3]int{27, 27, 27} {
		t.Errorf("transactions told at each level: %v, want 27", transactions)
	}
}
