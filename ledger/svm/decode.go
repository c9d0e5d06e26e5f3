package svm

import (
	"bytes"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// MaxTransactionSize is the size of a packet's payload in bytes, the most a transaction may have.
const MaxTransactionSize = 1232

// DecodeTransaction reads a transaction from the wire. It refuses more than MaxTransactionSize
// bytes, trailing bytes and encodings that are not canonical, so that what was signed is what is
// executed.
func DecodeTransaction(raw []byte) (*solana.Transaction, error) {
	if len(raw) > MaxTransactionSize {
		return nil, fmt.Errorf("svm: transaction is %d bytes, at most %d are allowed", len(raw), MaxTransactionSize)
	}
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil {
		return nil, fmt.Errorf("svm: decode transaction: %w", err)
	}
	again, err := tx.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("svm: decode transaction: %w", err)
	}
	if !bytes.Equal(again, raw) {
		return nil, fmt.Errorf("svm: decode transaction: encoding is not canonical")
	}
	return tx, nil
}
