// Package owned reads who owns the data of agents that a task names, and whether it is what the
// task says.
package owned

import (
	"context"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Accounts reads accounts of the chain.
type Accounts interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error)
	Program() program.Program
}

// Data is data that a task names, or that a check of it reads.
type Data struct {
	Place  string // in the task, such as pda[0]
	At     casefile.Address
	Owner  casefile.Address // zero: there is no such data
	Pinned bool             // the task says which hash it has
	Kept   bool             // it has that hash
	Asked  bool             // a check reads it
}

// List returns the data that a task names, without what the chain says of it.
func List(task casefile.Task) (out []Data) {
	asked := agentdata.Asked(task)
	for n, d := range append(task.PDA[:len(task.PDA):len(task.PDA)], asked...) {
		at, err := casefile.ParseAddress(d.Account)
		if err != nil {
			continue // the literal of the seed's example
		}
		place := fmt.Sprintf("pda[%d]", n)
		if n >= len(task.PDA) {
			place = "the data " + d.Account
		}
		out = append(out, Data{Place: place, At: at, Pinned: d.SHA256 != "", Asked: agentdata.Checked(task, at)})
	}
	return out
}

// Read returns the data that a task names. It reads at most 96 accounts: a task names 32, and has
// 64 checks.
func Read(ctx context.Context, chain Accounts, task casefile.Task) ([]Data, error) {
	out := List(task)
	if len(out) == 0 {
		return nil, nil
	}
	at := make([]onchain.Address, len(out))
	for i, d := range out {
		at[i] = onchain.Address(d.At)
	}
	accounts, _, err := chain.Accounts(ctx, at...)
	if err != nil {
		return nil, err
	}
	for i, account := range accounts {
		if account == nil || account.Owner != chain.Program().ID() {
			continue
		}
		d, err := program.DecodeAgentData(account.Data)
		if err != nil {
			continue // another account of the program
		}
		hash, pinned := agentdata.Pin(task, out[i].At)
		out[i].Owner, out[i].Kept = casefile.Address(d.Authority), pinned && hash == casefile.Digest(casefile.HashOf(d.Content))
	}
	return out, nil
}
