package bank

import (
	"crypto/sha256"
	"fmt"
	"time"

	"ojud/ledger/svm"
)

// restore continues a chain from disk in the same slot. All processed transactions are finalized:
// without forks, they would have become so.
func (b *Bank) restore(s *saved, g Genesis) error {
	var err error
	if b.genesis, err = decodeGenesis(s.genesis); err != nil {
		return err
	}
	if b.keys, err = newKeys(b.genesis.seed); err != nil {
		return fmt.Errorf("%w: %w", errCorrupt, err)
	}
	for _, a := range s.accounts {
		b.root.set(a.Key, a.Account)
	}
	if err := b.same(g); err != nil {
		return err
	}
	if err := b.restoreBlocks(s); err != nil {
		return err
	}
	if err := b.restoreRecords(s); err != nil {
		return err
	}
	b.offset = time.Duration(s.head.offset)
	return b.restoreOpen(s.head)
}

func (b *Bank) restoreBlocks(s *saved) error {
	last := len(s.blocks) - 1
	if last < 0 || s.blocks[last].Slot != s.head.parent || s.blocks[last].Height+1 != s.head.height {
		return fmt.Errorf("%w: the last block is not the parent of the open slot", errCorrupt)
	}
	b.history.blocks = s.blocks
	for _, block := range s.blocks[max(0, len(s.blocks)-statusBlocks):] {
		b.hashes.push(block.Blockhash, block.Height)
	}
	return nil
}

// restoreRecords restores the history, and the status cache from the recent part of it.
func (b *Bank) restoreRecords(s *saved) error {
	b.history.base = s.head.next - uint64(len(s.records))
	for i, raw := range s.records {
		t, err := decodeTransaction(raw)
		if err != nil {
			return err
		}
		if t.Sequence != b.history.base+uint64(i) {
			return fmt.Errorf("%w: transaction %d is missing", errCorrupt, b.history.base+uint64(i))
		}
		tx, err := svm.DecodeTransaction(t.Wire)
		if err != nil {
			return fmt.Errorf("%w: transaction %d: %w", errCorrupt, t.Sequence, err)
		}
		message, err := messageHash(tx)
		if err != nil {
			return err
		}
		b.history.add(t.Signature(), t.Keys(tx), raw)
		b.hashes.mark(tx.Message.RecentBlockhash, message, t.Slot)
	}
	return nil
}

// restoreOpen restores the newest block and the open slot.
func (b *Bank) restoreOpen(h head) error {
	last := b.history.blocks[len(b.history.blocks)-1]
	b.rooted = &layer{
		slot: last.Slot, parent: last.Parent, height: last.Height, time: last.Time, blockhash: last.Blockhash,
	}
	b.settle(b.rooted, h.epochStart)
	b.push(h.slot, h.parent, h.height, h.time)
	l := b.open()
	l.first, l.signatures, l.fees = h.first, h.signatures, h.fees
	for sequence := h.first; sequence < h.next; sequence++ {
		t, ok, err := b.history.record(sequence)
		if err != nil || !ok {
			return fmt.Errorf("%w: transaction %d of the open slot: %w", errCorrupt, sequence, err)
		}
		l.transactions = append(l.transactions, t)
	}
	return nil
}

// settle makes a block the newest finalized one, with its environment and its sysvars, which are
// not on disk.
func (b *state) settle(l *layer, epochStart int64) {
	l.env = b.environment(l, epochStart)
	for _, a := range b.sysvars(l.env) {
		b.root.set(a.Key, a.Account)
	}
}

// contentHash binds the content of a slot: every transaction with its outcome.
func (b *state) contentHash(l *layer) [sha256.Size]byte {
	h := sha256.New()
	for sequence := l.first; sequence < b.history.next(); sequence++ {
		h.Write(b.history.records[sequence-b.history.base])
	}
	return [sha256.Size]byte(h.Sum(nil))
}
