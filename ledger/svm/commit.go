package svm

// states copies the accounts as the transaction left them.
func (x *execution) states() []KeyedAccount {
	out := make([]KeyedAccount, len(x.accounts))
	for i := range x.accounts {
		out[i] = KeyedAccount{x.accounts[i].key, x.accounts[i].state}
	}
	return out
}

// commit lists the accounts that a successful transaction changed. The fee payer is always one. An
// account that only ran as a program is not.
func (x *execution) commit(m *message, out *Result) {
	out.PostBalances = make([]uint64, len(m.keys))
	for i := range m.keys {
		a := &x.accounts[i]
		out.PostBalances[i] = a.state.Lamports
		changed := m.writable[i] && a.touched && (!m.calls(i) || m.passes(i))
		if i == 0 || changed {
			out.Writes = append(out.Writes, KeyedAccount{a.key, a.state})
		}
	}
}

// passes reports whether the i-th account is an account of a top-level instruction.
func (m *message) passes(i int) bool {
	for _, ix := range m.instructions {
		for _, a := range ix.accounts {
			if a == i {
				return true
			}
		}
	}
	return false
}

// rollback lists the accounts that a failed transaction stores: the fee payer less the fee, and an
// advanced nonce.
func (l *loaded) rollback(m *message, out *Result) {
	payer := KeyedAccount{m.keys[0], l.payer}
	out.PostBalances = append([]uint64(nil), out.PreBalances...)
	out.PostBalances[0] = l.payer.Lamports
	switch {
	case l.nonce == nil:
		out.Writes = []KeyedAccount{payer}
	case l.nonce.Key == payer.Key:
		payer.Account.Data, payer.Account.RentEpoch = l.nonce.Account.Data, l.nonce.Account.RentEpoch
		out.Writes = []KeyedAccount{payer}
	default:
		out.Writes = []KeyedAccount{payer, *l.nonce}
	}
}
