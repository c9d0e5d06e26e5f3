package journal

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

// Outbox keeps transactions that were signed and may land: a ledger.Outbox. Each is kept before it
// is sent, so that after a crash the node does not send another in its place while it can still
// land.
type Outbox struct{ journal *Journal }

var _ ledger.Outbox = Outbox{}

// Outbox returns the store of outgoing transactions.
func (j *Journal) Outbox() Outbox { return Outbox{j} }

// Keep stores an entry in place of the one of its purpose.
func (o Outbox) Keep(ctx context.Context, e transact.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := e.Encode()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	o.journal.sending.Lock()
	defer o.journal.sending.Unlock()
	return o.journal.write("outgoing", item{outgoingKey(e.Purpose), b})
}

// Drop removes the entry of a purpose, if it has that signature.
func (o Outbox) Drop(ctx context.Context, p ledger.Purpose, sig onchain.Signature) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.journal.sending.Lock()
	defer o.journal.sending.Unlock()
	b, err := o.journal.read(outgoingKey(p))
	if err != nil || b == nil {
		return err
	}
	e, err := transact.DecodeEntry(b)
	if err != nil {
		return corrupt(o.journal.cfg.Dir, err)
	}
	if e.Signature != sig {
		return nil
	}
	return o.journal.write("drop outgoing", item{key: outgoingKey(p)})
}

// Pending returns all entries by purpose.
func (o Outbox) Pending(ctx context.Context) ([]transact.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return values(o.journal, []byte{outgoingKind}, func(_, value []byte) (transact.Entry, error) { return transact.DecodeEntry(value) })
}

func outgoingKey(p ledger.Purpose) []byte { return key(outgoingKind, []byte(p)) }
