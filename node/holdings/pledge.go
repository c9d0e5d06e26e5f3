package holdings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/node/client"
	"ojud/voting"
)

// Pledge is tokens beside the reward of a task. A name of a token is nowhere: anybody can make a
// mint with any name, so that the address of the mint is all that tells tokens apart.
type Pledge struct {
	Mint    casefile.Address `json:"mint"`
	Program string           `json:"program"`
	Amount  string           `json:"amount"`
	Units   uint64           `json:"units,string"`
	Freezer string           `json:"freezer,omitempty"` // who may freeze accounts; empty: nobody
	Frozen  bool             `json:"frozen,omitempty"`  // the account that holds the tokens is
	Refused string           `json:"refused,omitempty"` // why nobody should take the mint for money
	Creator string           `json:"creator_due"`       // that it is still to get; of a task that is not over: nothing
	Worker  string           `json:"worker_due"`

	mint    *tokens.Mint // nil: it cannot be read
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
	all, err := Pledges(ctx, c, task)
	return all[task], err
}

// pledgesAtOnce is how many tasks one read takes.
const pledgesAtOnce = 50

// Pledges reads the pledges of tasks, by task. A task that has none, or that is gone, is left out.
func Pledges(ctx context.Context, c *client.Client, tasks ...onchain.Address) (map[onchain.Address]*Pledge, error) {
	out := map[onchain.Address]*Pledge{}
	for some := range slices.Chunk(tasks, pledgesAtOnce) {
		if err := pledges(ctx, client.OfficeOf(c), some, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pledges reads as many pledges as one read takes.
func pledges(ctx context.Context, office client.Office, tasks []onchain.Address, out map[onchain.Address]*Pledge) error {
	prog := office.Program()
	at := slices.Clone(tasks)
	for _, t := range tasks {
		at = append(at, program.PledgeAt(prog, t))
	}
	all, _, err := office.Accounts(ctx, at...)
	if err != nil {
		return err
	}
	var found []*program.Pledge
	var mints []onchain.Address
	for i, t := range tasks {
		a, of := all[len(tasks)+i], all[i]
		if a == nil || of == nil || a.Owner != prog.ID() {
			continue
		}
		if of.Owner != prog.ID() {
			return fmt.Errorf("%w: %s", ledger.ErrForeign, t)
		}
		task, err := program.DecodeTask(of.Data)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ledger.ErrForeign, t, err)
		}
		p, err := program.DecodePledge(a.Data)
		if err != nil {
			return fmt.Errorf("%w: the pledge of %s: %w", ledger.ErrForeign, t, err)
		}
		found, mints, out[t] = append(found, p), append(mints, p.Mint), &Pledge{Mint: casefile.Address(p.Mint), Units: p.Amount, task: task}
	}
	if len(found) == 0 {
		return nil
	}
	if all, _, err = office.Accounts(ctx, mints...); err != nil {
		return err
	}
	var held []*Pledge
	var holders []onchain.Address
	for i, p := range found {
		o := out[p.Task]
		m, err := mint(p.Mint, all[i])
		if err != nil {
			o.Amount, o.Creator, o.Worker, o.Refused = fmt.Sprint(p.Amount), "0", "0", err.Error()
			continue
		}
		o.fill(p, m)
		holding, err := tokens.CreateAssociated(prog.ID(), program.PledgeAt(prog, p.Task), m)
		if err != nil {
			return err
		}
		held, holders = append(held, o), append(holders, holding.Accounts[1].Address)
	}
	if len(held) == 0 {
		return nil
	}
	if all, _, err = office.Accounts(ctx, holders...); err != nil {
		return err
	}
	for i, o := range held {
		if all[i] != nil { // it may have been paid since
			a, err := tokens.DecodeAccount(all[i].Owner, all[i].Data)
			o.Frozen = err == nil && a.Frozen
		}
	}
	return nil
}

// fill says what the chain has of a pledge of a mint.
func (o *Pledge) fill(p *program.Pledge, m *tokens.Mint) {
	shown := token(onchain.Address{}, &tokens.TokenAccount{Amount: p.Amount}, m)
	o.Program, o.Amount, o.Freezer, o.Refused, o.mint = shown.Program, shown.Amount, shown.Freezer, shown.Refused, m
	creator, worker := p.Due(o.task)
	o.Creator, o.Worker = tokens.Amount(creator, m.Decimals), tokens.Amount(worker, m.Decimals)
	if creator > 0 {
		o.parties = append(o.parties, o.task.Creator)
	}
	if worker > 0 {
		o.parties = append(o.parties, o.task.Worker)
	}
}

// Worth is what the tokens are worth if a whole one is worth so many lamports. Tokens that are
// frozen, or of a mint that is not safe, are worth nothing.
func (o *Pledge) Worth(lamports uint64) uint64 {
	if o.mint == nil || o.Refused != "" || o.Frozen {
		return 0
	}
	whole := uint64(1)
	for range o.mint.Decimals {
		if whole > math.MaxUint64/10 {
			return 0 // a single token is more than there can be
		}
		whole *= 10
	}
	high, low := bits.Mul64(o.Units, lamports)
	if high >= whole {
		return math.MaxInt64
	}
	worth, _ := bits.Div64(high, low, whole)
	return min(worth, math.MaxInt64)
}

// Reaches reports whether an agent's vault can take the tokens: its account is not frozen.
func (o *Pledge) Reaches(ctx context.Context, c *client.Client, agent onchain.Address) (bool, error) {
	if o.mint == nil {
		return false, nil
	}
	office := client.OfficeOf(c)
	vault, err := tokens.CreateAssociated(agent, office.Program().Agent(agent), o.mint)
	if err != nil {
		return false, err
	}
	all, _, err := office.Accounts(ctx, vault.Accounts[1].Address)
	if err != nil || all[0] == nil {
		return err == nil, err
	}
	a, err := tokens.DecodeAccount(all[0].Owner, all[0].Data)
	return err != nil || !a.Frozen, nil // without an account one is made
}

// Over reports whether the task of the pledge is over, so that it can be paid.
func (o *Pledge) Over() bool { return o.task.Status.Over() }

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
	all, err := at.beside(c, task)
	if err != nil {
		return PledgeDone{}, err
	}
	office := client.OfficeOf(c)
	sent, err := office.Send(ctx, client.Order{
		Name: "pledge tokens to " + task.String(), Pays: PledgeRent,
		Instructions: all,
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

// PledgeRent is the most that the accounts of a pledge take from the wallet, until it is paid.
const PledgeRent = 2 * maxRent

// Beside returns the instructions that put tokens of the client's vault beside its task. They may
// stand in the transaction that makes the task.
func Beside(ctx context.Context, c *client.Client, task onchain.Address, t Transfer) ([]onchain.Instruction, error) {
	at, err := look(ctx, c, t)
	if err != nil {
		return nil, err
	}
	if err := at.mint.Safe(); err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	return at.beside(c, task)
}

func (t *table) beside(c *client.Client, task onchain.Address) ([]onchain.Instruction, error) {
	if err := t.pays(&t.vault, &purse{}); err != nil {
		return nil, err
	}
	prog := client.OfficeOf(c).Program()
	holding, err := tokens.CreateAssociated(t.self, program.PledgeAt(prog, task), t.mint)
	if err != nil {
		return nil, err
	}
	accounts := program.TokenAccounts{Mint: t.mint.Address, Source: t.vault.at, Destination: holding.Accounts[1].Address, Program: t.mint.Program}
	return []onchain.Instruction{holding, accounts.Pledge(prog, t.self, task, t.units)}, nil
}

// Stock is the tokens of one mint in the client's vault.
type Stock struct{ at table }

// StockOf reads them. The error also says if the mint is not safe.
func StockOf(ctx context.Context, c *client.Client, mint onchain.Address) (*Stock, error) {
	at, err := look(ctx, c, Transfer{Mint: mint, Amount: "1"})
	if err == nil {
		err = at.mint.Safe()
	}
	if err != nil {
		return nil, err
	}
	return &Stock{at}, nil
}

// Freezer is who can freeze accounts of the mint; empty: nobody.
func (s *Stock) Freezer() string {
	return token(onchain.Address{}, &tokens.TokenAccount{}, s.at.mint).Freezer
}

// Covers returns why an amount cannot be taken from the stock; nil: it can.
func (s *Stock) Covers(amount string) (err error) {
	t := s.at
	if t.units, err = tokens.Parse(amount, t.mint.Decimals); err != nil {
		return err
	}
	if t.units == 0 {
		return errNothing
	}
	return t.pays(&t.vault, &purse{})
}

// ErrShort means that the vault lacks tokens for a task that is not posted yet.
var ErrShort = errors.New("holdings: nothing was sent")

// Enough refuses tokens beside a new task that the vault does not have, before the task is posted.
// If a task with this document is posted, its tokens may stand beside it already. With again,
// another task is posted in any case.
func Enough(ctx context.Context, c *client.Client, t Transfer, task voting.Hash, again bool) error {
	stock, err := StockOf(ctx, c, t.Mint)
	if err != nil {
		return err
	}
	short := stock.Covers(t.Amount)
	if short == nil {
		return nil
	}
	if !again {
		if _, posted, err := c.Unclaimed(ctx, task); err != nil || posted {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrShort, short)
}

// PayPledge pays everybody that is due tokens of the pledge of a task that is over. It makes the
// token accounts of the vaults that lack one; the client's wallet pays their rent. An account that
// is frozen does not keep the other party from its part.
func PayPledge(ctx context.Context, c *client.Client, task onchain.Address) (PledgeDone, error) {
	p, err := PledgeOf(ctx, c, task)
	if err != nil || p == nil {
		return PledgeDone{Sent: client.Sent{Result: ledger.AlreadyDone.String()}}, err
	}
	if !p.Over() {
		return PledgeDone{Pledge: p}, errEarly
	}
	if p.mint == nil {
		return PledgeDone{Pledge: p}, errors.New("holdings: " + p.Refused)
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
func (o *Pledge) pay(ctx context.Context, c *client.Client, self, task, party onchain.Address) (client.Sent, error) {
	office := client.OfficeOf(c)
	prog := office.Program()
	holding, err := tokens.CreateAssociated(self, program.PledgeAt(prog, task), o.mint)
	if err != nil {
		return client.Sent{}, err
	}
	vault, err := tokens.CreateAssociated(self, prog.Agent(party), o.mint)
	if err != nil {
		return client.Sent{}, err
	}
	accounts := program.TokenAccounts{Mint: o.mint.Address, Source: holding.Accounts[1].Address, Destination: vault.Accounts[1].Address, Program: o.mint.Program}
	return office.Send(ctx, client.Order{
		Name: fmt.Sprintf("pay the pledge of %s to %s", task, party), Pays: maxRent,
		Instructions: []onchain.Instruction{vault, accounts.PayPledge(prog, task, o.task.Creator, party)},
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
