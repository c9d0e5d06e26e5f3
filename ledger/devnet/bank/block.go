package bank

import "github.com/gagliardetto/solana-go"

// Block is a sealed slot.
type Block struct {
	Slot, Parent, Height uint64
	Time                 int64       // Unix seconds
	Blockhash            solana.Hash // the hash that transactions name
	Hash                 solana.Hash // the hash in the SlotHashes sysvar
	First                uint64      // Sequence of its first transaction
	Count                uint32      // of its transactions
	Signatures           uint64      // of all its transactions
	Fees                 uint64      // lamports, credited to the identity
	IdentityBalance      uint64      // the identity's lamports after the block
}

func (b *Block) encode() []byte {
	e := &encoder{make([]byte, 0, 144)}
	for _, v := range []uint64{b.Slot, b.Parent, b.Height, uint64(b.Time)} {
		e.u64(v)
	}
	e.raw(b.Blockhash[:])
	e.raw(b.Hash[:])
	e.u64(b.First)
	e.u32(b.Count)
	for _, v := range []uint64{b.Signatures, b.Fees, b.IdentityBalance} {
		e.u64(v)
	}
	return e.out
}

func decodeBlock(raw []byte) (*Block, error) {
	d := &decoder{rest: raw}
	b := &Block{Slot: d.u64(), Parent: d.u64(), Height: d.u64(), Time: int64(d.u64()), Blockhash: d.hash(), Hash: d.hash()}
	b.First, b.Count = d.u64(), d.u32()
	b.Signatures, b.Fees, b.IdentityBalance = d.u64(), d.u64(), d.u64()
	return b, d.err("block")
}

// head is the position of the chain: the open slot, and the state outside of blocks, records and
// accounts.
type head struct {
	slot, parent, height uint64
	time                 int64 // of the open slot
	epochStart           int64
	offset               int64 // chain's clock less the caller's, nanoseconds
	first, next          uint64
	signatures, fees     uint64 // of the open slot
}

func (h head) encode() []byte {
	e := &encoder{make([]byte, 0, 80)}
	for _, v := range []uint64{h.slot, h.parent, h.height, uint64(h.time), uint64(h.epochStart), uint64(h.offset), h.first, h.next, h.signatures, h.fees} {
		e.u64(v)
	}
	return e.out
}

func decodeHead(raw []byte) (head, error) {
	d := &decoder{rest: raw}
	h := head{slot: d.u64(), parent: d.u64(), height: d.u64(), time: int64(d.u64())}
	h.epochStart, h.offset = int64(d.u64()), int64(d.u64())
	h.first, h.next, h.signatures, h.fees = d.u64(), d.u64(), d.u64(), d.u64()
	return h, d.err("head")
}
