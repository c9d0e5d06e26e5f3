package bank

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"
)

// Seal ends the open slot and opens the next one at the caller's time. It returns when both are
// durable.
func (b *Bank) Seal(now time.Time) error {
	if err := b.step(func() error { return b.seal(1, now) }); err != nil {
		return err
	}
	return b.Sync()
}

// Warp moves the chain's clock forward from now, by at most MaxWarp. It skips the slots of that
// time, as on a cluster without leaders, except for the last FinalityBlocks+2, which get blocks
// with the new time. So processed transactions are finalized at the new time, the block height
// rises by a few, and recent blockhashes stay valid. Warp returns when this is durable.
func (b *Bank) Warp(by time.Duration, now time.Time) error {
	if by <= 0 || by > MaxWarp {
		return fmt.Errorf("bank: warp by %v: it must be more than 0 and at most %v", by, MaxWarp)
	}
	err := b.step(func() error {
		if now.Add(b.offset+by).Unix() > maxClock {
			return fmt.Errorf("bank: warp by %v: the clock would pass the year 2262", by)
		}
		return b.warp(by, now)
	})
	if err != nil {
		return err
	}
	return b.Sync()
}

func (b *Bank) warp(by time.Duration, now time.Time) error {
	blocks := uint64(b.config.FinalityBlocks) + 2
	slots := max(uint64(by/b.config.SlotTime), blocks)
	b.offset += by
	if err := b.seal(slots-blocks+1, now); err != nil {
		return err
	}
	for range blocks - 1 {
		if err := b.seal(1, now); err != nil {
			return err
		}
	}
	return nil
}

// step changes the chain exclusively.
func (b *Bank) step(change func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.journal.failure(); err != nil {
		return err
	}
	return change()
}

// seal ends the open slot and opens the one that is skip slots later.
func (b *Bank) seal(skip uint64, now time.Time) error {
	l := b.open()
	block := b.block(l)
	b.history.blocks = append(b.history.blocks, block)
	b.hashes.push(block.Blockhash, block.Height)
	l.blockhash = block.Blockhash
	b.push(l.slot+skip, l.slot, l.height+1, b.now(now))
	final := b.finalize()
	root := b.rooted.slot
	e := entry{block: block, head: b.head()}
	e.events = append(e.events, l.event(Confirmed, root))
	opened := b.open().event(Processed, root)
	opened.Opened = true
	e.events = append(e.events, opened)
	for _, f := range final {
		e.events = append(e.events, f.event(Finalized, f.slot))
		f.transactions = nil // history has them
	}
	var err error
	if e.dropSequences, e.dropSlots, err = b.history.prune(); err != nil {
		return b.broken("forget old transactions: %w", err)
	}
	b.journal.add(e)
	return nil
}

// block returns the block of the open slot.
func (b *Bank) block(l *layer) *Block {
	parent := b.history.blocks[len(b.history.blocks)-1]
	content := b.contentHash(l)
	blockhash := b.keys.blockhash(parent.Blockhash, l.slot, content)
	identity, _ := b.lookup(len(b.layers)-1, b.Identity())
	return &Block{
		Slot: l.slot, Parent: l.parent, Height: l.height, Time: l.time,
		Blockhash: blockhash, Hash: bankHash(parent.Hash, blockhash, l),
		First: l.first, Count: uint32(b.history.next() - l.first),
		Signatures: l.signatures, Fees: l.fees, IdentityBalance: identity.Lamports,
	}
}

// bankHash binds a block to its parent, its time and, through the blockhash, to its content. It is
// the block's entry in SlotHashes, and as hard to foresee as the blockhash.
func bankHash(parent, blockhash solana.Hash, l *layer) solana.Hash {
	h := sha256.New()
	h.Write([]byte("oju:devnet:bank"))
	h.Write(parent[:])
	h.Write(blockhash[:])
	for _, v := range []uint64{l.slot, l.height, uint64(l.time)} {
		h.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	return solana.Hash(h.Sum(nil))
}
