package verify

import (
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/casefile"
	"ojud/voting"
)

// TestAddresses: the terms of a task and those of a dispute of others have different addresses, so
// a file cannot say of one that it is the other. What is paid to whom depends on it.
func TestAddresses(t *testing.T) {
	program := voting.Key{9}
	find := func(seeds ...[]byte) voting.Key {
		at, _, err := solana.FindProgramAddress(seeds, solana.PublicKey(program))
		if err != nil {
			t.Fatal(err)
		}
		return voting.Key(at)
	}
	terms := casefile.TaskTerms{Creator: casefile.Address{1}, Worker: casefile.Address{2}, TaskHash: casefile.Digest{3}, ID: 4}
	task := find([]byte("task"), terms.Creator[:], []byte{4, 0, 0, 0, 0, 0, 0, 0})
	dispute := find([]byte("dispute"), terms.Worker[:], terms.Creator[:], terms.TaskHash[:])
	for _, prepaid := range []bool{false, true} {
		terms.Prepaid = prepaid
		if isTask(program, terms, task) == prepaid || isTask(program, terms, dispute) != prepaid {
			t.Errorf("prepaid %v: at the address of a task %v, of a dispute %v", prepaid, isTask(program, terms, task), isTask(program, terms, dispute))
		}
	}
	other := terms
	other.TaskHash = casefile.Digest{5}
	if isTask(program, other, dispute) {
		t.Error("other terms have the same address")
	}
}
