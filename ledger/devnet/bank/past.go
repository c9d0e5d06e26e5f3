package bank

import (
	"fmt"
	"math"
	"sort"

	"github.com/gagliardetto/solana-go"
)

// Status is the progress of a transaction.
type Status struct {
	Transaction *Transaction
	Level       Level
	// Confirmations counts the blocks on top of the transaction's own. It means nothing if the
	// transaction is finalized.
	Confirmations uint64
	// Recent says that its slot is in the status cache, the last 300 blocks.
	Recent bool
}

// Status finds a transaction by its signature. It returns false if the transaction is not part of
// the chain or no longer kept.
func (b *Bank) Status(signature solana.Signature) (Status, bool, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	t, ok, err := b.history.bySig(signature)
	if !ok {
		return Status{}, false, err
	}
	return b.status(t), true, nil
}

func (b *state) status(t *Transaction) Status {
	s := Status{Transaction: t, Level: b.level(t.Slot)}
	s.Recent = b.open().height-b.heightOf(t.Slot) <= statusBlocks
	if s.Level == Confirmed {
		confirmed, _ := b.at(Confirmed)
		s.Confirmations = confirmed.height - b.heightOf(t.Slot) + 1
	}
	return s
}

// level returns the commitment level of a slot with a block.
func (b *state) level(slot uint64) Level {
	confirmed, _ := b.at(Confirmed)
	switch {
	case slot <= b.rooted.slot:
		return Finalized
	case slot <= confirmed.slot:
		return Confirmed
	}
	return Processed
}

// heightOf returns the block height of a slot with a block, or 0 if the block is no longer kept.
func (b *state) heightOf(slot uint64) uint64 {
	if block, err := b.history.block(slot); err == nil {
		return block.Height
	}
	if slot >= b.open().slot {
		return b.open().height
	}
	return 0
}

// Block returns a sealed block and its level, with its transactions if requested. The error is
// ErrNoBlock, or ErrPruned if the block or a requested transaction is no longer kept.
func (b *state) Block(slot uint64, transactions bool) (*Block, []*Transaction, Level, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	block, err := b.history.block(slot)
	if err != nil || !transactions {
		return block, nil, b.level(slot), err
	}
	list := make([]*Transaction, 0, block.Count)
	for sequence := block.First; sequence < block.First+uint64(block.Count); sequence++ {
		t, ok, err := b.history.record(sequence)
		if err != nil {
			return nil, nil, 0, err
		}
		if !ok {
			return nil, nil, 0, fmt.Errorf("transactions of slot %d: %w", slot, ErrPruned)
		}
		list = append(list, t)
	}
	return block, list, b.level(slot), nil
}

// Parent returns the block before a block, or false if it is no longer kept.
func (b *state) Parent(block *Block) (*Block, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	parent, err := b.history.block(block.Parent)
	return parent, err == nil && block.Height > 0
}

// Blocks lists at most limit sealed blocks from a slot on.
func (b *state) Blocks(from uint64, limit int) []*Block {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i := b.history.from(from)
	return append([]*Block(nil), b.history.blocks[i:min(len(b.history.blocks), i+limit)]...)
}

// FirstBlock returns the slot of the oldest block that is kept with all its transactions.
func (b *state) FirstBlock() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.history.firstComplete()
}

// Query asks for the transactions that name an address.
type Query struct {
	Address solana.PublicKey
	Before  *solana.Signature // only earlier ones
	Until   *solana.Signature // only later ones
	MaxSlot uint64
	Limit   int
}

// Transactions answers a query, newest first. If a signature is not kept, it does nothing as Until,
// but as Before it leaves no result, as on a cluster.
func (b *Bank) Transactions(q Query) ([]Status, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	before, after, ok := b.bounds(q)
	if !ok {
		return nil, nil
	}
	list := b.history.byAddress[q.Address]
	var out []Status
	newest := sort.Search(len(list), func(i int) bool { return list[i] >= before }) - 1
	for i := newest; i >= 0 && len(out) < q.Limit && int64(list[i]) > after; i-- {
		t, _, err := b.history.record(list[i])
		if err != nil {
			return nil, err
		}
		if t.Slot <= q.MaxSlot {
			out = append(out, b.status(t))
		}
	}
	return out, nil
}

// bounds returns the two sequences, both exclusive, that a query lies between.
func (b *state) bounds(q Query) (before uint64, after int64, ok bool) {
	before, after = math.MaxUint64, -1
	if q.Before != nil {
		if before, ok = b.history.bySignature[*q.Before]; !ok {
			return 0, 0, false
		}
	}
	if q.Until != nil {
		if sequence, ok := b.history.bySignature[*q.Until]; ok {
			after = int64(sequence)
		}
	}
	return before, after, true
}
