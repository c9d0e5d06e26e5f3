package client

import (
	"context"
	"fmt"

	"ojud/ledger/onchain"
)

// Airdropped is the result of an airdrop.
type Airdropped struct {
	Address   string   `json:"address"`
	Amount    Lamports `json:"amount"`
	Balance   Lamports `json:"balance"` // afterwards
	Signature string   `json:"signature"`
}

// Airdrop asks the faucet of a test court for lamports and waits for them. A zero address means the
// client's own.
func (c *Client) Airdrop(ctx context.Context, to onchain.Address, amount Lamports) (Airdropped, error) {
	to, err := c.who(to)
	if err != nil {
		return Airdropped{}, err
	}
	if !c.network.Faucet {
		return Airdropped{}, fmt.Errorf("client: court %q has no faucet; send some SOL to %s", c.network.Name, to)
	}
	sig, err := c.chain.Airdrop(ctx, to, uint64(amount))
	if err != nil {
		return Airdropped{}, fmt.Errorf("client: airdrop: %w", err)
	}
	if _, err := c.chain.Await(ctx, sig); err != nil {
		return Airdropped{}, fmt.Errorf("client: airdrop %s: %w", sig, err)
	}
	balance, err := c.Balance(ctx, to)
	return Airdropped{Address: to.String(), Amount: amount, Balance: balance, Signature: sig.String()}, err
}

// Balance returns the lamports in a wallet. A zero address means the client's own.
func (c *court) Balance(ctx context.Context, of onchain.Address) (Lamports, error) {
	of, err := c.who(of)
	if err != nil {
		return 0, err
	}
	balance, _, err := c.chain.Balance(ctx, of)
	return Lamports(balance), err
}
