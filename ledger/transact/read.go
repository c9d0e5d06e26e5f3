package transact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
)

// maxSigners bounds the signatures of a message that ReadMessage takes.
const maxSigners = 16

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
	if len(message) > MaxTransaction || len(message) == 0 || message[0] > maxSigners {
		return Asked{}, fmt.Errorf("%w: %d bytes", errMessage, len(message))
	}
	raw := append([]byte{message[0]}, make([]byte, int(message[0])*len(onchain.Signature{}))...)
	tx, err := solana.TransactionFromBytes(append(raw, message...))
	if err != nil {
		return Asked{}, fmt.Errorf("%w: %w", errMessage, err)
	}
	m := tx.Message
	if again, err := m.MarshalBinary(); err != nil || !bytes.Equal(again, message) || m.IsVersioned() || len(m.AccountKeys) == 0 {
		return Asked{}, errMessage
	}
	out, b := Asked{Payer: onchain.Address(m.AccountKeys[0])}, Budget{Units: MaxUnits}
	for _, i := range m.Instructions {
		if int(i.ProgramIDIndex) >= len(m.AccountKeys) {
			return Asked{}, errMessage
		}
		one := onchain.Instruction{Program: onchain.Address(m.AccountKeys[i.ProgramIDIndex]), Data: i.Data}
		if one.Program == onchain.Address(solana.ComputeBudget) {
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
	case len(data) == 9 && data[0] == 3 && binary.LittleEndian.Uint64(data[1:]) <= 1<<40:
		b.Priced, b.Price = true, binary.LittleEndian.Uint64(data[1:])
	default:
		return fmt.Errorf("%w: its budget", errMessage)
	}
	return nil
}
