package svm

import (
	"encoding/binary"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/bincode"
	"ojud/ledger/svm/failure"
)

// loaded has the accounts of a transaction before it runs.
type loaded struct {
	accounts []txAccount
	payer    accounts.Account // as stored if the transaction fails
	nonce    *accounts.Keyed
	size     uint64
}

// loadPayer takes the fee from the first account. An error means that the transaction is not part
// of the chain.
func (l *loaded) loadPayer(m *message, env *accounts.Environment, source accounts.Snapshot, fee uint64) (txAccount, *failure.TransactionError) {
	key := m.keys[0]
	state, ok := source.Account(key)
	if !ok || state.Lamports == 0 {
		return txAccount{}, failure.Reject(failure.ErrAccountNotFound)
	}
	minimum := uint64(0)
	if state.Owner != accounts.SystemID || len(state.Data) != 0 {
		if state.Owner != accounts.SystemID || !isNonceAccount(state.Data) {
			return txAccount{}, failure.Reject(failure.ErrInvalidAccountForFee)
		}
		minimum = env.Rent.MinimumBalance(nonceSize)
	}
	if state.Lamports < minimum || state.Lamports-minimum < fee {
		return txAccount{}, failure.Reject(failure.ErrInsufficientFundsForFee)
	}
	l.payer = state
	l.payer.Lamports -= fee
	if rule := ruleOf(env); !rule.allows(rule.state(state), l.payer) {
		return txAccount{}, failure.RejectAt(failure.ErrInsufficientFundsForRent, 0)
	}
	out := txAccount{key: key, state: markExempt(state, env.Rent), shared: true}
	out.state.Lamports -= fee
	return out, nil
}

// markExempt sets the rent epoch of an exempt account, as loading does.
func markExempt(a accounts.Account, rent accounts.Rent) accounts.Account {
	if rent.IsExempt(a.Lamports, len(a.Data)) {
		a.RentEpoch = accounts.RentExempt
	}
	return a
}

// loadAll loads the other accounts and checks the programs. If it fails, the transaction only pays
// its fee.
func (l *loaded) loadAll(m *message, env *accounts.Environment, source accounts.Snapshot, payer txAccount, limit uint64) *failure.TransactionError {
	l.accounts = make([]txAccount, 0, len(m.keys))
	counted := map[solana.PublicKey]bool{}
	for i, key := range m.keys {
		account, size, err := payer, accountBaseSize+uint64(len(payer.state.Data)), (*failure.TransactionError)(nil)
		if i > 0 {
			account, size, err = loadOne(m, env, source, i)
		}
		if err != nil {
			return err
		}
		l.size += size + programDataSize(m, source, account.state, counted)
		if l.size > limit {
			return failure.Reject(failure.ErrMaxLoadedAccountsDataSizeExceeded)
		}
		account.key = key
		l.accounts = append(l.accounts, account)
	}
	return checkPrograms(m, source)
}

func loadOne(m *message, env *accounts.Environment, source accounts.Snapshot, i int) (txAccount, uint64, *failure.TransactionError) {
	key := m.keys[i]
	if key == accounts.InstructionsID {
		data, ok := m.instructionsData()
		if !ok {
			return txAccount{}, 0, failure.Reject(failure.ErrMaxLoadedAccountsDataSizeExceeded)
		}
		return txAccount{state: accounts.Account{Data: data, Owner: accounts.SysvarID}}, 0, nil
	}
	state, ok := source.Account(key)
	if !ok || state.Lamports == 0 {
		return txAccount{state: accounts.Account{RentEpoch: accounts.RentExempt}}, 0, nil
	}
	if m.writable[i] {
		state = markExempt(state, env.Rent)
	}
	return txAccount{state: state, shared: true}, accountBaseSize + uint64(len(state.Data)), nil
}

// programDataSize counts the code of an upgradeable program once, unless the message names its
// account itself.
func programDataSize(m *message, source accounts.Snapshot, a accounts.Account, counted map[solana.PublicKey]bool) uint64 {
	key, ok := accounts.ProgramDataKey(a)
	if !ok || counted[key] || slices.Contains(m.keys, key) {
		return 0
	}
	data, ok := source.Account(key)
	if !ok {
		return 0
	}
	counted[key] = true
	return accountBaseSize + uint64(len(data.Data))
}

func checkPrograms(m *message, source accounts.Snapshot) *failure.TransactionError {
	for _, ix := range m.instructions {
		a, ok := source.Account(m.keys[ix.program])
		if !ok || a.Lamports == 0 {
			return failure.Reject(failure.ErrProgramAccountNotFound)
		}
		if a.Owner != accounts.NativeLoaderID && !accounts.RunsPrograms(a.Owner) {
			return failure.Reject(failure.ErrInvalidProgramForExecution)
		}
	}
	return nil
}

// checkAge accepts a transaction with an old blockhash only if it advances a durable nonce. It
// returns that nonce's account as stored if the transaction fails.
func checkAge(m *message, env *accounts.Environment, source accounts.Snapshot) (*accounts.Keyed, *failure.TransactionError) {
	if env.BlockhashValid == nil || env.BlockhashValid(m.blockhash) {
		return nil, nil
	}
	key, ok := m.nonceAccount()
	if !ok {
		return nil, failure.Reject(failure.ErrBlockhashNotFound)
	}
	account, ok := source.Account(key)
	if !ok || account.Owner != accounts.SystemID || !isNonceAccount(account.Data) {
		return nil, failure.Reject(failure.ErrBlockhashNotFound)
	}
	n, ok := decodeNonce(account.Data)
	next := durableNonce(env.Blockhash)
	if !ok || n.legacy || n.nonce != m.blockhash || n.nonce == next || !m.signsFirst(n.authority) {
		return nil, failure.Reject(failure.ErrBlockhashNotFound)
	}
	n.nonce, n.fee = next, env.LamportsPerSignature
	account = markExempt(account, env.Rent)
	account.Data = n.encode()
	return &accounts.Keyed{Key: key, Account: account}, nil
}

// nonceAccount returns the account that a message's first instruction advances, if it does so.
func (m *message) nonceAccount() (solana.PublicKey, bool) {
	if len(m.instructions) == 0 {
		return solana.PublicKey{}, false
	}
	ix := m.instructions[0]
	advances := len(ix.data) >= 4 && binary.LittleEndian.Uint32(ix.data) == bincode.AdvanceNonce
	if m.keys[ix.program] != accounts.SystemID || !advances || len(ix.accounts) == 0 || !m.writable[ix.accounts[0]] {
		return solana.PublicKey{}, false
	}
	return m.keys[ix.accounts[0]], true
}

// signsFirst reports whether the key signs the first instruction.
func (m *message) signsFirst(key solana.PublicKey) bool {
	return slices.ContainsFunc(m.instructions[0].accounts, func(a int) bool { return a < m.signers && m.keys[a] == key })
}
