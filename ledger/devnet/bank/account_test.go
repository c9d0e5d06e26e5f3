package bank

import (
	"testing"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

func TestAccountSetFollowsOwners(t *testing.T) {
	s := newAccountSet()
	key, a, b := solana.PublicKey{1}, solana.PublicKey{2}, solana.PublicKey{3}
	check := func(what string, all, ofA, ofB int) {
		t.Helper()
		if len(s.all) != all || len(s.owners[a]) != ofA || len(s.owners[b]) != ofB || len(s.owners) != ofA+ofB {
			t.Errorf("%s: %d accounts, %d and %d owned, %d owners", what, len(s.all), len(s.owners[a]), len(s.owners[b]), len(s.owners))
		}
	}
	s.set(key, accounts.Account{Lamports: 1, Owner: a})
	check("created", 1, 1, 0)
	s.set(key, accounts.Account{Lamports: 2, Owner: a})
	check("changed", 1, 1, 0)
	s.set(key, accounts.Account{Lamports: 2, Owner: b})
	check("given away", 1, 0, 1)
	s.set(key, accounts.Account{Owner: b})
	check("deleted", 0, 0, 0)
	s.set(key, accounts.Account{Owner: a})
	check("deleted again", 0, 0, 0)
}
