package bincode

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
)

// Kinds of instructions of the System program.
const (
	Create = iota
	Assign
	Transfer
	CreateWithSeed
	AdvanceNonce
	WithdrawNonce
	InitializeNonce
	AuthorizeNonce
	Allocate
	AllocateWithSeed
	AssignWithSeed
	TransferWithSeed
	upgradeNonce
	CreatePrefunded
)

// System has the fields of any kind. Owner is also the authority of a nonce.
type System struct {
	Kind            uint32
	Base, Owner     solana.PublicKey
	Seed            string
	Lamports, Space uint64
}

// maxData bounds the bytes that Agave's decoder reads: a packet.
const maxData = 1232

// DecodeSystem reads an instruction. Like bincode here, it ignores bytes after it.
func DecodeSystem(data []byte) (System, error) {
	d := &Decoder{Rest: data[:min(len(data), maxData)]}
	in := System{Kind: d.U32()}
	switch in.Kind {
	case Create, CreatePrefunded:
		in.Lamports, in.Space, in.Owner = d.U64(), d.U64(), d.Key()
	case Assign, InitializeNonce, AuthorizeNonce:
		in.Owner = d.Key()
	case Transfer, WithdrawNonce:
		in.Lamports = d.U64()
	case CreateWithSeed:
		in.Base, in.Seed = d.Key(), d.Text()
		in.Lamports, in.Space, in.Owner = d.U64(), d.U64(), d.Key()
	case AdvanceNonce, upgradeNonce:
	case Allocate:
		in.Space = d.U64()
	case AllocateWithSeed:
		in.Base, in.Seed = d.Key(), d.Text()
		in.Space, in.Owner = d.U64(), d.Key()
	case AssignWithSeed:
		in.Base, in.Seed = d.Key(), d.Text()
		in.Owner = d.Key()
	case TransferWithSeed:
		in.Lamports, in.Seed = d.U64(), d.Text()
		in.Owner = d.Key()
	default:
		d.Bad = true
	}
	if d.Bad {
		return in, failure.Of(failure.InvalidInstructionData)
	}
	return in, nil
}
