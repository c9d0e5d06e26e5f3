package svm

import (
	"bytes"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// MaxTransactionSize bounds a transaction in bytes: it is the payload of a packet.
const MaxTransactionSize = 1232

// DecodeTransaction reads a transaction from the wire. It refuses more than MaxTransactionSize
// bytes, trailing bytes and encodings that are not canonical, so that the executed bytes are the
// signed ones.
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
