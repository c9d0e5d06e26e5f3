package client

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// Profile describes an agent in its own words.
type Profile struct {
	// Operator is the key of the agent's operator, which signs, too; nil if none is declared.
	Operator *ledger.Keypair
	// KeepOperator leaves the operator that has signed already. Only Update looks at it.
	KeepOperator bool
	CardHash     voting.Hash // SHA-256 of its card; zero if it has none
}

// cosigners returns the keys that sign besides the client's, and the address of the operator.
func cosigners(operator *ledger.Keypair) ([]*ledger.Keypair, onchain.Address) {
	if operator == nil {
		return nil, onchain.Address{}
	}
	return []*ledger.Keypair{operator}, operator.Address()
}

// AgentDone is the result of an agent's action on its own account, with the account afterwards.
type AgentDone struct {
	Sent
	Agent AgentView `json:"agent"`
}

// maxPages bounds how often Register tries the next page of the registry because others filled the
// page.
const maxPages = 8

// Register makes the key an agent, and deposits the amount if it is not 0. If the key is registered
// already, Register only deposits what the vault lacks of the amount.
func (c *Client) Register(ctx context.Context, p Profile, deposit Lamports) (AgentDone, error) {
	if _, err := c.mine(ctx); err == nil {
		return c.DepositUpTo(ctx, deposit)
	} else if !errors.Is(err, ErrNoAgent) {
		return AgentDone{}, err
	}
	for range maxPages {
		sent, err := c.register(ctx, c.self, p, deposit)
		if !errors.Is(err, program.ErrWrongPage) {
			return c.agentDone(ctx, sent, err)
		}
	}
	return AgentDone{}, errors.New("client: many agents register right now and the registry page changed each time; try again")
}

func (c *Client) register(ctx context.Context, me onchain.Address, p Profile, deposit Lamports) (Sent, error) {
	config, _, err := c.chain.Config(ctx)
	if err != nil {
		return Sent{}, err
	}
	signers, operator := cosigners(p.Operator)
	all := []onchain.Instruction{c.program.RegisterAgent(me, program.RegisterAgent{
		Operator: operator, CardHash: p.CardHash, Page: uint32(config.AgentCount / program.PageEntries),
	})}
	if deposit > 0 {
		all = append(all, c.program.Deposit(me, me, program.Deposit{Amount: uint64(deposit)}))
	}
	return c.landed(ctx, action{name: "register the agent", purpose: "register:" + me.String(), pays: deposit, instructions: all, signers: signers, done: func(ctx context.Context) (bool, error) {
		_, err := c.agent(ctx, me)
		if errors.Is(err, ErrNoAgent) {
			return false, nil
		}
		return err == nil, err
	}})
}

// Update replaces the operator and the card.
func (c *Client) Update(ctx context.Context, p Profile) (AgentDone, error) {
	now, err := c.mine(ctx)
	if err != nil {
		return AgentDone{}, err
	}
	signers, operator := cosigners(p.Operator)
	if p.KeepOperator {
		operator = now.Operator
	}
	sent, err := c.landed(ctx, action{
		name: "update the agent", purpose: "update",
		instructions: []onchain.Instruction{c.program.UpdateAgent(c.self, now.Operator, program.UpdateAgent{Operator: operator, CardHash: p.CardHash})},
		signers:      signers,
		done: func(ctx context.Context) (bool, error) {
			a, err := c.mine(ctx)
			return err == nil && a.Operator == operator && a.CardHash == p.CardHash, err
		},
	})
	return c.agentDone(ctx, sent, err)
}

// Deposit moves lamports from the key's wallet into its vault. Every call moves them again.
func (c *Client) Deposit(ctx context.Context, amount Lamports) (AgentDone, error) {
	if _, err := c.mine(ctx); err != nil {
		return AgentDone{}, err
	}
	return c.money(ctx, fmt.Sprintf("deposit %s", amount), amount, c.program.Deposit(c.self, c.self, program.Deposit{Amount: uint64(amount)}))
}

// DepositUpTo deposits what the vault lacks of an amount. It may be repeated.
func (c *Client) DepositUpTo(ctx context.Context, least Lamports) (AgentDone, error) {
	a, err := c.mine(ctx)
	if err != nil {
		return AgentDone{}, err
	}
	if a.Vault >= uint64(least) {
		return c.agentDone(ctx, Sent{Result: ledger.AlreadyDone.String()}, nil)
	}
	return c.Deposit(ctx, least-Lamports(a.Vault))
}

// Withdraw moves lamports from the vault to the key's wallet. Every call moves them again.
func (c *Client) Withdraw(ctx context.Context, amount Lamports) (AgentDone, error) {
	a, err := c.mine(ctx)
	if err != nil {
		return AgentDone{}, err
	}
	if a.Vault < uint64(amount) {
		return AgentDone{}, fmt.Errorf("%w: the vault holds %s, less than %s", errNotNow, Lamports(a.Vault), amount)
	}
	return c.money(ctx, fmt.Sprintf("withdraw %s", amount), 0, c.program.Withdraw(c.self, program.Withdraw{Amount: uint64(amount)}))
}

// money moves lamports once. It waits until the block of the transaction is final.
func (c *Client) money(ctx context.Context, name string, pays Lamports, i onchain.Instruction) (AgentDone, error) {
	sent, err := c.moved(ctx, name, pays, i)
	return c.agentDone(ctx, sent, err)
}

func (c *Client) moved(ctx context.Context, name string, pays Lamports, all ...onchain.Instruction) (Sent, error) {
	purpose := "money:" + name
	sent, err := c.landed(ctx, action{name: name, purpose: purpose, pays: pays, instructions: all, once: true})
	if err != nil {
		return sent, err
	}
	return sent, c.sender.Forget(ctx, ledger.Purpose(purpose))
}

func (c *Client) agentDone(ctx context.Context, sent Sent, err error) (AgentDone, error) {
	if err != nil {
		return AgentDone{}, err
	}
	view, err := c.Agent(ctx, onchain.Address{})
	return AgentDone{Sent: sent, Agent: view}, err
}

// mine reads the agent of the client's key.
func (c *court) mine(ctx context.Context) (*program.Agent, error) {
	if c.self.IsZero() {
		return nil, errNoKey
	}
	return c.agent(ctx, c.self)
}

// agent reads an agent. It returns ErrNoAgent if the key has no agent account.
func (c *court) agent(ctx context.Context, authority onchain.Address) (*program.Agent, error) {
	a, _, err := c.chain.Agent(ctx, authority)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s; run: ojud agent register", ErrNoAgent, authority)
	}
	return a, err
}

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
