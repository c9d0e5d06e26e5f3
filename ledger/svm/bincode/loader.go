package bincode

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/failure"
)

// Kinds of instructions of the upgradeable loader.
const (
	InitializeBuffer = iota
	Write
	Deploy
	Upgrade
	SetAuthority
	Close
	extendProgram
	SetAuthorityChecked
)

// Loader has the fields of any kind.
type Loader struct {
	Kind      uint32
	Offset    uint32 // of Bytes in the program
	Bytes     []byte
	MaxLength uint64 // of the program, in bytes
}

// DecodeLoader reads an instruction. It ignores bytes after it.
func DecodeLoader(data []byte) (Loader, error) {
	d := &Decoder{Rest: data[:min(len(data), maxData)]}
	in := Loader{Kind: d.U32()}
	switch in.Kind {
	case InitializeBuffer, Upgrade, SetAuthority, Close, SetAuthorityChecked:
	case Write:
		in.Offset = d.U32()
		in.Bytes = d.take(d.U64())
	case Deploy:
		in.MaxLength = d.U64()
	case extendProgram:
		d.U32()
	default:
		d.Bad = true
	}
	if d.Bad {
		return in, failure.Of(failure.InvalidInstructionData)
	}
	return in, nil
}

// LoaderState is the state of an account of the upgradeable loader.
type LoaderState struct {
	Kind      uint32
	Slot      uint64           // of the deployment, in ProgramData
	Upgrade   bool             // there is an authority, over a Buffer or ProgramData
	Authority solana.PublicKey // zero without one
	Data      solana.PublicKey // the account with the code of a Program
}

// Kinds of states of the upgradeable loader.
const (
	Uninitialized = iota
	Buffer
	Program
	ProgramData
)

// DecodeLoaderState reads the state of an account of the upgradeable loader.
func DecodeLoaderState(data []byte) (LoaderState, error) {
	d := &Decoder{Rest: data}
	s := LoaderState{Kind: d.U32()}
	switch s.Kind {
	case Uninitialized:
	case Program:
		s.Data = d.Key()
	case Buffer, ProgramData:
		if s.Kind == ProgramData {
			s.Slot = d.U64()
		}
		option := d.take(1)
		switch {
		case option == nil:
		case option[0] == 1:
			s.Upgrade, s.Authority = true, d.Key()
		case option[0] > 1:
			d.Bad = true
		}
	default:
		d.Bad = true
	}
	if d.Bad {
		return s, failure.Of(failure.InvalidAccountData)
	}
	return s, nil
}
