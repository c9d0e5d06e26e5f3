package bank

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

func encodeAccount(a accounts.Account) []byte {
	e := &encoder{make([]byte, 0, 53+len(a.Data))}
	e.u64(a.Lamports)
	e.raw(a.Owner[:])
	e.flag(a.Executable)
	e.u64(a.RentEpoch)
	e.bytes(a.Data)
	return e.out
}

// decodeAccount copies, because the account outlives the buffer that it was read into.
func decodeAccount(raw []byte) (accounts.Account, error) {
	d := &decoder{rest: raw}
	a := accounts.Account{Lamports: d.u64(), Owner: d.key(), Executable: d.flag(), RentEpoch: d.u64()}
	a.Data = append([]byte(nil), d.bytes()...)
	d.bad = d.bad || a.Lamports == 0 || len(a.Data) > accounts.MaxData
	return a, d.err("account")
}

// accountSet is a set of accounts with an index by owner.
type accountSet struct {
	all    map[solana.PublicKey]accounts.Account
	owners map[solana.PublicKey]map[solana.PublicKey]struct{}
}

func newAccountSet() *accountSet {
	return &accountSet{
		map[solana.PublicKey]accounts.Account{},
		map[solana.PublicKey]map[solana.PublicKey]struct{}{},
	}
}

// set stores an account. An account without lamports is removed.
func (s *accountSet) set(key solana.PublicKey, a accounts.Account) {
	if old, ok := s.all[key]; ok && (old.Owner != a.Owner || a.Lamports == 0) {
		s.disown(old.Owner, key)
	}
	if a.Lamports == 0 {
		delete(s.all, key)
		return
	}
	s.all[key] = a
	owned := s.owners[a.Owner]
	if owned == nil {
		owned = map[solana.PublicKey]struct{}{}
		s.owners[a.Owner] = owned
	}
	owned[key] = struct{}{}
}

func (s *accountSet) disown(owner, key solana.PublicKey) {
	owned := s.owners[owner]
	delete(owned, key)
	if len(owned) == 0 {
		delete(s.owners, owner)
	}
}
