package svm

import (
	"github.com/gagliardetto/solana-go"
)

// message is a checked message: every index is valid and every account's privileges are known.
type message struct {
	keys         []solana.PublicKey
	signers      int
	writable     []bool
	blockhash    solana.Hash
	instructions []compiled
}

// compiled is an instruction with indices into the message's keys.
type compiled struct {
	program  int
	accounts []int
	data     []byte
}

// sanitize checks a transaction's form as Agave does before it looks at any account.
func sanitize(tx *solana.Transaction, source Source) (*message, *TransactionError) {
	m := &tx.Message
	if len(tx.Signatures) != int(m.Header.NumRequiredSignatures) || len(m.AccountKeys) < len(tx.Signatures) {
		return nil, reject(ErrSanitizeFailure)
	}
	if !headerFits(m) || len(m.Instructions) > maxInstructionTrace {
		return nil, reject(ErrSanitizeFailure)
	}
	dynamic, ok := countLookups(m)
	if !ok || len(m.AccountKeys)+dynamic > 256 {
		return nil, reject(ErrSanitizeFailure)
	}
	out := &message{keys: m.AccountKeys, signers: len(tx.Signatures), blockhash: m.RecentBlockhash}
	for _, ix := range m.Instructions {
		c, ok := compile(ix, len(m.AccountKeys), dynamic)
		if !ok {
			return nil, reject(ErrSanitizeFailure)
		}
		out.instructions = append(out.instructions, c)
	}
	if err := checkLookups(m, source); err != nil {
		return nil, err
	}
	out.markWritable(m.Header)
	return out, nil
}

func headerFits(m *solana.Message) bool {
	h := m.Header
	return int(h.NumRequiredSignatures)+int(h.NumReadonlyUnsignedAccounts) <= len(m.AccountKeys) &&
		h.NumReadonlySignedAccounts < h.NumRequiredSignatures
}

// compile checks an instruction's indices. Its program is not the fee payer.
func compile(ix solana.CompiledInstruction, keys, dynamic int) (compiled, bool) {
	c := compiled{program: int(ix.ProgramIDIndex), data: ix.Data}
	if c.program == 0 || c.program >= keys || len(ix.Accounts) > maxAccountsPerIx {
		return c, false
	}
	c.accounts = make([]int, len(ix.Accounts))
	for i, a := range ix.Accounts {
		if int(a) >= keys+dynamic {
			return c, false
		}
		c.accounts[i] = int(a)
	}
	return c, true
}

// countLookups returns the number of accounts that the address lookup tables would add. Each table
// must add one.
func countLookups(m *solana.Message) (int, bool) {
	total := 0
	for _, l := range m.AddressTableLookups {
		n := len(l.WritableIndexes) + len(l.ReadonlyIndexes)
		if n == 0 {
			return 0, false
		}
		total += n
	}
	return total, true
}

// checkLookups refuses address lookup tables: this chain cannot have any.
func checkLookups(m *solana.Message, source Source) *TransactionError {
	if len(m.AddressTableLookups) == 0 {
		return nil
	}
	table, ok := source.Account(m.AddressTableLookups[0].AccountKey)
	switch {
	case !ok:
		return reject(ErrAddressLookupTableNotFound)
	case table.Owner != solana.AddressLookupTableProgramID:
		return reject(ErrInvalidAddressLookupTableOwner)
	}
	return reject(ErrInvalidAddressLookupTableData)
}

// markWritable decides which accounts are writable: those that the header names, except for the
// protocol's own, and for programs if the upgradeable loader does not take part.
func (m *message) markWritable(h solana.MessageHeader) {
	upgradeable := false
	for _, k := range m.keys {
		upgradeable = upgradeable || k == loaderV3ID
	}
	m.writable = make([]bool, len(m.keys))
	for i, k := range m.keys {
		signed := i < m.signers-int(h.NumReadonlySignedAccounts)
		unsigned := i >= m.signers && i < len(m.keys)-int(h.NumReadonlyUnsignedAccounts)
		m.writable[i] = (signed || unsigned) && !reserved(k) && (upgradeable || !m.calls(i))
	}
}

// calls reports whether a top-level instruction runs the i-th account.
func (m *message) calls(i int) bool {
	for _, ix := range m.instructions {
		if ix.program == i {
			return true
		}
	}
	return false
}

// checkLocks limits the accounts of a transaction and forbids repeating one.
func (m *message) checkLocks() *TransactionError {
	seen := make(map[solana.PublicKey]bool, len(m.keys))
	for _, k := range m.keys {
		if seen[k] {
			return reject(ErrAccountLoadedTwice)
		}
		seen[k] = true
	}
	if len(m.keys) > maxAccountLocks {
		return reject(ErrTooManyAccountLocks)
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
func (m *message) verify(tx *solana.Transaction) *TransactionError {
	raw, err := tx.Message.MarshalBinary()
	if err != nil {
		return reject(ErrSanitizeFailure)
	}
	for i, s := range tx.Signatures {
		if !verifySignature(m.keys[i], raw, s) {
			return reject(ErrSignatureFailure)
		}
	}
	return nil
}
