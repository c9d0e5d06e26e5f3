package trader

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ojud/agent/work"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/node/client"
	"ojud/node/holdings"
)

// pledges are the tokens beside rewards, as one agent sees them.
type pledges struct {
	client *client.Client
	me     onchain.Address
	// mints says which tokens the agent takes, and what a whole one is worth, in lamports.
	mints map[string]uint64
	// settled are tasks that are over and have no pledge any more. None comes later.
	settled map[onchain.Address]bool
	// again says when a payment that failed is tried again.
	again map[onchain.Address]time.Time
}

const (
	maxSettled = 4096             // tasks that are remembered
	payAgain   = 10 * time.Minute // after a payment that failed, such as to a frozen account
)

func newPledges(m *market, mints map[string]uint64) *pledges {
	return &pledges{client: m.client, me: m.me, mints: mints, settled: map[onchain.Address]bool{}, again: map[onchain.Address]time.Time{}}
}

// value fills in what the tokens beside offers are worth to the agent. It counts no tokens of a
// mint that its owner did not name, whatever their name is.
func (p *pledges) value(ctx context.Context, offers []work.Vacancy) error {
	if len(p.mints) == 0 || len(offers) == 0 {
		return nil
	}
	tasks := make([]onchain.Address, len(offers))
	for i, o := range offers {
		at, err := onchain.ParseAddress(o.Task)
		if err != nil {
			return err
		}
		tasks[i] = at
	}
	all, err := holdings.Pledges(ctx, p.client, tasks...)
	if err != nil || len(all) == 0 {
		return err
	}
	reached := map[string]bool{}
	for i, at := range tasks {
		o := all[at]
		if o == nil {
			continue
		}
		mint := o.Mint.String()
		each, takes := p.mints[mint]
		if _, known := reached[mint]; takes && !known {
			if reached[mint], err = o.Reaches(ctx, p.client, p.me); err != nil {
				return err
			}
		}
		if takes && reached[mint] {
			offers[i].Beside = work.Beside{Worth: o.Worth(each), Text: o.Amount + " tokens of the mint " + mint}
		}
	}
	return nil
}

// pay pays one pledge of tasks of the agent that are over, if there is one. A creator pays all,
// because the rents come back to it then; a worker those whose tokens it takes, so that worthless
// tokens cost it no rent. It returns what to tell.
func (p *pledges) pay(ctx context.Context, over []ledger.Keyed[program.Task]) (task, text string, err error) {
	var tasks []onchain.Address
	for _, k := range over {
		if len(tasks) < readAccounts/2 && !p.settled[k.Address] && !time.Now().Before(p.again[k.Address]) {
			tasks = append(tasks, k.Address)
		}
	}
	if len(tasks) == 0 {
		return "", "", nil
	}
	all, err := holdings.Pledges(ctx, p.client, tasks...)
	if err != nil {
		return "", "", err
	}
	if len(p.settled) > maxSettled {
		clear(p.settled)
		clear(p.again)
	}
	for _, k := range over {
		o := all[k.Address]
		switch {
		case o == nil:
			p.settled[k.Address] = true
			continue
		case !o.Over(), time.Now().Before(p.again[k.Address]):
			continue
		}
		p.again[k.Address] = time.Now().Add(payAgain)
		if k.Value.Creator != p.me && !p.takes(o) {
			continue // many of these must not keep others from being looked at
		}
		name := k.Address.String()
		if _, err := holdings.PayPledge(ctx, p.client, k.Address); err != nil {
			return name, "could not pay the tokens beside the reward: " + err.Error(), nil
		}
		return name, fmt.Sprintf("brings %s tokens of the mint %s to those who are due them", o.Amount, o.Mint), nil
	}
	return "", "", nil
}

func (p *pledges) takes(o *holdings.Pledge) bool {
	_, ok := p.mints[o.Mint.String()]
	return ok
}

// beside returns the instructions that put an order's tokens beside its task.
func (c *Creator) beside(ctx context.Context, task onchain.Address, o work.Tokens) ([]onchain.Instruction, error) {
	if o.Mint == "" {
		return nil, nil
	}
	mint, err := onchain.ParseAddress(o.Mint)
	if err != nil {
		return nil, err
	}
	return holdings.Beside(ctx, c.Client, task, holdings.Transfer{Mint: mint, Amount: o.Amount})
}

// stocks are the tokens of a creator's vault in one look, by their mints.
type stocks map[string]stock

// stock is the tokens of one mint, or why they cannot be used.
type stock struct {
	held *holdings.Stock
	err  error
}

// maxStocks bounds the mints of a queue that one look reads.
const maxStocks = 16

// short returns why the tokens of an order cannot be put beside a task now; nil: they can.
func (c *Creator) short(ctx context.Context, o work.Tokens, known stocks) error {
	if o.Mint == "" {
		return nil
	}
	s, ok := known[o.Mint]
	if !ok && len(known) >= maxStocks {
		return fmt.Errorf("the queue names more than %d mints; remove orders of some", maxStocks)
	}
	if !ok {
		mint, err := onchain.ParseAddress(o.Mint)
		if err == nil {
			s.held, err = holdings.StockOf(ctx, c.Client, mint)
		}
		s.err = err
		known[o.Mint] = s
	}
	if s.err != nil {
		return s.err
	}
	return s.held.Covers(o.Amount)
}

// tokensOf reads the tokens that a setting or an order names. The amount is compared with the mint
// when it is posted.
func tokensOf(mint, amount string) (work.Tokens, error) {
	switch {
	case mint == "" && amount == "":
		return work.Tokens{}, nil
	case mint == "" || amount == "":
		return work.Tokens{}, errors.New("mint and tokens belong together: they name the tokens beside the reward, and how many")
	}
	if _, err := onchain.ParseAddress(mint); err != nil {
		return work.Tokens{}, fmt.Errorf("mint is %.60q; give the address of a mint", mint)
	}
	_, part, _ := strings.Cut(amount, ".")
	if _, err := tokens.Parse(amount, uint8(min(len(part), maxDecimals))); err != nil {
		return work.Tokens{}, fmt.Errorf("tokens: %w", err)
	}
	return work.Tokens{Mint: mint, Amount: amount}, nil
}

// maxDecimals is how many digits after the point an amount may have until its mint is known.
const maxDecimals = 19
