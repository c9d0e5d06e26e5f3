package crank

import (
	"context"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
)

// planPledge pays the tokens beside the reward of a task that is over to a party that is due some.
// The node pays no rent for that, because anybody can make worthless tokens: a party whose vault
// has no account for them, or a frozen one, gets them by a transaction of its own. The task stays
// as long as its pledge does, and later looks try again.
func planPledge(ctx context.Context, c *Crank, task onchain.Address, t *program.Task, data []byte) (duty, bool, error) {
	p := c.d.Chain.Program()
	pledge, err := program.DecodePledge(data)
	if err != nil {
		return duty{}, false, err
	}
	first, _, err := c.d.Chain.Accounts(ctx, pledge.Mint)
	if err != nil || first[0] == nil {
		return duty{}, false, err
	}
	mint, err := tokens.DecodeMint(pledge.Mint, first[0].Owner, first[0].Data)
	if err != nil {
		return duty{}, false, nil // nobody can pay it
	}
	creator, worker := pledge.Due(t)
	for _, party := range []struct {
		who   onchain.Address
		units uint64
	}{{t.Worker, worker}, {t.Creator, creator}} {
		if party.units == 0 {
			continue
		}
		acts, vault, err := payment(p, task, t.Creator, party.who, mint)
		if err != nil {
			return duty{}, false, err
		}
		at, _, err := c.d.Chain.Accounts(ctx, vault)
		if err != nil {
			return duty{}, false, err
		}
		if at[0] == nil {
			continue
		}
		if a, err := tokens.DecodeAccount(at[0].Owner, at[0].Data); err == nil && !a.Frozen {
			return duty{at: c.kept(t.FinishedAt), act: acts, more: true}, true, nil
		}
	}
	return duty{}, false, nil
}

// payment returns the instruction that pays a party, and the token account of its vault.
func payment(p program.Program, task, creator, party onchain.Address, m *tokens.Mint) (act onchain.Instruction, vault onchain.Address, err error) {
	from, err := tokens.CreateAssociated(party, program.PledgeAt(p, task), m)
	if err != nil {
		return act, vault, err
	}
	to, err := tokens.CreateAssociated(party, p.Agent(party), m)
	if err != nil {
		return act, vault, err
	}
	vault = to.Accounts[1].Address
	accounts := program.TokenAccounts{Mint: m.Address, Source: from.Accounts[1].Address, Destination: vault, Program: m.Program}
	return accounts.PayPledge(p, task, creator, party), vault, nil
}
