package svm

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"
)

// loaded has the accounts of a transaction before it runs.
type loaded struct {
	accounts []txAccount
	payer    Account // as stored if the transaction fails
	nonce    *KeyedAccount
	size     uint64
}

// loadPayer takes the fee from the first account. An error means that the transaction is not part
// of the chain.
func (l *loaded) loadPayer(m *message, env *Environment, source Source, fee uint64) (txAccount, *TransactionError) {
	key := m.keys[0]
	state, ok := source.Account(key)
	if !ok || state.Lamports == 0 {
		return txAccount{}, reject(ErrAccountNotFound)
	}
	minimum := uint64(0)
	if state.Owner != systemID || len(state.Data) != 0 {
		if state.Owner != systemID || !isNonceAccount(state.Data) {
			return txAccount{}, reject(ErrInvalidAccountForFee)
		}
		minimum = env.Rent.MinimumBalance(nonceSize)
	}
	if state.Lamports < minimum || state.Lamports-minimum < fee {
		return txAccount{}, reject(ErrInsufficientFundsForFee)
	}
	l.payer = state
	l.payer.Lamports -= fee
	if rule := env.rentRule(); !rule.allows(rule.state(state), l.payer) {
		return txAccount{}, rejectAt(ErrInsufficientFundsForRent, 0)
	}
	out := txAccount{key: key, state: markExempt(state, env.Rent), shared: true}
	out.state.Lamports -= fee
	return out, nil
}

// markExempt sets the rent epoch of an exempt account, as loading does.
func markExempt(a Account, rent Rent) Account {
	if rent.IsExempt(a.Lamports, len(a.Data)) {
		a.RentEpoch = rentEpochExempt
	}
	return a
}

// loadAll loads the other accounts and checks the programs. If it fails, the transaction only pays
// its fee.
func (l *loaded) loadAll(m *message, env *Environment, source Source, payer txAccount, limit uint64) *TransactionError {
	l.accounts = make([]txAccount, 0, len(m.keys))
	counted := map[solana.PublicKey]bool{}
	for i, key := range m.keys {
		account, size, err := payer, accountBaseSize+uint64(len(payer.state.Data)), (*TransactionError)(nil)
		if i > 0 {
			account, size, err = loadOne(m, env, source, i)
		}
		if err != nil {
			return err
		}
		l.size += size + programDataSize(m, source, account.state, counted)
		if l.size > limit {
			return reject(ErrMaxLoadedAccountsDataSizeExceeded)
		}
		account.key = key
		l.accounts = append(l.accounts, account)
	}
	return checkPrograms(m, source)
}

func loadOne(m *message, env *Environment, source Source, i int) (txAccount, uint64, *TransactionError) {
	key := m.keys[i]
	if key == instructionsID {
		data, ok := m.instructionsData()
		if !ok {
			return txAccount{}, 0, reject(ErrMaxLoadedAccountsDataSizeExceeded)
		}
		return txAccount{state: Account{Data: data, Owner: sysvarID}}, 0, nil
	}
	state, ok := source.Account(key)
	if !ok || state.Lamports == 0 {
		return txAccount{state: Account{RentEpoch: rentEpochExempt}}, 0, nil
	}
	if m.writable[i] {
		state = markExempt(state, env.Rent)
	}
	return txAccount{state: state, shared: true}, accountBaseSize + uint64(len(state.Data)), nil
}

// programDataSize counts the code of an upgradeable program once, unless the message names its
// account itself.
func programDataSize(m *message, source Source, a Account, counted map[solana.PublicKey]bool) uint64 {
	key, ok := programDataKey(a)
	if !ok || counted[key] || contains(m.keys, key) {
		return 0
	}
	data, ok := source.Account(key)
	if !ok {
		return 0
	}
	counted[key] = true
	return accountBaseSize + uint64(len(data.Data))
}

func checkPrograms(m *message, source Source) *TransactionError {
	for _, ix := range m.instructions {
		a, ok := source.Account(m.keys[ix.program])
		if !ok || a.Lamports == 0 {
			return reject(ErrProgramAccountNotFound)
		}
		if a.Owner != nativeLoaderID && !runsPrograms(a.Owner) {
			return reject(ErrInvalidProgramForExecution)
		}
	}
	return nil
}

// checkAge accepts a transaction with an old blockhash only if it advances a durable nonce. It
// returns that nonce's account as stored if the transaction fails.
func checkAge(m *message, env *Environment, source Source) (*KeyedAccount, *TransactionError) {
	if env.BlockhashValid == nil || env.BlockhashValid(m.blockhash) {
		return nil, nil
	}
	key, ok := m.nonceAccount()
	if !ok {
		return nil, reject(ErrBlockhashNotFound)
	}
	account, ok := source.Account(key)
	if !ok || account.Owner != systemID || !isNonceAccount(account.Data) {
		return nil, reject(ErrBlockhashNotFound)
	}
	n, ok := decodeNonce(account.Data)
	next := durableNonce(env.Blockhash)
	if !ok || n.legacy || n.nonce != m.blockhash || n.nonce == next || !m.signsFirst(n.authority) {
		return nil, reject(ErrBlockhashNotFound)
	}
	n.nonce, n.fee = next, env.LamportsPerSignature
	account = markExempt(account, env.Rent)
	account.Data = n.encode()
	return &KeyedAccount{key, account}, nil
}

// nonceAccount returns the account that a message's first instruction advances, if it does so.
func (m *message) nonceAccount() (solana.PublicKey, bool) {
	if len(m.instructions) == 0 {
		return solana.PublicKey{}, false
	}
	ix := m.instructions[0]
	advances := len(ix.data) >= 4 && binary.LittleEndian.Uint32(ix.data) == systemAdvanceNonce
	if m.keys[ix.program] != systemID || !advances || len(ix.accounts) == 0 || !m.writable[ix.accounts[0]] {
		return solana.PublicKey{}, false
	}
	return m.keys[ix.accounts[0]], true
}

// signsFirst reports whether the key signs the first instruction.
func (m *message) signsFirst(key solana.PublicKey) bool {
	for _, a := range m.instructions[0].accounts {
		if a < m.signers && m.keys[a] == key {
			return true
		}
	}
	return false
}
