package ledger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
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
	hash, lastValid, err := s.blockhash(ctx)
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
	price, err := s.price(ctx, u.writable())
	if err != nil {
		return budget{}, err
	}
	// Simulated at a price of 0: the limit is the highest here, and its price might be more than
	// the payer has.
	b.priced = price > 0
	if u, err = compile(payer, onchain.Hash{}, b, instructions); err != nil {
		return budget{}, err
	}
	sim, err := s.simulate(ctx, u)
	if err != nil {
		return budget{}, err
	}
	r, err := rejection(s.client.program, &u.tx.Message, sim.failure, sim.logs)
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
			return &fundsError{Address: payer, Balance: balance, Need: fee + more, Host: s.client.caller.Host()}
		}
	}
	if balance < need {
		return &fundsError{Address: payer, Balance: balance, Need: need, Host: s.client.caller.Host()}
	}
	return nil
}

// eventTries is how often a transaction is asked for that is in a block already.
const eventTries = 4

// events are what the program did in a transaction that landed, as far as the node tells soon.
func (s *Sender) events(ctx context.Context, sig onchain.Signature) (events []program.Event, complete bool) {
	c := s.client
	for n := range eventTries {
		t, err := c.transaction(ctx, sig)
		if err == nil {
			c.cache.put(t)
			o := c.occurred(t.slot, sig, t.time, t.logs)
			return o.Events, o.Complete
		}
		if rpc.Wait(ctx, rpc.Backoff(n, c.cfg.Calls.BackoffMin, c.cfg.Calls.BackoffMax)) != nil {
			break
		}
	}
	return nil, false
}

// simulation is what a simulated transaction did.
type simulation struct {
	units   uint64
	failure json.RawMessage
	logs    []string
}

// simulate runs a transaction without landing it. The node puts in a blockhash of its own.
func (s *Sender) simulate(ctx context.Context, u unsigned) (simulation, error) {
	c := s.client
	var out contexted[*struct {
		Err   json.RawMessage `json:"err"`
		Logs  []string        `json:"logs"`
		Units *uint64         `json:"unitsConsumed"`
	}]
	least := c.floor.Load()
	options := c.at(least)
	options["encoding"], options["replaceRecentBlockhash"], options["sigVerify"] = "base64", true, false
	params := []any{base64.StdEncoding.EncodeToString(u.raw(nil)), options}
	err := c.call(ctx, "simulateTransaction", params, &out, func() error {
		switch {
		case out.Value == nil:
			return fmt.Errorf("%w: simulateTransaction: no value", ErrAnswer)
		case string(out.Value.Err) == `"BlockhashNotFound"`:
			return fmt.Errorf("%w: simulateTransaction: the node does not know its own blockhash", ErrStale)
		}
		return c.fresh(out.Context.Slot, least)
	})
	if err != nil {
		return simulation{}, err
	}
	sim := simulation{failure: out.Value.Err, logs: out.Value.Logs, units: maxUnits}
	if out.Value.Units != nil {
		sim.units = *out.Value.Units
	}
	return sim, nil
}

// maxKeptLogs bounds the log lines kept of a refused transaction.
const maxKeptLogs = 64

// rejection says why a transaction with that message failed; nil: it did not.
func rejection(p program.Program, u *solana.Message, failure json.RawMessage, logs []string) (*Rejection, error) {
	if !failed(failure) {
		return nil, nil
	}
	f, err := program.ParseFailure(failure)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	r := &Rejection{Failure: f, Logs: logs[max(0, len(logs)-maxKeptLogs):]}
	if f.Index >= 0 && f.Index < len(u.Instructions) {
		at := int(u.Instructions[f.Index].ProgramIDIndex)
		r.Ours = at < len(u.AccountKeys) && onchain.Address(u.AccountKeys[at]) == p.ID()
	}
	return r, nil
}

// broke reports whether a refusal means that an account has too few lamports, and how many it needs
// if the logs say so.
func (r *Rejection) broke() (need uint64, yes bool) {
	switch r.Failure.Kind {
	case "AccountNotFound", "InsufficientFundsForFee", "InsufficientFundsForRent", "InvalidAccountForFee":
		return 0, true
	}
	if !r.Failure.HasCustom || r.Failure.Custom != 1 { // SystemError::ResultWithNegativeLamports
		return 0, false
	}
	line := regexp.MustCompile(`^Transfer: insufficient lamports \d+, need (\d+)$`)
	for _, text := range slices.Backward(r.Logs) {
		if m := line.FindStringSubmatch(text); m != nil {
			need, err := strconv.ParseUint(m[1], 10, 64)
			return need, err == nil
		}
	}
	return 0, false
}
