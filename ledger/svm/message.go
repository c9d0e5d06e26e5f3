package svm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/table"
	"ojud/voting/verifier"
)

// message is a checked message: every index is valid and every account's privileges are known.
type message struct {
	keys         []solana.PublicKey // also those of lookup tables
	looked       table.Addresses
	signers      int
	writable     []bool
	blockhash    solana.Hash
	instructions []compiled
	config       *solana.TransactionConfig // of version 1; nil: instructions say what it may use
}

// compiled is an instruction with indices into the message's keys.
type compiled struct {
	program  int
	accounts []int
	data     []byte
}

// sanitize checks a transaction's form as Agave does before it looks at any account.
func sanitize(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot) (*message, *failure.TransactionError) {
	m := &tx.Message
	if tx.Sanitize() != nil || len(m.Instructions) > maxInstructionTrace || len(m.AccountKeys) > 256 {
		return nil, failure.Reject(failure.ErrSanitizeFailure)
	}
	out := &message{signers: len(tx.Signatures), blockhash: m.RecentBlockhash}
	if m.GetVersion() == solana.MessageVersionV1 {
		out.config = &m.TransactionConfig
	}
	for _, ix := range m.Instructions {
		if len(ix.Accounts) > maxAccountsPerIx {
			return nil, failure.Reject(failure.ErrSanitizeFailure)
		}
		out.instructions = append(out.instructions, compile(ix))
	}
	looked, err := table.Resolve(m, env, source)
	if err != nil {
		return nil, err
	}
	out.keys, out.looked = looked.Keys(m.AccountKeys), looked
	out.markWritable(m.Header)
	return out, nil
}

// compile takes over an instruction whose indices were checked.
func compile(ix solana.CompiledInstruction) compiled {
	c := compiled{program: int(ix.ProgramIDIndex), data: ix.Data, accounts: make([]int, len(ix.Accounts))}
	for i, a := range ix.Accounts {
		c.accounts[i] = int(a)
	}
	return c
}

// markWritable decides which accounts are writable: those that the header or a lookup names so,
// except for the protocol's own, and for programs if the upgradeable loader does not take part.
func (m *message) markWritable(h solana.MessageHeader) {
	upgradeable := slices.Contains(m.keys, accounts.LoaderV3ID)
	m.writable = make([]bool, len(m.keys))
	readonly := len(m.keys) - len(m.looked.Readonly)
	own := readonly - len(m.looked.Writable)
	for i, k := range m.keys {
		signed := i < m.signers-int(h.NumReadonlySignedAccounts)
		unsigned := i >= m.signers && i < own-int(h.NumReadonlyUnsignedAccounts)
		looked := i >= own && i < readonly
		m.writable[i] = (signed || unsigned || looked) && !accounts.Reserved(k) && (upgradeable || !m.calls(i))
	}
}

// calls reports whether a top-level instruction runs the i-th account.
func (m *message) calls(i int) bool {
	return slices.ContainsFunc(m.instructions, func(ix compiled) bool { return ix.program == i })
}

// checkLocks limits the accounts of a transaction and forbids repeating one.
func (m *message) checkLocks() *failure.TransactionError {
	seen := make(map[solana.PublicKey]bool, len(m.keys))
	for _, k := range m.keys {
		if seen[k] {
			return failure.Reject(failure.ErrAccountLoadedTwice)
		}
		seen[k] = true
	}
	if len(m.keys) > maxAccountLocks {
		return failure.Reject(failure.ErrTooManyAccountLocks)
	}
	return nil
}

// datas returns the data of all instructions, because precompiles refer to each other's.
func (m *message) datas() [][]byte {
	out := make([][]byte, len(m.instructions))
	for i, ix := range m.instructions {
		out[i] = ix.data
	}
	return out
}

// verify checks every signature over the message.
func (m *message) verify(tx *solana.Transaction, by *verifier.Verifier) *failure.TransactionError {
	raw, err := tx.Message.MarshalBinary()
	if err != nil {
		return failure.Reject(failure.ErrSanitizeFailure)
	}
	for i, s := range tx.Signatures {
		if !by.Verify(m.keys[i], raw, s) {
			return failure.Reject(failure.ErrSignatureFailure)
		}
	}
	return nil
}

// MaxTransactionSize bounds a transaction of the older versions in bytes: it is the payload of a
// packet. MaxTransactionSizeV1 bounds one of version 1 (SIMD-0385).
const (
	MaxTransactionSize   = 1232
	MaxTransactionSizeV1 = solana.MaxTransactionSizeV1
)

// version1 is the first byte of a message of version 1, and of its transaction.
const version1 = 0x81

// SizeLimit bounds a transaction or a message by the version that its first byte names.
func SizeLimit(raw []byte) int {
	if len(raw) > 0 && raw[0] == version1 {
		return MaxTransactionSizeV1
	}
	return MaxTransactionSize
}

// Signature returns the first signature of an encoded transaction, which identifies it; zero: there
// is none. It is in front, and in version 1 at the end.
func Signature(raw []byte) (s solana.Signature) {
	at := 1
	if len(raw) > 1 && raw[0] == version1 {
		at = len(raw) - len(s)*int(raw[1])
	}
	if at > 0 && at+len(s) <= len(raw) {
		copy(s[:], raw[at:])
	}
	return s
}

// DecodeTransaction reads a transaction from the wire. It refuses more bytes than SizeLimit,
// trailing bytes and encodings that are not canonical, so that the executed bytes are the signed
// ones.
func DecodeTransaction(raw []byte) (*solana.Transaction, error) {
	if most := SizeLimit(raw); len(raw) > most {
		return nil, fmt.Errorf("svm: transaction is %d bytes, at most %d are allowed", len(raw), most)
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

// instructionsData returns the content of the instructions sysvar: the transaction's instructions
// and room for the index of the running one. It returns false if an instruction begins beyond 64
// KiB. Agave: solana-instructions-sysvar 4.0.
func (m *message) instructionsData() ([]byte, bool) {
	le := binary.LittleEndian
	out := le.AppendUint16(nil, uint16(len(m.instructions)))
	out = append(out, make([]byte, 2*len(m.instructions))...)
	for i, ix := range m.instructions {
		if len(out) > 0xffff {
			return nil, false
		}
		le.PutUint16(out[2+2*i:], uint16(len(out)))
		out = le.AppendUint16(out, uint16(len(ix.accounts)))
		for _, a := range ix.accounts {
			out = append(out, flag(a < m.signers)|flag(m.writable[a])<<1)
			out = append(out, m.keys[a][:]...)
		}
		out = append(out, m.keys[ix.program][:]...)
		out = le.AppendUint16(out, uint16(len(ix.data)))
		out = append(out, ix.data...)
	}
	return append(out, 0, 0), true
}
