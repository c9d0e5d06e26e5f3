package client

import (
	"context"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// AgentView is an agent's account on the chain.
type AgentView struct {
	Authority    string    `json:"authority"`
	Account      string    `json:"account"` // address of the Agent account
	Operator     string    `json:"operator,omitempty"`
	CardHash     string    `json:"card_hash,omitempty"`
	Vault        Lamports  `json:"vault"`
	Wallet       *Lamports `json:"wallet,omitempty"` // of the authority; not in lists
	RegisteredAt int64     `json:"registered_at"`    // Unix seconds
	TasksCreated uint64    `json:"tasks_created"`
	TasksClaimed uint32    `json:"tasks_claimed"`
	TasksPaid    uint32    `json:"tasks_paid"`
	TasksMissed  uint32    `json:"tasks_missed"`
	CasesWon     uint32    `json:"cases_won"`
	CasesLost    uint32    `json:"cases_lost"`
}

// Agent shows the agent of an authority. Zero means the client's own.
func (c *court) Agent(ctx context.Context, authority onchain.Address) (AgentView, error) {
	authority, err := c.who(authority)
	if err != nil {
		return AgentView{}, err
	}
	a, err := c.agent(ctx, authority)
	if err != nil {
		return AgentView{}, err
	}
	view := c.agentView(a)
	wallet, err := c.Balance(ctx, authority)
	view.Wallet = &wallet
	return view, err
}

// Agents lists all agents in the order of the addresses of their accounts.
func (c *court) Agents(ctx context.Context) ([]AgentView, error) {
	all, _, err := c.chain.Agents(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]AgentView, len(all))
	for i, k := range all {
		out[i] = c.agentView(k.Value)
	}
	return out, nil
}

func (c *court) agentView(a *program.Agent) AgentView {
	return AgentView{
		Authority: a.Authority.String(), Account: c.program.Agent(a.Authority).String(),
		Operator: address(a.Operator), CardHash: digest(a.CardHash), Vault: Lamports(a.Vault), RegisteredAt: a.RegisteredAt,
		TasksCreated: a.TasksCreated, TasksClaimed: a.TasksClaimed, TasksPaid: a.TasksPaid, TasksMissed: a.TasksMissed,
		CasesWon: a.CasesWon, CasesLost: a.CasesLost,
	}
}
