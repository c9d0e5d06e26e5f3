package svm

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
)

// Kinds of System instructions.
const (
	systemCreate = iota
	systemAssign
	systemTransfer
	systemCreateWithSeed
	systemAdvanceNonce
	systemWithdrawNonce
	systemInitializeNonce
	systemAuthorizeNonce
	systemAllocate
	systemAllocateWithSeed
	systemAssignWithSeed
	systemTransferWithSeed
	systemUpgradeNonce
	systemCreatePrefunded
)

// systemInstruction has the fields of any kind. owner is also the authority of a nonce.
type systemInstruction struct {
	kind            uint32
	base, owner     solana.PublicKey
	seed            string
	lamports, space uint64
}

// maxSystemData bounds the bytes that Agave's decoder reads: a packet.
const maxSystemData = 1232

// decoder reads bincode. A short or malformed input sets bad.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) key() solana.PublicKey {
	if b := d.take(32); b != nil {
		return solana.PublicKeyFromBytes(b)
	}
	return solana.PublicKey{}
}

func (d *decoder) text() string {
	b := d.take(d.u64())
	d.bad = d.bad || !utf8.Valid(b)
	return string(b)
}

// decodeSystem reads an instruction. Like bincode here, it ignores bytes after it.
func decodeSystem(data []byte) (systemInstruction, error) {
	d := &decoder{rest: data[:min(len(data), maxSystemData)]}
	in := systemInstruction{kind: d.u32()}
	switch in.kind {
	case systemCreate, systemCreatePrefunded:
		in.lamports, in.space, in.owner = d.u64(), d.u64(), d.key()
	case systemAssign, systemInitializeNonce, systemAuthorizeNonce:
		in.owner = d.key()
	case systemTransfer, systemWithdrawNonce:
		in.lamports = d.u64()
	case systemCreateWithSeed:
		in.base, in.seed = d.key(), d.text()
		in.lamports, in.space, in.owner = d.u64(), d.u64(), d.key()
	case systemAdvanceNonce, systemUpgradeNonce:
	case systemAllocate:
		in.space = d.u64()
	case systemAllocateWithSeed:
		in.base, in.seed = d.key(), d.text()
		in.space, in.owner = d.u64(), d.key()
	case systemAssignWithSeed:
		in.base, in.seed = d.key(), d.text()
		in.owner = d.key()
	case systemTransferWithSeed:
		in.lamports, in.seed = d.u64(), d.text()
		in.owner = d.key()
	default:
		d.bad = true
	}
	if d.bad {
		return in, failure.Of(failure.InvalidInstructionData)
	}
	return in, nil
}
