package transact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// maxSigners and maxOffer bound the signatures of a message that ReadMessage takes, and what it
// offers for priority, in lamports or micro-lamports.
const (
	maxSigners = 16
	maxOffer   = 1 << 40
)

// errMessage means that bytes are no message that this package makes.
var errMessage = errors.New("ledger: the message to sign is not known")

// Asked is what a message asks its signers for.
type Asked struct {
	Payer        onchain.Address
	Instructions []onchain.Instruction // without those of the budget
	Fee          uint64                // lamports
}

// ReadMessage reads a message that a key has to sign, so that the holder of the key can decide
// whether to sign it. It takes only messages as Compile makes them.
func ReadMessage(message []byte) (Asked, error) {
	signers := 0
	if newer(message) {
		signers = int(message[1])
	} else if len(message) > 0 {
		signers = int(message[0])
	}
	if len(message) > limit(message) || len(message) == 0 || signers > maxSigners {
		return Asked{}, fmt.Errorf("%w: %d bytes", errMessage, len(message))
	}
	tx, err := solana.TransactionFromBytes(withSignatures(message, make([]byte, signers*len(onchain.Signature{})), signers))
	if err != nil {
		return Asked{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	m := tx.Message
	again, err := m.MarshalBinary()
	if err != nil || !bytes.Equal(again, message) || m.GetVersion() == solana.MessageVersionV0 || len(m.AccountKeys) == 0 {
		return Asked{}, errMessage
	}
	if offer := m.TransactionConfig.PriorityFee; m.TransactionConfig.HeapSize != nil || offer != nil && *offer > maxOffer {
		return Asked{}, fmt.Errorf("%w: its budget", errMessage)
	}
	out, b := Asked{Payer: onchain.Address(m.AccountKeys[0])}, Budget{Units: MaxUnits}
	for _, i := range m.Instructions {
		if int(i.ProgramIDIndex) >= len(m.AccountKeys) {
			return Asked{}, errMessage
		}
		one := onchain.Instruction{Program: onchain.Address(m.AccountKeys[i.ProgramIDIndex]), Data: i.Data}
		if one.Program == onchain.Address(solana.ComputeBudget) && !newer(message) {
			if err := b.read(i.Data); err != nil {
				return Asked{}, err
			}
			continue
		}
		for _, n := range i.Accounts {
			if int(n) >= len(m.AccountKeys) {
				return Asked{}, errMessage
			}
			key := m.AccountKeys[n]
			writable, err := m.IsWritable(key)
			if err != nil {
				return Asked{}, fmt.Errorf("%w: %w", errMessage, err)
			}
			one.Accounts = append(one.Accounts, onchain.AccountMeta{Address: onchain.Address(key), Signer: m.IsSigner(key), Writable: writable})
		}
		out.Instructions = append(out.Instructions, one)
	}
	out.Fee = Unsigned{tx, message}.Fee(b)
	return out, nil
}

// read is the inverse of Instructions, for one of them.
func (b *Budget) read(data []byte) error {
	switch {
	case len(data) == 5 && data[0] == 2 && binary.LittleEndian.Uint32(data[1:]) <= MaxUnits:
		b.Units = binary.LittleEndian.Uint32(data[1:])
	case len(data) == 9 && data[0] == 3 && binary.LittleEndian.Uint64(data[1:]) <= maxOffer:
		b.Priced, b.Price = true, binary.LittleEndian.Uint64(data[1:])
	default:
		return fmt.Errorf("%w: its budget", errMessage)
	}
	return nil
}
