package difftest_test

import (
	"flag"
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/svm/difftest/asm"
	"ojud/ledger/svm/sbpf"
	"ojud/test/longtest"
)

var (
	record   = flag.Bool("record", false, "write the traces in testdata; needs LiteSVM")
	programs = flag.Int("programs", 2000, "random programs in TestDifferential/random-programs, half of them of each sBPF version")
	seed     = flag.Uint64("seed", 0, "seed of the random cases; 0 takes the fixed one that is recorded")
)

// fixedSeed is the seed of the recorded traces.
const fixedSeed = 1

// TestDifferential compares ledger/svm with LiteSVM. One node child serves all groups.
func TestDifferential(t *testing.T) {
	longtest.Only(t)
	judge := difftest.New(t, difftest.Options{Traces: "testdata", Record: *record})
	for _, group := range []struct {
		name  string
		cases func(*testing.T) []difftest.Case
	}{
		{"system", systemCases},
		{"programs", programCases},
		{"load", loadCases},
		{"opcodes", opcodeCases},
		{"cpi", cpiCases},
		{"transactions", transactionCases},
		{"lookups", lookupCases},
		{"version1", version1Cases},
		{"ed25519", ed25519Cases},
		{"nonce", nonceCases},
		{"random-transactions", randomTransactionCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			agreed := judge.Check(t, group.name, group.cases(t))
			t.Logf("%s: %d transactions and the loading of %d programs agree", group.name, agreed.Transactions, agreed.Programs)
		})
	}
	t.Run("random-programs", func(t *testing.T) { randomPrograms(t, judge) })
}

// randomPrograms runs the requested number in rounds, each with the next seed, so that a failing
// one can be run again alone.
func randomPrograms(t *testing.T, judge *difftest.Comparison) {
	var agreed difftest.Agreement
	for done, at := 0, first(); done < *programs; done, at = done+perRound, at+1 {
		n := min(perRound, *programs-done)
		if *record {
			n = recordedPrograms
		}
		one := judge.Check(t, "random-programs", randomProgramCases(t, at, n))
		agreed.Transactions += one.Transactions
		agreed.Programs += one.Programs
		if t.Failed() {
			t.Fatalf("again: go test ./ledger/svm/difftest -run TestDifferential/random-programs -programs %d -seed %d", n, at)
		}
		if !judge.Live() || *record {
			break
		}
	}
	t.Logf("random-programs: %d transactions and the loading of %d programs agree", agreed.Transactions, agreed.Programs)
}

// versions runs f for both sBPF versions.
var versions = []sbpf.Version{sbpf.V0, sbpf.V3}

// both assembles a source for both versions under two addresses.
func both(t *testing.T, name, source string) []difftest.Deployment {
	t.Helper()
	var out []difftest.Deployment
	for _, v := range versions {
		image, err := asm.Assemble(source, v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, difftest.Deployment{ID: difftest.Address(name + string(rune('0'+v))), ELF: image.ELF(v)})
	}
	return out
}

// meta returns an account of an instruction: w writable, s signer.
func meta(key solana.PublicKey, flags string) *solana.AccountMeta {
	m := solana.Meta(key)
	for _, f := range flags {
		switch f {
		case 'w':
			m.IsWritable = true
		case 's':
			m.IsSigner = true
		}
	}
	return m
}

func build(t *testing.T, env *accounts.Environment, payer solana.PublicKey, ixs ...solana.Instruction) difftest.Transaction {
	t.Helper()
	tx, err := difftest.Build(env, payer, ixs)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}
