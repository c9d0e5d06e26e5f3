package holdings

import (
	"context"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/node/client"
	"ojud/voting"
)

// Pledge is tokens beside the reward of a task.
type Pledge struct {
	Mint    casefile.Address `json:"mint"`
	Program string           `json:"program"`
	Amount  string           `json:"amount"`
	Units   uint64           `json:"units,string"`
	Freezer string           `json:"freezer,omitempty"` // who may freeze accounts; empty: nobody
	Creator string           `json:"creator_due"`       // that it is still to get; of a task that is not over: nothing
	Worker  string           `json:"worker_due"`

	mint    *tokens.Mint
	task    *program.Task
	parties []onchain.Address // that are due something
}

// PledgeDone is the result of an action on a pledge. The pledge is nil if all of it is paid.
type PledgeDone struct {
	client.Sent
	Pledge *Pledge `json:"pledge,omitempty"`
}

var (
	errOther = errors.New("holdings: the task has another pledge, and it has one at most")
	errEarly = errors.New("holdings: the task is not over, and its pledge is paid then")
)

// PledgeOf reads the pledge of a task; nil if there is none.
func PledgeOf(ctx context.Context, c *client.Client, task onchain.Address) (*Pledge, error) {
	office := client.OfficeOf(c)
	all, _, err := office.Accounts(ctx, task, program.PledgeAt(office.Program(), task))
	if err != nil || all[0] == nil || all[1] == nil || all[1].Owner != office.Program().ID() {
		return nil, err
	}
	t, err := program.DecodeTask(all[0].Data)
	if err != nil || all[0].Owner != office.Program().ID() {
		return nil, fmt.Errorf("%w: %s", ledger.ErrForeign, task)
	}
	p, err := program.DecodePledge(all[1].Data)
	if err != nil {
		return nil, fmt.Errorf("%w: the pledge of %s: %w", ledger.ErrForeign, task, err)
	}
	first, _, err := office.Accounts(ctx, p.Mint)
	if err != nil {
		return nil, err
	}
	m, err := mint(p.Mint, first[0])
	if err != nil {
		return nil, err
	}
	shown := token(onchain.Address{}, &tokens.TokenAccount{Amount: p.Amount}, m)
	out := &Pledge{
		Mint: casefile.Address(p.Mint), Program: shown.Program, Amount: shown.Amount, Units: p.Amount, Freezer: shown.Freezer, mint: m, task: t,
	}
	creator, worker := due(p, t)
	out.Creator, out.Worker = tokens.Amount(creator, m.Decimals), tokens.Amount(worker, m.Decimals)
	if creator > 0 {
		out.parties = append(out.parties, t.Creator)
	}
	if worker > 0 {
		out.parties = append(out.parties, t.Worker)
	}
	return out, nil
}

// due returns what the parties of a task are still to get of its pledge (protocol section 5).
func due(p *program.Pledge, t *program.Task) (creator, worker uint64) {
	if !t.Status.Over() {
		return 0, 0
	}
	switch t.Outcome {
	case voting.Paid:
		worker = p.Amount
	case voting.Split:
		worker = p.Amount / 2
	}
	creator = (p.Amount - worker) * uint64(1-p.CreatorPaid)
	return creator, worker * uint64(1-p.WorkerPaid)
}

// PledgeTokens puts tokens of the client's vault beside its task, which nobody has claimed. It
// refuses mints that are not safe. If the task has this pledge already, it does nothing.
func PledgeTokens(ctx context.Context, c *client.Client, task onchain.Address, t Transfer) (PledgeDone, error) {
	at, err := look(ctx, c, t)
	if err != nil {
		return PledgeDone{}, err
	}
	if err := at.mint.Safe(); err != nil {
		return PledgeDone{}, fmt.Errorf("holdings: %w", err)
	}
	if p, err := PledgeOf(ctx, c, task); err != nil || p != nil {
		if err == nil && (p.mint.Address != t.Mint || p.Units != at.units) {
			err = fmt.Errorf("%w: %s of the mint %s", errOther, p.Amount, p.Mint)
		}
		return PledgeDone{Sent: client.Sent{Result: ledger.AlreadyDone.String()}, Pledge: p}, err
	}
	if err := at.pays(&at.vault, &purse{}); err != nil {
		return PledgeDone{}, err
	}
	office := client.OfficeOf(c)
	holding, err := tokens.CreateAssociated(at.self, program.PledgeAt(office.Program(), task), at.mint)
	if err != nil {
		return PledgeDone{}, err
	}
	accounts := program.TokenAccounts{Mint: t.Mint, Source: at.vault.at, Destination: holding.Accounts[1].Address, Program: at.mint.Program}
	sent, err := office.Send(ctx, client.Order{
		Name: "pledge tokens to " + task.String(), Pays: 2 * maxRent,
		Instructions: []onchain.Instruction{holding, accounts.Pledge(office.Program(), at.self, task, at.units)},
		Done: func(ctx context.Context) (bool, error) {
			p, err := PledgeOf(ctx, c, task)
			return p != nil, err
		},
	})
	if err != nil {
		return PledgeDone{}, err
	}
	p, err := PledgeOf(ctx, c, task)
	return PledgeDone{Sent: sent, Pledge: p}, err
}

// PayPledge pays everybody that is due tokens of the pledge of a task that is over. It makes the
// token accounts of the vaults that lack one; the client's wallet pays their rent. An account that
// is frozen does not keep the other party from its part.
func PayPledge(ctx context.Context, c *client.Client, task onchain.Address) (PledgeDone, error) {
	p, err := PledgeOf(ctx, c, task)
	if err != nil || p == nil {
		return PledgeDone{Sent: client.Sent{Result: ledger.AlreadyDone.String()}}, err
	}
	if !p.task.Status.Over() {
		return PledgeDone{Pledge: p}, errEarly
	}
	self, err := onchain.ParseAddress(c.Me())
	if err != nil {
		return PledgeDone{}, errors.New("holdings: this needs a key; name the key file: --key FILE")
	}
	var done PledgeDone
	for _, party := range p.parties {
		sent, paid := p.pay(ctx, c, self, task, party)
		if paid != nil {
			err = errors.Join(err, fmt.Errorf("to %s: %w", party, paid))
			continue
		}
		done.Sent = sent
	}
	left, unread := PledgeOf(ctx, c, task)
	done.Pledge = left
	return done, errors.Join(err, unread)
}

// pay pays one party.
func (p *Pledge) pay(ctx context.Context, c *client.Client, self, task, party onchain.Address) (client.Sent, error) {
	office := client.OfficeOf(c)
	prog := office.Program()
	holding, err := tokens.CreateAssociated(self, program.PledgeAt(prog, task), p.mint)
	if err != nil {
		return client.Sent{}, err
	}
	vault, err := tokens.CreateAssociated(self, prog.Agent(party), p.mint)
	if err != nil {
		return client.Sent{}, err
	}
	accounts := program.TokenAccounts{Mint: p.mint.Address, Source: holding.Accounts[1].Address, Destination: vault.Accounts[1].Address, Program: p.mint.Program}
	return office.Send(ctx, client.Order{
		Name: fmt.Sprintf("pay the pledge of %s to %s", task, party), Pays: maxRent,
		Instructions: []onchain.Instruction{vault, accounts.PayPledge(prog, task, p.task.Creator, party)},
		Done: func(ctx context.Context) (bool, error) {
			now, err := PledgeOf(ctx, c, task)
			if err != nil || now == nil {
				return err == nil, err
			}
			for _, still := range now.parties {
				if still == party {
					return false, nil
				}
			}
			return true, nil
		},
	})
}
