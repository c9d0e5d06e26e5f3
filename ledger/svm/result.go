package svm

import (
	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/failure"
	"ojud/ledger/svm/table"
)

// Status says how far a transaction came.
type Status uint8

const (
	// Rejected says that it is not part of the chain and pays nothing.
	Rejected Status = iota
	// FeesOnly says that an account could not be loaded. The transaction pays its fee and did not
	// run.
	FeesOnly
	// Executed says that it ran and paid. Err says whether it succeeded.
	Executed
)

// Result is the result of a transaction.
type Result struct {
	Status      Status
	Err         *failure.TransactionError // nil on success
	Fee         uint64                    // lamports; if it was Rejected later, the fee that it would have paid
	Units       uint64                    // compute units consumed
	Logs        []string
	ReturnData  *ReturnData // nil if there is none
	Inner       []InnerInstructions
	LoadedBytes uint64 // account data loaded

	// Writes are the accounts to store: the modified ones on success, otherwise the fee payer and
	// an advanced nonce. An account without lamports must be deleted.
	Writes []accounts.Keyed

	// Accounts are all accounts of the message, in order and in their final state, for simulation
	// and for the balances after it. It is nil if the transaction did not run. On failure these
	// accounts are not stored.
	Accounts []accounts.Keyed

	// PreBalances are the lamports of the message's accounts before the transaction, and
	// PostBalances those after Writes are stored.
	PreBalances, PostBalances []uint64

	// Writable says which of the message's accounts may be written. Looked are those that it named
	// by lookup tables; the others are its own.
	Writable []bool
	Looked   table.Addresses
}

// ReturnData is the last return data that a program set, at most 1,024 bytes.
type ReturnData struct {
	Program solana.PublicKey
	Data    []byte
}

// InnerInstructions are the invocations of one top-level instruction, in order.
type InnerInstructions struct {
	Index        int
	Instructions []InnerInstruction
}

// InnerInstruction is one invocation. Indices are into the message's accounts. StackHeight is at
// least 2.
type InnerInstruction struct {
	Program     int
	Accounts    []int
	Data        []byte
	StackHeight int
}

// inner collects the invocations of the trace under their top-level instructions.
func (c *txContext) inner(topLevel int) []InnerInstructions {
	root := make([]int, len(c.trace)-1)
	byTop := make([][]InnerInstruction, topLevel)
	for i := range root {
		f := c.trace[i]
		if i < topLevel {
			root[i] = i
			continue
		}
		root[i] = root[f.caller]
		accounts := make([]int, len(f.accounts))
		for j, a := range f.accounts {
			accounts[j] = a.index
		}
		byTop[root[i]] = append(byTop[root[i]], InnerInstruction{f.program, accounts, f.data, f.nesting + 1})
	}
	var out []InnerInstructions
	for i, list := range byTop {
		if len(list) > 0 {
			out = append(out, InnerInstructions{i, list})
		}
	}
	return out
}
