package devnet

import (
	"encoding/base64"

	"github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"ojud/ledger/svm"
	"ojud/ledger/svm/failure"
)

// The words for the two kinds of input in decode errors, and the longest encodings of 4,096 bytes.
const (
	transactionType = "solana_transaction::versioned::VersionedTransaction"
	messageType     = "solana_message::versions::VersionedMessage"
	longestBase58   = 5594
	longestBase64   = 5464
)

// decodeWire reads a transaction or a message from text and bounds it.
func decodeWire(text string, e encoding, what string) ([]byte, error) {
	longest, name := longestBase58, "base58"
	if e == encodingBase64 {
		longest, name = longestBase64, "base64"
	}
	if len(text) > longest {
		return nil, invalidParams("%s encoded %s too large: %d bytes (max: encoded/raw %d/%d)",
			name, what, len(text), longest, svm.MaxTransactionSizeV1)
	}
	var raw []byte
	var err error
	if e == encodingBase64 {
		raw, err = base64.StdEncoding.DecodeString(text)
	} else if text != "" {
		raw, err = base58.Decode(text)
	}
	if err != nil {
		return nil, invalidParams("invalid %s encoding: %v", name, err)
	}
	if most := svm.SizeLimit(raw); len(raw) > most {
		return nil, invalidParams("decoded %s too large: %d bytes (max: %d bytes)", what, len(raw), most)
	}
	return raw, nil
}

// decodeTransaction reads the transaction of sendTransaction and simulateTransaction.
func decodeTransaction(text string, e encoding) (*solana.Transaction, error) {
	switch e {
	case encodingDefault, encodingBinary, encodingBase58, encodingBase64:
	default:
		return nil, invalidParams("unsupported encoding: %s. Supported encodings: base58, base64", e)
	}
	raw, err := decodeWire(text, e, transactionType)
	if err != nil {
		return nil, err
	}
	tx, err := svm.DecodeTransaction(raw)
	if err != nil {
		return nil, invalidParams("failed to deserialize %s: %v", transactionType, err)
	}
	if len(tx.Signatures) == 0 {
		return nil, invalidTransaction(&failure.TransactionError{Code: failure.ErrSanitizeFailure})
	}
	return tx, nil
}

func invalidTransaction(err *failure.TransactionError) error {
	return invalidParams("invalid transaction: %v", err)
}

// unsanitary reports whether a transaction was refused before the check of its signatures. That is
// the sender's mistake and not the outcome of a simulation.
func unsanitary(err *failure.TransactionError) bool {
	switch err.Code {
	case failure.ErrSanitizeFailure, failure.ErrAddressLookupTableNotFound, failure.ErrInvalidAddressLookupTableOwner,
		failure.ErrInvalidAddressLookupTableData, failure.ErrInvalidAddressLookupTableIndex, failure.ErrUnsupportedVersion:
		return true
	}
	return false
}

// mostSigners is the number of signers that fit into 1,232 bytes, with a signature and an address
// each. A transaction of version 1 may have no more, either.
const mostSigners = 12

// decodeMessage reads a message as a transaction without valid signatures.
func decodeMessage(text string) (*solana.Transaction, error) {
	if _, err := decodeWire(text, encodingBase64, messageType); err != nil {
		return nil, err
	}
	tx := &solana.Transaction{}
	if err := tx.Message.UnmarshalBase64(text); err != nil {
		return nil, invalidParams("failed to deserialize %s: %v", messageType, err)
	}
	signers := tx.Message.Header.NumRequiredSignatures
	if signers > mostSigners {
		return nil, invalidParams("invalid transaction message: %d signers do not fit", signers)
	}
	tx.Signatures = make([]solana.Signature, signers)
	return tx, nil
}
