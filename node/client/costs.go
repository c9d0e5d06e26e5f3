package client

import (
	"context"
	"fmt"

	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting/rules"
)

// CostsView says what the steps of a task take from its parties. Bonds come out of vaults.
type CostsView struct {
	Price  Lamports `json:"price"`  // of the claim; without one, what a claim gets now
	Share  Lamports `json:"share"`  // of the price, which the golden pot gets when the worker is paid
	Claim  Lamports `json:"claim"`  // bond of the claim
	Object Lamports `json:"object"` // bond of an objection
	Answer Lamports `json:"answer"` // bond of an answer to it
	Rent   Lamports `json:"rent"`   // of a case, from the worker's wallet; it comes back when the case is closed
}

// lamportsAByte is the rent of a byte of an account, and emptyAccount is how many more are charged
// for each account.
const (
	lamportsAByte = 6_960
	emptyAccount  = 128
)

// ReviewCosts says what the steps of a task take from its parties.
func ReviewCosts(ctx context.Context, c *Client, task onchain.Address) (v CostsView, err error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return v, err
	}
	terms, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return v, err
	}
	_, market, err := law.Clock(ctx, c.chain)
	if err != nil {
		return v, err
	}
	return costsOf(t, terms.Params, market)
}

// costsOf returns the costs by the rules of a task.
func costsOf(t *program.Task, params program.Params, market int64) (v CostsView, err error) {
	price := t.Reward
	if price == 0 { // nobody has claimed it
		if price, err = t.Offer().Price(market); err != nil {
			return v, fmt.Errorf("client: price: %w", err)
		}
	}
	claim, err := rules.Law{ClaimBps: t.ClaimBps}.Claim(t.RewardMax)
	if err != nil {
		return v, fmt.Errorf("client: bond: %w", err)
	}
	creator, worker, err := t.Law(params).Bonds(price, t.Seats)
	if err != nil {
		return v, fmt.Errorf("client: bond: %w", err)
	}
	share, err := rules.Trade(price, t.TradeBps)
	v = CostsView{Price: Lamports(price), Share: Lamports(share), Claim: Lamports(claim), Object: Lamports(creator), Answer: Lamports(worker)}
	if t.Engine.IsZero() {
		v.Rent = Lamports(program.CaseSize(int(t.Seats))+emptyAccount) * lamportsAByte
	}
	return v, err
}
