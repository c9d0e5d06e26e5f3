package ledger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/rpc"
	"ojud/ledger/transact"
)

// sign simulates the instructions and signs a transaction of them. The error is a Rejection if the
// simulation failed.
func (s *Sender) sign(ctx context.Context, instructions []onchain.Instruction, o SubmitOptions) (transact.Entry, error) {
	keys := map[onchain.Address]*Keypair{o.Payer.Address(): o.Payer}
	for _, k := range o.Signers {
		keys[k.Address()] = k
	}
	b, instructions, err := s.plan(ctx, instructions, o, keys)
	if err != nil {
		return transact.Entry{}, err
	}
	if !s.client.priority.Take(time.Now(), b.Priority()) {
		b.Price = 0
	}
	hash, lastValid, err := s.blockhash(ctx)
	if err != nil {
		return transact.Entry{}, err
	}
	for ; ; b.Units++ {
		u, err := transact.Compile(o.Payer.Address(), hash, b, instructions)
		if err != nil {
			return transact.Entry{}, err
		}
		if fee := u.Fee(b); o.MaxFee > 0 && fee > o.MaxFee {
			return transact.Entry{}, fmt.Errorf("%w: %d lamports, at most %d", ErrFee, fee, o.MaxFee)
		}
		raw, sig, err := u.Sign(keys)
		if err != nil {
			return transact.Entry{}, err
		}
		if s.unused(sig, lastValid) {
			return transact.Entry{
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

// plan finds out what the instructions use, which form they need, and what goes along.
func (s *Sender) plan(ctx context.Context, all []onchain.Instruction, o SubmitOptions, keys map[onchain.Address]*Keypair) (transact.Budget, []onchain.Instruction, error) {
	old, wide := transact.Budget{Units: transact.MaxUnits}, transact.Budget{Units: transact.MaxUnits, Loaded: transact.MaxLoaded}
	b, log, err := s.try(ctx, all, old, o.Payer.Address(), keys)
	if errors.Is(err, transact.ErrTooLarge) {
		if wider, _, bad := s.try(ctx, all, wide, o.Payer.Address(), keys); !errors.Is(bad, transact.ErrTooLarge) && !errors.Is(bad, rpc.ErrRefused) {
			return wider, all, bad
		}
	}
	if err != nil || o.Along == nil || time.Now().Unix() < s.legacy.Load() {
		return b, all, err
	}
	more, err := o.Along(ctx, log.Events)
	for ; err == nil && len(more) > 0; more = more[:len(more)*3/4] {
		both := slices.Concat(all, more)
		wider, log, bad := s.try(ctx, both, wide, o.Payer.Address(), keys)
		switch {
		case bad == nil && log.Complete && (o.MaxFee == 0 || transact.LamportsPerSignature*uint64(1+len(o.Signers))+wider.Priority() <= o.MaxFee):
			return wider, both, nil
		case bad != nil && !errors.Is(bad, transact.ErrTooLarge):
			if err = bad; errors.Is(bad, rpc.ErrRefused) {
				s.legacy.Store(time.Now().Add(oldCluster).Unix())
			}
		}
	}
	if err != nil {
		s.log.Debug("an act goes without what could go along", "purpose", string(o.Purpose), "err", err)
	}
	return b, all, nil
}

// oldCluster is how long a cluster that refused version 1 is not asked to take it again.
const oldCluster = time.Hour

// try simulates the instructions within a budget. It returns the budget that they need and what
// they log, and makes sure that they can be signed and the payer can pay.
func (s *Sender) try(ctx context.Context, instructions []onchain.Instruction, b transact.Budget, payer onchain.Address, keys map[onchain.Address]*Keypair) (transact.Budget, Occurred, error) {
	var log Occurred
	u, err := transact.Compile(payer, onchain.Hash{}, b, instructions)
	if err != nil {
		return transact.Budget{}, log, err
	}
	if err := u.Signable(keys); err != nil {
		return transact.Budget{}, log, err
	}
	price, err := s.price(ctx, u.Writable())
	if err != nil {
		return transact.Budget{}, log, err
	}
	// Simulated at a price of 0: the limit is the highest here, and its price might be more than
	// the payer has.
	b.Priced = price > 0
	if u, err = transact.Compile(payer, onchain.Hash{}, b, instructions); err != nil {
		return transact.Budget{}, log, err
	}
	sim, err := s.simulate(ctx, u)
	if err != nil {
		return transact.Budget{}, log, err
	}
	r, err := rejection(s.client.program, u.Message(), sim.failure, sim.logs)
	if err != nil {
		return transact.Budget{}, log, err
	}
	b.Units, b.Price = s.client.cfg.Send.units(sim.units), price
	if b.Loaded > 0 {
		b.Loaded = min(sim.loaded+sim.loaded/4+leastLoaded, transact.MaxLoaded)
	}
	err = s.canPay(ctx, payer, u.Fee(b), r)
	if b.Price > 0 && errors.Is(err, ErrNoFunds) {
		b.Price = 0
		err = s.canPay(ctx, payer, u.Fee(b), r)
	}
	if err == nil && r != nil {
		r.Simulated, err = true, r
	}
	return b, s.client.occurred(0, onchain.Signature{}, 0, sim.logs), err
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
		more, broke := r.Broke()
		if broke {
			return &transact.FundsError{Address: payer, Balance: balance, Need: fee + more}
		}
	}
	if balance < need {
		return &transact.FundsError{Address: payer, Balance: balance, Need: need}
	}
	return nil
}

// eventTries is how often a transaction is asked for that is in a block already.
const eventTries = 4

// events returns the program's events in a transaction that landed, as far as the node tells soon.
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

// simulation has the effects of a simulated transaction.
type simulation struct {
	units   uint64
	loaded  uint32 // bytes of accounts
	failure json.RawMessage
	logs    []string
}

// simulate runs a transaction without landing it. The node puts in a blockhash of its own.
func (s *Sender) simulate(ctx context.Context, u transact.Unsigned) (simulation, error) {
	c := s.client
	var out rpc.Contexted[*struct {
		Err   json.RawMessage `json:"err"`
		Logs  []string        `json:"logs"`
		Units *uint64         `json:"unitsConsumed"`
		Size  uint32          `json:"loadedAccountsDataSize"`
	}]
	least := c.floor.Load()
	options := c.at(least)
	options["encoding"], options["replaceRecentBlockhash"], options["sigVerify"] = "base64", true, false
	params := []any{base64.StdEncoding.EncodeToString(u.Raw(nil)), options}
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
	sim := simulation{failure: out.Value.Err, logs: out.Value.Logs, units: transact.MaxUnits, loaded: min(out.Value.Size, transact.MaxLoaded)}
	if sim.loaded == 0 { // an older node, which does not tell
		sim.loaded = transact.MaxLoaded
	}
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

// leastMargin is the smallest addition to the compute units of a simulation. If 28 judges join at
// once, each simulates with a shorter Roster than its transaction will meet, and a percentage of a
// small number is not enough.
const leastMargin = 30_000

// leastLoaded is the smallest addition to the bytes that a simulation loaded: lists may grow.
const leastLoaded = 64 << 10

// units is the limit of compute units for a transaction that used so many in a simulation.
func (s Send) units(used uint64) uint32 {
	if used >= transact.MaxUnits {
		return transact.MaxUnits
	}
	return uint32(min(used+max(used*uint64(s.ComputeMargin)/100, leastMargin), transact.MaxUnits))
}

// price returns the offer for a compute unit, in micro-lamports. Only "auto" asks the node for
// recent fees. If it does not tell, the offer is 0: a vote must not fail for that.
func (s *Sender) price(ctx context.Context, accounts []onchain.Address) (uint64, error) {
	c := s.client
	fixed, auto, err := c.cfg.Send.priority()
	if err != nil || !auto {
		return fixed, err
	}
	var recent []struct {
		Fee uint64 `json:"prioritizationFee"`
	}
	err = c.call(ctx, "getRecentPrioritizationFees", []any{accounts}, &recent, nil, ErrUnavailable, ErrRateLimited, ErrAnswer, ErrStale)
	if errors.Is(err, ErrOtherChain) || ctx.Err() != nil {
		return 0, err
	}
	fees := make([]uint64, len(recent))
	for i, r := range recent {
		fees[i] = r.Fee
	}
	return min(transact.Percentile(fees, c.cfg.Send.PriorityPercentile), c.cfg.Send.PriorityCap), nil
}
