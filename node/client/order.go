package client

import (
	"context"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Office reads the accounts of a court, and takes the orders of its authority.
type Office struct{ c *Client }

// OfficeOf returns the office of the client's court.
func OfficeOf(c *Client) Office { return Office{c} }

// Accounts reads accounts of the chain.
func (o Office) Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error) {
	return o.c.chain.Accounts(ctx, addresses...)
}

// Program returns the court's program.
func (o Office) Program() program.Program { return o.c.program }

// Order is an instruction to the court as a whole, which its authority signs.
type Order struct {
	Name        string // for people: "pause the court"
	Instruction onchain.Instruction
	// Done reports whether rules and authority are as the order wants them.
	Done func(*law.Rules) bool
}

// Send sends an order with the client's key.
func (o Office) Send(ctx context.Context, wanted Order) (Sent, error) {
	return o.c.landed(ctx, action{
		name: wanted.Name, purpose: "order:" + wanted.Name, instructions: []onchain.Instruction{wanted.Instruction},
		done: func(ctx context.Context) (bool, error) {
			r, err := law.Read(ctx, o.c.chain)
			return err == nil && wanted.Done(r), err
		},
	})
}
