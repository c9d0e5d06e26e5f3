package svm

import (
	"errors"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/sbpf"
)

// Execute runs a transaction on the state of env and source, which it does not change. It never
// fails: the result contains any error. The caller must know whether the transaction was processed
// before.
func (r *Runtime) Execute(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot) *Result {
	return r.run(tx, env, source, true)
}

// Simulate is Execute for a transaction that will not be stored. verify turns the check of its
// signatures on.
func (r *Runtime) Simulate(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot, verify bool) *Result {
	return r.run(tx, env, source, verify)
}

// Fee returns the cost of a transaction in lamports, or why it would be rejected before it is
// charged.
func (r *Runtime) Fee(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot) (uint64, *failure.TransactionError) {
	m, err := sanitize(tx, env, source)
	if err != nil {
		return 0, err
	}
	b, err := m.budget()
	if err != nil {
		return 0, err
	}
	return m.fee(b, env), nil
}

func (m *message) fee(b budget, env *accounts.Environment) uint64 {
	return saturatingAdd(saturatingMul(m.signatureCount(), env.LamportsPerSignature), b.priorityFee)
}

func (r *Runtime) run(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot, verify bool) *Result {
	m, err := r.check(tx, env, source, verify)
	if err != nil {
		return &Result{Err: err}
	}
	b, err := m.budget()
	if err != nil {
		return &Result{Err: err}
	}
	nonce, err := checkAge(m, env, source)
	if err != nil {
		return &Result{Err: err}
	}
	l := &loaded{nonce: nonce}
	fee := m.fee(b, env)
	payer, err := l.loadPayer(m, env, source, fee)
	if err != nil {
		return &Result{Err: err, Fee: fee}
	}
	out := &Result{Status: FeesOnly, Fee: fee, Writable: m.writable, Looked: m.looked, PreBalances: balances(m, source)}
	if err := l.loadAll(m, env, source, payer, b.loaded); err != nil {
		out.Err, out.LoadedBytes = err, l.size
		l.rollback(m, out)
		return out
	}
	out.LoadedBytes = l.size
	r.executeLoaded(m, env, source, b, l, out)
	return out
}

// check makes the checks that need only the transaction and its lookup tables.
func (r *Runtime) check(tx *solana.Transaction, env *accounts.Environment, source accounts.Snapshot, verify bool) (*message, *failure.TransactionError) {
	m, err := sanitize(tx, env, source)
	if err != nil {
		return nil, err
	}
	if err := m.checkLocks(); err != nil {
		return nil, err
	}
	if verify {
		if err := m.verify(tx, r.signed); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func balances(m *message, source accounts.Snapshot) []uint64 {
	out := make([]uint64, len(m.keys))
	for i, key := range m.keys {
		if a, ok := source.Account(key); ok {
			out[i] = a.Lamports
		}
	}
	return out
}

func (r *Runtime) executeLoaded(m *message, env *accounts.Environment, source accounts.Snapshot, b budget, l *loaded, out *Result) {
	depth := 5
	if r.config.Features.RaiseCPINestingLimit {
		depth = 9
	}
	x := &execution{
		txContext: newContext(l.accounts, env.Rent, depth, len(m.instructions)),
		runtime:   r, env: env, source: source, heapSize: b.heap,
		meter: &sbpf.Meter{Remaining: b.units},
		log:   &logCollector{limit: r.config.LogBytes},
	}
	before := x.rentStates()
	err := x.runMessage(m)
	if err == nil {
		err = x.checkRent(m, before)
	}
	out.Status, out.Err = Executed, err
	out.Units, out.Logs, out.Inner = b.units-x.meter.Remaining, x.log.lines, x.inner(len(m.instructions))
	if len(x.returnData) > 0 {
		out.ReturnData = &ReturnData{x.returnProgram, x.returnData}
	}
	out.Accounts = x.states()
	if err != nil {
		l.rollback(m, out)
		return
	}
	x.commit(m, out)
}

// runMessage prepares the trace and runs the instructions in order until one fails.
func (x *execution) runMessage(m *message) *failure.TransactionError {
	for i, ix := range m.instructions {
		f := x.trace[i]
		f.program, f.data, f.first = ix.program, ix.data, slices.Repeat([]uint16{noIndex}, len(m.keys))
		f.accounts = make([]ixAccount, len(ix.accounts))
		for j, index := range ix.accounts {
			if f.first[index] == noIndex {
				f.first[index] = uint16(j)
			}
			f.accounts[j] = ixAccount{index, index < m.signers, m.writable[index]}
		}
	}
	for i, ix := range m.instructions {
		var err error
		if key := m.keys[ix.program]; accounts.IsPrecompile(key) {
			err = x.runPrecompile(key, ix.data, m.datas())
		} else {
			err = x.process()
		}
		if err != nil {
			return failure.At(i, asInstructionError(err))
		}
	}
	return nil
}

// asInstructionError returns the error of process, which always has this type.
func asInstructionError(err error) failure.InstructionError {
	var e failure.InstructionError
	if errors.As(err, &e) {
		return e
	}
	return failure.InstructionError{Code: failure.ProgramFailedToComplete}
}

func (x *execution) rentStates() []rentState {
	rule, out := ruleOf(x.env), make([]rentState, len(x.accounts))
	for i := range x.accounts {
		out[i] = rule.state(x.accounts[i].state)
	}
	return out
}

func (x *execution) checkRent(m *message, before []rentState) *failure.TransactionError {
	rule := ruleOf(x.env)
	for i := range x.accounts {
		if m.writable[i] && m.keys[i] != accounts.IncineratorID && !rule.allows(before[i], x.accounts[i].state) {
			return failure.RejectAt(failure.ErrInsufficientFundsForRent, i)
		}
	}
	return nil
}

// states copies the accounts as the transaction left them.
func (x *execution) states() []accounts.Keyed {
	out := make([]accounts.Keyed, len(x.accounts))
	for i := range x.accounts {
		out[i] = accounts.Keyed{Key: x.accounts[i].key, Account: x.accounts[i].state}
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
			out.Writes = append(out.Writes, accounts.Keyed{Key: a.key, Account: a.state})
		}
	}
}

// passes reports whether the i-th account is an account of a top-level instruction.
func (m *message) passes(i int) bool {
	return slices.ContainsFunc(m.instructions, func(ix compiled) bool { return slices.Contains(ix.accounts, i) })
}

// rollback lists the accounts that a failed transaction stores: the fee payer less the fee, and an
// advanced nonce.
func (l *loaded) rollback(m *message, out *Result) {
	payer := accounts.Keyed{Key: m.keys[0], Account: l.payer}
	out.PostBalances = append([]uint64(nil), out.PreBalances...)
	out.PostBalances[0] = l.payer.Lamports
	switch {
	case l.nonce == nil:
		out.Writes = []accounts.Keyed{payer}
	case l.nonce.Key == payer.Key:
		payer.Account.Data, payer.Account.RentEpoch = l.nonce.Account.Data, l.nonce.Account.RentEpoch
		out.Writes = []accounts.Keyed{payer}
	default:
		out.Writes = []accounts.Keyed{payer, *l.nonce}
	}
}
