package svm

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// nonceSize is the data length of a nonce account in bytes.
const nonceSize = 80

// nonceState is the state of a nonce account. Legacy ones are older than the separation of nonces
// from blockhashes.
type nonceState struct {
	legacy      bool
	initialized bool
	authority   solana.PublicKey
	nonce       solana.Hash
	fee         uint64
}

// durableNonce returns the value that a nonce advances to.
func durableNonce(blockhash solana.Hash) solana.Hash {
	return sha256.Sum256(append([]byte("DURABLE_NONCE"), blockhash[:]...))
}

func decodeNonce(data []byte) (nonceState, bool) {
	d := &bincode.Decoder{Rest: data}
	version, state := d.U32(), d.U32()
	n := nonceState{legacy: version == 0, initialized: state == 1}
	if n.initialized {
		n.authority, n.nonce, n.fee = d.Key(), solana.Hash(d.Key()), d.U64()
	}
	return n, !d.Bad && version <= 1 && state <= 1
}

func (n nonceState) encode() []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(1-flag(n.legacy)))
	out = binary.LittleEndian.AppendUint32(out, uint32(flag(n.initialized)))
	if n.initialized {
		out = append(append(out, n.authority[:]...), n.nonce[:]...)
		out = binary.LittleEndian.AppendUint64(out, n.fee)
	}
	return out
}

// isNonceAccount reports whether a system account of nonce size holds an initialized nonce.
func isNonceAccount(data []byte) bool {
	return len(data) == nonceSize && binary.LittleEndian.Uint32(data) <= 1 && binary.LittleEndian.Uint32(data[4:]) == 1
}

// loadNonce reads the state of an account as an instruction does.
func loadNonce(b borrowed) (nonceState, error) {
	n, ok := decodeNonce(b.account.state.Data)
	if !ok {
		return n, failure.Of(failure.InvalidAccountData)
	}
	return n, nil
}

func storeNonce(b borrowed, n nonceState) error {
	data, err := b.mutable()
	if err != nil {
		return err
	}
	encoded := n.encode()
	if len(encoded) > len(data) {
		return failure.Of(failure.AccountDataTooSmall)
	}
	copy(data, encoded)
	return nil
}
