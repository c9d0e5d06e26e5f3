package ledger

import (
	"context"
	"fmt"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// sign simulates the instructions and signs a transaction of them. The error is a Rejection if the
// simulation failed.
func (s *Sender) sign(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (Entry, error) {
	keys := map[onchain.Address]*Keypair{o.Payer.Address(): o.Payer}
	for _, k := range o.Signers {
		keys[k.Address()] = k
	}
	b, err := s.plan(ctx, instructions, o.Payer.Address(), keys)
	if err != nil {
		return Entry{}, err
	}
	hash, lastValid, err := s.client.blockhash(ctx)
	if err != nil {
		return Entry{}, err
	}
	for ; ; b.units++ {
		u, err := compile(o.Payer.Address(), hash, b, instructions)
		if err != nil {
			return Entry{}, err
		}
		if fee := u.fee(b); o.MaxFee > 0 && fee > o.MaxFee {
			return Entry{}, fmt.Errorf("%w: %d lamports, at most %d", ErrFee, fee, o.MaxFee)
		}
		raw, sig, err := u.sign(keys)
		if err != nil {
			return Entry{}, err
		}
		if s.unused(sig, lastValid) {
			return Entry{
				Purpose: o.Purpose, Genesis: s.genesis, Signature: sig, Raw: raw, LastValid: lastValid,
				Before: o.Before, At: time.Now().Unix(), Once: o.Once,
			}, nil
		}
	}
}

// unused reports whether a signature is new. The same instructions for two purposes with one
// blockhash would be one transaction: a compute unit more makes them two.
func (s *Sender) unused(sig onchain.Signature, lastValid uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.used[sig]; used {
		return false
	}
	for old, until := range s.used {
		if until < lastValid {
			delete(s.used, old) // of an older blockhash
		}
	}
	s.used[sig] = lastValid
	return true
}

// plan finds out what the instructions use, and makes sure that they can be signed and the payer
// can pay.
func (s *Sender) plan(ctx context.Context, instructions []onchain.Instruction, payer onchain.Address, keys map[onchain.Address]*Keypair) (budget, error) {
	b := budget{units: maxUnits}
	u, err := compile(payer, onchain.Hash{}, b, instructions)
	if err != nil {
		return budget{}, err
	}
	if err := u.signable(keys); err != nil {
		return budget{}, err
	}
	price, err := s.client.price(ctx, u.writable())
	if err != nil {
		return budget{}, err
	}
	// Simulated at a price of 0: the limit is the highest here, and its price might be more than
	// the payer has.
	b.priced = price > 0
	if u, err = compile(payer, onchain.Hash{}, b, instructions); err != nil {
		return budget{}, err
	}
	sim, err := s.client.simulate(ctx, u)
	if err != nil {
		return budget{}, err
	}
	r, err := s.client.rejection(&u.tx.Message, sim.failure, sim.logs)
	if err != nil {
		return budget{}, err
	}
	b.units, b.price = s.client.cfg.Send.units(sim.units), price
	if err := s.canPay(ctx, payer, u.fee(b), r); err != nil || r == nil {
		return b, err
	}
	r.Simulated = true
	return budget{}, r
}

// canPay returns a Funds error if the payer has less than the fee, or the simulation failed because
// lamports were missing.
func (s *Sender) canPay(ctx context.Context, payer onchain.Address, fee uint64, r *Rejection) error {
	balance, _, err := s.client.Balance(ctx, payer)
	if err != nil {
		return err
	}
	s.metrics.balance.WithLabelValues(payer.String()).Set(float64(balance))
	need := fee
	if r != nil {
		more, broke := r.broke()
		if broke {
			return &fundsError{Address: payer, Balance: balance, Need: fee + more, Host: s.client.caller.host}
		}
	}
	if balance < need {
		return &fundsError{Address: payer, Balance: balance, Need: need, Host: s.client.caller.host}
	}
	return nil
}

// eventTries is how often a transaction is asked for that is in a block already.
const eventTries = 4

// events are what the program did in a transaction that landed, as far as the node tells soon.
func (c *Client) events(ctx context.Context, sig onchain.Signature) (events []program.Event, complete bool) {
	for n := range eventTries {
		t, err := c.transaction(ctx, sig)
		if err == nil {
			c.cache.put(t)
			o := c.occurred(t.slot, sig, t.time, t.logs)
			return o.Events, o.Complete
		}
		if wait(ctx, backoff(n, c.cfg.Calls.BackoffMin, c.cfg.Calls.BackoffMax)) != nil {
			break
		}
	}
	return nil, false
}
