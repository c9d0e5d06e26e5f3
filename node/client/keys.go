package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
	oju "ojud/programs/oju"
)

// ProgramSHA256 returns the hash of the oju program in this binary, in hex. A devnet deploys this
// program. Compare the hash with the program of another cluster.
func ProgramSHA256() string {
	sum := sha256.Sum256(oju.ELF())
	return hex.EncodeToString(sum[:])
}

// Keypair is a key that signs.
type Keypair = ledger.Keypair

// LoadKey reads a Solana key file (id.json) that only its owner may read.
func LoadKey(path string) (*ledger.Keypair, error) { return transact.LoadKeypair(path) }

// LoadOrCreateKey reads a key file. It makes one if there is none, and reports that.
func LoadOrCreateKey(path string) (key *ledger.Keypair, created bool, err error) {
	return transact.LoadOrCreateKeypair(path)
}

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
