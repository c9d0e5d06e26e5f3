package bank

import (
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
)

// Process executes a transaction in the open slot and returns its record when it is durable. A
// transaction that cannot land is rejected: it changes nothing and pays nothing. Any result of
// svm.DecodeTransaction is allowed, because Process checks signatures, age and repetition.
func (b *Bank) Process(tx *solana.Transaction) (*Transaction, *failure.TransactionError, error) {
	wire, err := tx.MarshalBinary()
	if err != nil {
		return nil, nil, fmt.Errorf("bank: encode transaction: %w", err)
	}
	message, err := messageHash(tx)
	if err != nil {
		return nil, nil, err
	}
	t, rejected, err := b.execute(tx, wire, message)
	if err != nil || rejected != nil {
		return nil, rejected, err
	}
	if err := b.Sync(); err != nil {
		return nil, nil, err
	}
	return t, nil, nil
}

// messageHash returns the hash of the signed message.
func messageHash(tx *solana.Transaction) (out [sha256.Size]byte, err error) {
	raw, err := tx.Message.MarshalBinary()
	if err != nil {
		return out, fmt.Errorf("bank: encode message: %w", err)
	}
	return sha256.Sum256(raw), nil
}

func (b *Bank) execute(tx *solana.Transaction, wire []byte, message [sha256.Size]byte) (*Transaction, *failure.TransactionError, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.journal.failure(); err != nil {
		return nil, nil, err
	}
	l, index := b.at(Processed)
	r := b.run(l, index, tx, message, true)
	if r.Status == svm.Rejected {
		return nil, r.Err, nil
	}
	writes, err := b.apply(l, index, r)
	if err != nil {
		return nil, nil, err
	}
	t := newTransaction(wire, r)
	t.Sequence, t.Slot, t.Time = b.history.next(), l.slot, l.time
	t.Index = uint32(t.Sequence - l.first)
	l.transactions = append(l.transactions, t)
	l.signatures += uint64(len(tx.Signatures))
	record := t.encode()
	b.history.add(tx.Signatures[0], t.Keys(tx), record)
	b.hashes.mark(tx.Message.RecentBlockhash, message, l.slot)
	b.journal.add(entry{
		accounts: writes, sequence: t.Sequence, record: record, head: b.head(),
		events: []Event{b.executed(l, t, writes)},
	})
	return t, nil, nil
}

func (b *Bank) executed(l *layer, t *Transaction, writes []accounts.Keyed) Event {
	return Event{
		Level: Processed, Slot: l.slot, Parent: l.parent, Root: b.rooted.slot, Time: l.time,
		Transactions: []*Transaction{t}, Accounts: writes,
	}
}

// run executes a transaction on top of a layer unless its message was processed there before. A
// repeated message passed all other checks the first time. But it may carry a wrong signature now,
// and that check comes first.
func (b *Bank) run(l *layer, index int, tx *solana.Transaction, message [sha256.Size]byte, verify bool) *svm.Result {
	r := b.runtime.Simulate(tx, l.env, source{b.state, index}, verify)
	hash := tx.Message.RecentBlockhash
	if !b.hashes.processed(hash, message, l.slot) || !b.hashes.validAt(hash, l.height) {
		return r
	}
	if r.Err != nil && r.Err.Code == failure.ErrSignatureFailure {
		return r
	}
	return &svm.Result{Err: &failure.TransactionError{Code: failure.ErrAlreadyProcessed}}
}

// apply stores the accounts that a transaction wrote and credits its fee to the identity. It
// returns the accounts as stored.
func (b *Bank) apply(l *layer, index int, r *svm.Result) ([]accounts.Keyed, error) {
	if err := b.balanced(index, r); err != nil {
		return nil, err
	}
	for _, w := range r.Writes {
		l.accounts[w.Key] = w.Account
	}
	identity, ok := b.lookup(index, b.Identity())
	if !ok {
		identity = accounts.Account{Owner: solana.SystemProgramID, RentEpoch: accounts.RentExempt}
	}
	identity.Lamports += r.Fee
	l.accounts[b.Identity()] = identity
	l.fees += r.Fee
	writes := make([]accounts.Keyed, 0, len(r.Writes)+1)
	for _, w := range r.Writes {
		if w.Key != b.Identity() {
			writes = append(writes, w)
		}
	}
	return append(writes, accounts.Keyed{Key: b.Identity(), Account: identity}), nil
}

// balanced stops the chain if a transaction would make or lose lamports. That cannot happen while
// svm is right.
func (b *Bank) balanced(index int, r *svm.Result) error {
	before, after := uint64(0), r.Fee
	for _, w := range r.Writes {
		a, _ := b.lookup(index, w.Key)
		before += a.Lamports
		after += w.Account.Lamports
	}
	if before != after {
		return b.broken("a transaction turned %d lamports into %d", before, after)
	}
	return nil
}
