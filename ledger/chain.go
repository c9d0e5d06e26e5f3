package ledger

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
)

// CheckChain makes sure that the node serves the cluster with that genesis hash, and that the
// program is there and initialised for it. From then on the client is bound to that cluster. The
// errors are ErrOtherChain, ErrNoProgram, ErrNotExecutable, ErrNoConfig and those of reads; each
// says what to do.
func (c *Client) CheckChain(ctx context.Context, want onchain.Hash) error {
	got, err := c.Genesis(ctx)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%w: the node at %s serves the cluster with genesis hash %s, the network wants %s; "+
			"point rpc at a node of the right cluster, or use the network.json of this one", ErrOtherChain, c.caller.Host(), got, want)
	}
	all, _, err := c.Accounts(ctx, c.program.ID(), c.program.Config())
	if err != nil {
		return err
	}
	if err := checkProgram(all[0], c.program.ID()); err != nil {
		return err
	}
	return c.checkConfig(all[1], want)
}

// checkProgram reports whether the account of a program can be executed.
func checkProgram(a *Account, id onchain.Address) error {
	switch {
	case a == nil:
		return fmt.Errorf("%w: there is no account at %s; check the program's address, or deploy the program to this cluster",
			ErrNoProgram, id)
	case !a.Executable:
		return fmt.Errorf("%w: the account at %s cannot be executed; check the program's address", ErrNotExecutable, id)
	}
	return nil
}

func (c *Client) checkConfig(a *Account, genesis onchain.Hash) error {
	if a == nil {
		return fmt.Errorf("%w: there is no Config account at %s; the program's upgrade authority has to send init_config once",
			ErrNoConfig, c.program.Config())
	}
	cfg, err := decodeAs(c, a, program.DecodeConfig)
	if err != nil {
		return err
	}
	if onchain.Hash(cfg.Network) != genesis {
		return fmt.Errorf("%w: the program was initialised for the network %s, but this cluster is %s; signatures would be worthless here",
			ErrOtherChain, onchain.Hash(cfg.Network), genesis)
	}
	return nil
}

// Now reads the chain's clock: the slot and Unix seconds of the newest confirmed block.
func (c *Client) Now(ctx context.Context) (Moment, error) {
	for doubted := false; ; doubted = true {
		all, slot, err := c.Accounts(ctx, onchain.ClockAccount())
		if err != nil {
			return Moment{}, err
		}
		m, err := c.tell(all[0], slot)
		if doubted || !errors.Is(err, looks.ErrJump) {
			return m, err
		}
	}
}

// tell sets the clock from the sysvar's account in an answer from that slot.
func (c *Client) tell(a *Account, slot uint64) (Moment, error) {
	if a == nil {
		return Moment{}, fmt.Errorf("%w: there is no Clock sysvar", ErrForeign)
	}
	m, err := looks.DecodeClock(a.Data)
	switch {
	case err != nil:
		return Moment{}, fmt.Errorf("%w: %w", ErrForeign, err)
	case m.Slot > slot:
		return Moment{}, fmt.Errorf("%w: the Clock sysvar says slot %d in an answer from slot %d", ErrAnswer, m.Slot, slot)
	case !c.clock.Plausible(m):
		return Moment{}, fmt.Errorf("%w: it says %d", looks.ErrJump, m.Unix)
	}
	c.clock.Observe(m)
	return m, nil
}

// Balance is the lamports of any address, 0 if there is no such account.
func (c *Client) Balance(ctx context.Context, address onchain.Address) (lamports, slot uint64, err error) {
	all, slot, err := c.Accounts(ctx, address)
	if err != nil || all[0] == nil {
		return 0, slot, err
	}
	return all[0].Lamports, slot, nil
}

// RentMinimum returns the lamports that an account of that size must hold.
func (c *Client) RentMinimum(ctx context.Context, size int) (lamports uint64, err error) {
	err = c.call(ctx, "getMinimumBalanceForRentExemption", []any{size, c.at(0)}, &lamports, nil)
	return lamports, err
}

// Airdrop asks a test cluster's node for free lamports. It returns the signature of the transaction
// that brings them; Await waits for it. The error is an ErrAirdrop that states the node's answer.
func (c *Client) Airdrop(ctx context.Context, to onchain.Address, lamports uint64) (onchain.Signature, error) {
	if err := c.bound(); err != nil {
		return onchain.Signature{}, err
	}
	var sig onchain.Signature
	_, err := c.caller.Once(ctx, "requestAirdrop", []any{to, lamports, c.at(0)}, &sig) // once: a faucet counts requests
	var fault *rpc.Error
	switch {
	case err == nil:
		return sig, c.verify(ctx)
	case errors.As(err, &fault) && fault.Code == rpc.CodeNoMethod:
		return sig, fmt.Errorf("%w: the node at %s has no faucet; public clusters with real money give none", errAirdrop, c.caller.Host())
	case errors.Is(err, ErrRateLimited), errors.As(err, &fault) && fault.Code == rpc.CodeInternal:
		return sig, fmt.Errorf("%w: the faucet at %s refuses: %w; ask for less or wait, or use another faucet (https://faucet.solana.com)",
			errAirdrop, c.caller.Host(), err)
	}
	return sig, fmt.Errorf("%w: %w", errAirdrop, err)
}
