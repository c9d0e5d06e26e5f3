package difftest

import (
	"fmt"
	"strconv"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// reader parses decimal strings and keeps the first error.
type reader struct{ err error }

func (r *reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) u64(s string) uint64 {
	v, err := strconv.ParseUint(s, 10, 64)
	r.note(err)
	return v
}

func (r *reader) i64(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	r.note(err)
	return v
}

func (r *reader) key(b []byte) (k solana.PublicKey) {
	if copy(k[:], b) != len(k) {
		r.note(fmt.Errorf("key of %d bytes", len(b)))
	}
	return k
}

func (r *reader) account(a Account) accounts.Account {
	return accounts.Account{
		Lamports: r.u64(a.Lamports), Data: a.Data, Owner: r.key(a.Owner), Executable: a.Executable,
		RentEpoch: r.u64(a.RentEpoch),
	}
}

// decode turns a recorded case back into one that can be run.
func (w wireCase) decode() (Case, error) {
	r := &reader{}
	env := accounts.DefaultEnvironment()
	env.Clock = accounts.Clock{
		Slot: r.u64(w.Clock.Slot), EpochStartTimestamp: r.i64(w.Clock.EpochStart), Epoch: r.u64(w.Clock.Epoch),
		LeaderScheduleEpoch: r.u64(w.Clock.LeaderEpoch), UnixTimestamp: r.i64(w.Clock.Unix),
	}
	env.Rent = accounts.Rent{
		LamportsPerByte: r.u64(w.Rent.LamportsPerByte), ExemptionThreshold: w.Rent.Threshold, BurnPercent: w.Rent.Burn,
	}
	env.LastRestartSlot = r.u64(w.LastRestartSlot)
	env.Blockhash = solana.Hash(r.key(w.Blockhash))
	for _, h := range w.SlotHashes {
		hash, err := solana.HashFromBase58(h.Hash)
		r.note(err)
		env.SlotHashes = append(env.SlotHashes, accounts.SlotHash{Slot: r.u64(h.Slot), Hash: hash})
	}
	c := Case{Name: w.Name, Verify: w.Verify, Env: env}
	for _, p := range w.Programs {
		c.Programs = append(c.Programs, Deployment{r.key(p.ID), p.ELF})
	}
	for _, a := range w.Accounts {
		c.Accounts = append(c.Accounts, accounts.Keyed{Key: r.key(a.Key), Account: r.account(a.Account)})
	}
	for _, t := range w.Transactions {
		tx := Transaction{Raw: t.Raw}
		for _, k := range t.Watch {
			tx.Watch = append(tx.Watch, r.key(k))
		}
		c.Transactions = append(c.Transactions, tx)
	}
	return c, r.err
}
