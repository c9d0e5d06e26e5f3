package sequence_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/spl"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/tokens"
)

var lite = flag.Int("lite", 3, "how many sequences to run on LiteSVM, too, where it is installed")

// recorder makes cases for LiteSVM from the sent transactions. Those that share a clock are one
// case.
type recorder struct {
	s     *stage
	cases []difftest.Case
	fault error
}

func (r *recorder) sent(x sent) {
	open := len(r.cases) - 1
	if open < 0 || r.cases[open].Env.Clock != x.env.Clock {
		env := x.env
		c := difftest.Case{Name: fmt.Sprint("case ", len(r.cases)), Env: &env, Verify: true, Programs: []difftest.Deployment{{ID: solana.PublicKey(r.s.prog.ID()), ELF: r.s.elf}}}
		keys := slices.SortedFunc(maps.Keys(x.accounts), func(a, b key) int { return bytes.Compare(a[:], b[:]) })
		for _, k := range keys {
			c.Accounts = append(c.Accounts, accounts.Keyed{Key: solana.PublicKey(k), Account: x.accounts[k]})
		}
		r.cases, open = append(r.cases, c), open+1
	}
	tx, err := difftest.Build(&x.env, solana.PublicKey(r.s.payer), program.Native(x.instructions...), slices.Collect(maps.Values(r.s.keys))...)
	if err != nil {
		r.fault = err
		return
	}
	data := r.s.prog.ProgramData()
	tx.Watch = slices.DeleteFunc(slices.Clone(tx.Watch), func(k solana.PublicKey) bool {
		return key(k) == data || tokens.IsProgram(key(k)) || key(k) == tokens.AssociatedProgram()
	})
	r.cases[open].Transactions = append(r.cases[open].Transactions, tx)
}

// TestLiteSVM: the same sequences have the same result on Agave's runtime, to the byte. Without
// Node.js they only run here.
func TestLiteSVM(t *testing.T) {
	s, err := newStage(theELF(t))
	if err != nil {
		t.Fatal(err)
	}
	from, err := s.beginnings()
	if err != nil {
		t.Fatal(err)
	}
	judge := difftest.New(t, difftest.Options{})
	compared, cases := 0, 0
	for i := range *lite {
		r := &recorder{s: s}
		if err := recorded(from, i, r); err != nil {
			t.Fatalf("sequence %d: %v", i, err)
		}
		for _, c := range r.cases {
			cases, compared = cases+1, compared+len(c.Transactions)
			c.Name = fmt.Sprintf("sequence %d, %s", i, c.Name)
			agree(t, judge, c)
		}
	}
	t.Logf("%d sequences: %d transactions in %d cases; judged by LiteSVM: %v", *lite, compared, cases, judge.Live())
}

// recorded runs a sequence as TestSequences does.
func recorded(from []*arena, number int, r *recorder) error {
	random := rand.New(rand.NewPCG(*seed, uint64(number)))
	a := from[random.IntN(len(from))].fork(random)
	a.seen, a.record = newCoverage(), r.sent
	for range 6 + random.IntN(36) {
		if err := a.do(a.next()); err != nil {
			return err
		}
	}
	return r.fault
}

func agree(t *testing.T, judge *difftest.Comparison, c difftest.Case) {
	t.Helper()
	if !judge.Live() {
		return
	}
	want, err := judge.RunLite(c)
	if err != nil {
		t.Fatal(err)
	}
	own, err := spl.Accounts() // LiteSVM has its own
	if err != nil {
		t.Fatal(err)
	}
	ours := c
	ours.Accounts = slices.Concat(own, c.Accounts)
	got, err := difftest.RunLocal(judge.Runtime(), ours)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range difftest.Compare(c, want, got) {
		t.Errorf("%s: %s", c.Name, line)
	}
}
