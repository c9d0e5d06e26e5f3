package brainview

import (
	"slices"
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
)

// TestAttackManyClasses: 500 classes of a stranger, without members, pushed the class of others out
// of the lists, because their addresses came first.
func TestAttackManyClasses(t *testing.T) {
	t.Parallel()
	class := func(n int, creator byte, lamports uint64) *ledger.Account {
		data := make([]byte, classBytes)
		data[creatorAt] = creator
		return &ledger.Account{Address: onchain.Address{byte(n >> 8), byte(n)}, Lamports: lamports, Data: data}
	}
	var all []*ledger.Account
	for n := range 500 {
		all = append(all, class(n, 1, 2_000_000))
	}
	honest := class(600, 2, 50_000_000)
	all = append(all, honest)
	if at := weighty(all); len(at) != 1+maxOfMaker || at[0] != honest.Address {
		t.Errorf("%d classes are read, the first is %s", len(at), at[0])
	}
	for n := range 500 {
		all[n].Data[creatorAt+1], all[n].Data[creatorAt+2] = byte(n), byte(n>>8) // each by another key
	}
	if at := weighty(all); len(at) != maxClasses || !slices.Contains(at, honest.Address) {
		t.Errorf("%d classes are read, without that of others", len(at))
	}
}
