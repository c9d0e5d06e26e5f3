package difftest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

var (
	elfs    = flag.String("elfs", "", "pattern of ELF files that TestFiles loads, mutates and runs; needs LiteSVM")
	mutants = flag.Int("mutants", 200, "mutants of each file in TestFiles")
)

// TestFiles loads real programs and damaged copies of them on both sides. Those that load run with
// a little data.
func TestFiles(t *testing.T) {
	if *elfs == "" {
		t.Log("no -elfs given: TestDifferential covers the assembled programs only")
		return
	}
	judge := difftest.New(t, difftest.Options{})
	if !judge.Live() {
		t.Fatal("-elfs needs LiteSVM: npm install in harness/")
	}
	paths, err := filepath.Glob(*elfs)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %q: %v", *elfs, err)
	}
	rng, agreed := source(t), difftest.Agreement{}
	for _, path := range paths {
		elf, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for done := 0; done < *mutants; done += batch {
			a := judge.Check(t, "", []difftest.Case{fileCase(t, rng, path, elf, min(batch, *mutants-done))})
			agreed.Transactions += a.Transactions
			agreed.Programs += a.Programs
		}
	}
	t.Logf("%d files: the loading of %d copies and %d transactions agree", len(paths), agreed.Programs, agreed.Transactions)
}

func fileCase(t *testing.T, rng *rand.Rand, path string, elf []byte, n int) difftest.Case {
	t.Helper()
	payer := difftest.Address("payer")
	c := difftest.Case{Name: filepath.Base(path), Accounts: []accounts.Keyed{difftest.Wallet(payer, 1000*sol)}}
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n + 1 {
		p := difftest.Deployment{ID: difftest.Address(fmt.Sprint("file", i)), ELF: append([]byte(nil), elf...)}
		if i > 0 {
			p.ELF = damage(rng, p.ELF)
		}
		c.Programs = append(c.Programs, p)
		if runtime.CheckELF(p.ELF, false) != nil {
			continue
		}
		own := difftest.Address(fmt.Sprint("file own", i))
		c.Accounts = append(c.Accounts, difftest.Owned(own, p.ID, sol, make([]byte, 64)))
		c.Transactions = append(c.Transactions, build(t, accounts.DefaultEnvironment(), payer,
			solana.NewInstruction(solana.ComputeBudget, nil, data(byte(2), uint32(20_000))),
			solana.NewInstruction(p.ID, []*solana.AccountMeta{meta(own, "w"), meta(payer, "ws")}, []byte{byte(i % 8), 0, 0, 0, 1, 2, 3, 4})))
	}
	return c
}

// damage changes bytes in the tables of an ELF file, which are at its beginning and its end.
func damage(rng *rand.Rand, elf []byte) []byte {
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(elf))
		switch rng.IntN(4) {
		case 0:
			at = rng.IntN(min(len(elf), 400))
		case 1, 2:
			at = len(elf) - 1 - rng.IntN(min(len(elf), 2500))
		}
		elf[at] = byte(interesting(rng))
		if rng.IntN(4) == 0 && at+8 <= len(elf) {
			v := interesting(rng)
			for i := range 8 {
				elf[at&^7+i] = byte(v >> (8 * i))
			}
		}
	}
	if v := elf[48]; v == 1 || v == 2 {
		elf[48] = 0
	}
	return elf
}
