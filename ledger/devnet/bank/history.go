package bank

import (
	"fmt"
	"sort"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
)

// history is the part of the past that is kept: encoded records of transactions, and blocks. It
// lives in memory; the store makes it durable.
type history struct {
	keepTransactions, keepBlocks int

	records     [][]byte // ascending sequence; the first is base
	base        uint64
	bySignature map[solana.Signature]uint64
	byAddress   map[solana.PublicKey][]uint64 // ascending sequences
	blocks      []*Block                      // ascending slot
}

func newHistory(c Config) *history {
	return &history{
		keepTransactions: c.KeepTransactions, keepBlocks: c.KeepBlocks,
		bySignature: map[solana.Signature]uint64{}, byAddress: map[solana.PublicKey][]uint64{},
	}
}

// next returns the sequence of the next transaction.
func (h *history) next() uint64 { return h.base + uint64(len(h.records)) }

// add appends a record that names these accounts. Its sequence must be next.
func (h *history) add(signature solana.Signature, addresses []solana.PublicKey, record []byte) {
	sequence := h.next()
	h.records = append(h.records, record)
	h.bySignature[signature] = sequence
	for _, a := range addresses {
		h.byAddress[a] = append(h.byAddress[a], sequence)
	}
}

// record returns the transaction of a sequence, or false if it is not kept or does not exist yet. A
// record from our encoder always decodes; the error means damage.
func (h *history) record(sequence uint64) (*Transaction, bool, error) {
	if sequence < h.base || sequence >= h.next() {
		return nil, false, nil
	}
	t, err := decodeTransaction(h.records[sequence-h.base])
	return t, err == nil, err
}

func (h *history) bySig(s solana.Signature) (*Transaction, bool, error) {
	sequence, ok := h.bySignature[s]
	if !ok {
		return nil, false, nil
	}
	return h.record(sequence)
}

// block returns the block of a slot.
func (h *history) block(slot uint64) (*Block, error) {
	i := h.from(slot)
	if i < len(h.blocks) && h.blocks[i].Slot == slot {
		return h.blocks[i], nil
	}
	if len(h.blocks) == 0 || slot < h.blocks[0].Slot {
		return nil, fmt.Errorf("slot %d: %w", slot, ErrPruned)
	}
	return nil, fmt.Errorf("slot %d: %w", slot, ErrNoBlock)
}

// from returns the index of the first block at or after the slot.
func (h *history) from(slot uint64) int {
	return sort.Search(len(h.blocks), func(i int) bool { return h.blocks[i].Slot >= slot })
}

// firstComplete returns the slot of the first block whose transactions are all kept.
func (h *history) firstComplete() uint64 {
	i := sort.Search(len(h.blocks), func(i int) bool { return h.blocks[i].First >= h.base })
	if i == len(h.blocks) {
		return h.blocks[i-1].Slot
	}
	return h.blocks[i].Slot
}

// pruneStep bounds the items that one prune drops, so that they fit into a database transaction. At
// 400 ms a slot that is 12,500 a second.
const pruneStep = 5_000

// prune drops items beyond the limits, the oldest first and at most pruneStep of each kind. It
// returns the dropped ones.
func (h *history) prune() (sequences, slots []uint64, err error) {
	for len(h.records) > h.keepTransactions && len(sequences) < pruneStep {
		sequences = append(sequences, h.base)
		if err := h.forget(); err != nil {
			return nil, nil, err
		}
	}
	for len(h.blocks) > h.keepBlocks && len(slots) < pruneStep {
		slots = append(slots, h.blocks[0].Slot)
		h.blocks[0] = nil
		h.blocks = h.blocks[1:]
	}
	return sequences, slots, nil
}

// forget drops the oldest transaction.
func (h *history) forget() error {
	t, _, err := h.record(h.base)
	if err != nil {
		return err
	}
	tx, err := svm.DecodeTransaction(t.Wire)
	if err != nil {
		return fmt.Errorf("bank: prune transaction %d: %w", h.base, err)
	}
	delete(h.bySignature, t.Signature())
	for _, a := range t.Keys(tx) {
		if list := h.byAddress[a][1:]; len(list) > 0 {
			h.byAddress[a] = list
		} else {
			delete(h.byAddress, a)
		}
	}
	h.records[0] = nil
	h.records = h.records[1:]
	h.base++
	return nil
}
