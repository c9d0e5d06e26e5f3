package layer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/layer"
	"ojud/voting"
)

// Accounts are the accounts of a Memory.
type Accounts map[onchain.Address]ledger.Account

// Step applies one instruction to accounts that it may change, and returns what the program did. An
// error refuses the whole transaction.
type Step func(all Accounts, i onchain.Instruction, at ledger.Moment) ([]program.Event, error)

const (
	slotTime    = 400 * time.Millisecond
	fee         = 5000 // lamports of a transaction
	maxAccounts = 100
)

// Memory is a layer.Chain in memory. Its clock is this machine's: a block every 400 ms, and one for
// each transaction.
type Memory struct {
	program program.Program
	genesis onchain.Hash
	step    Step
	began   time.Time

	mu       sync.Mutex
	accounts Accounts
	blocks   uint64 // made for transactions
	log      []transaction
	busy     map[ledger.Purpose]bool
	changed  chan struct{} // closed at the next transaction
}

// transaction is one that landed.
type transaction struct {
	ledger.Occurred
	instructions []onchain.Instruction
}

var _ layer.Chain = (*Memory)(nil)

// NewMemory returns a chain with these accounts. Transfers between wallets need no step.
func NewMemory(p program.Program, genesis onchain.Hash, accounts Accounts, step Step) *Memory {
	return &Memory{
		program: p, genesis: genesis, step: step, began: time.Now(), accounts: maps.Clone(accounts),
		busy: map[ledger.Purpose]bool{}, changed: make(chan struct{}),
	}
}

// Program implements layer.Chain.
func (m *Memory) Program() program.Program { return m.program }

// CheckChain implements layer.Chain.
func (m *Memory) CheckChain(ctx context.Context, genesis onchain.Hash) error {
	if genesis != m.genesis {
		return fmt.Errorf("%w: it is %s, not %s", ledger.ErrOtherChain, m.genesis, genesis)
	}
	config, _, err := ledger.Read(ctx, m, m.program.Config(), program.DecodeConfig)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return fmt.Errorf("%w: %w", ledger.ErrNoConfig, err)
	case err == nil && onchain.Hash(config.Network) != genesis:
		return fmt.Errorf("%w: the program is for %s", ledger.ErrOtherChain, onchain.Hash(config.Network))
	}
	return err
}

// CheckLists implements layer.Chain.
func (m *Memory) CheckLists(context.Context) error { return nil }

// Accounts implements layer.Chain.
func (m *Memory) Accounts(_ context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error) {
	if len(addresses) == 0 || len(addresses) > maxAccounts {
		return nil, 0, fmt.Errorf("layer: %d accounts at once, 1..%d are possible", len(addresses), maxAccounts)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*ledger.Account, len(addresses))
	for i, address := range addresses {
		if a, ok := m.accounts[address]; ok {
			a.Address, a.Data = address, slices.Clone(a.Data)
			out[i] = &a
		}
	}
	return out, m.now().Slot, nil
}

// Heads implements layer.Chain.
func (m *Memory) Heads(_ context.Context, account string, having ledger.Filter, offset, length int) (out []*ledger.Account, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := program.Discriminator("account", account)
	for address, a := range m.accounts {
		if a.Owner == m.program.ID() && len(a.Data) >= offset+length && bytes.HasPrefix(a.Data, d[:]) && bytes.HasPrefix(a.Data[having.Offset:], having.Bytes) {
			a.Address, a.Data = address, slices.Clone(a.Data[offset:offset+length])
			out = append(out, &a)
		}
	}
	return out, nil
}

// RentMinimum implements layer.Chain, as Solana computes it.
func (m *Memory) RentMinimum(_ context.Context, size int) (uint64, error) {
	return uint64(128+size) * 6960, nil
}

// History implements layer.Chain.
func (m *Memory) History(_ context.Context, task onchain.Address) (out []ledger.Occurred, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.log {
		if t.names(task) || t.names(m.program.Case(task)) {
			out = append(out, t.Occurred)
		}
	}
	return out, nil
}

func (t transaction) names(address onchain.Address) bool {
	return slices.ContainsFunc(t.instructions, func(i onchain.Instruction) bool { return names(i, address) })
}

func names(i onchain.Instruction, address onchain.Address) bool {
	return slices.ContainsFunc(i.Accounts, func(a onchain.AccountMeta) bool { return a.Address == address })
}

// Sealed implements layer.Chain.
func (m *Memory) Sealed(_ context.Context, task, judge onchain.Address, round uint8, commitment voting.Hash) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.log {
		for _, i := range t.instructions {
			if i.Program != m.program.ID() || !names(i, judge) || !names(i, m.program.Case(task)) {
				continue
			}
			decoded, err := program.DecodeInstruction(i.Data)
			if c, ok := decoded.(*program.Commit); err == nil && ok && c.Round == round && c.Commitment == commitment {
				return c.Sealed, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: a commit of %s in round %d of case %s", ledger.ErrNotFound, judge, round, task)
}

// Now implements layer.Chain.
func (m *Memory) Now(context.Context) (ledger.Moment, error) {
	now, _ := m.Last()
	return now, nil
}

// now returns the newest block. The caller holds mu.
func (m *Memory) now() ledger.Moment {
	return ledger.Moment{Slot: 1 + m.blocks + uint64(time.Since(m.began)/slotTime), Unix: time.Now().Unix()}
}

// Time implements layer.Chain.
func (m *Memory) Time() layer.Time { return m }

// Last implements layer.Time.
func (m *Memory) Last() (ledger.Moment, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now(), true
}

// Estimate implements layer.Time.
func (m *Memory) Estimate() (int64, bool) { return time.Now().Unix(), true }

// Age implements layer.Time.
func (m *Memory) Age() time.Duration { return time.Since(m.began) % slotTime }

// Submitter implements layer.Chain. A transaction lands at once, so that the outbox stays empty.
func (m *Memory) Submitter(context.Context, ledger.Outbox) (layer.Submitter, error) {
	return submitter{m}, nil
}

// Close implements layer.Chain.
func (m *Memory) Close() {}

type submitter struct{ m *Memory }

// Close implements layer.Submitter.
func (submitter) Close() {}

// Submit implements layer.Submitter.
func (s submitter) Submit(ctx context.Context, instructions []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error) {
	if o.Payer == nil || o.Once {
		return transact.Outcome{}, errors.New("layer: a transaction needs a fee payer, and Once is not known here")
	}
	if !s.m.board(o.Purpose) {
		return transact.Outcome{}, fmt.Errorf("layer: %s is under way", o.Purpose)
	}
	defer s.m.leave(o.Purpose)
	done := func() bool { return false }
	if o.Done != nil {
		done = func() bool { yes, err := o.Done(ctx); return yes && err == nil }
	}
	if done() {
		return transact.Outcome{Class: ledger.AlreadyDone}, ctx.Err()
	}
	out, err := s.m.land(instructions, o)
	if err == nil && out.Class == ledger.Rejected && done() {
		out.Class = ledger.AlreadyDone
	}
	return out, err
}

// board reports whether no other caller submits for that purpose.
func (m *Memory) board(p ledger.Purpose) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p != "" && m.busy[p] {
		return false
	}
	m.busy[p] = true
	return true
}

func (m *Memory) leave(p ledger.Purpose) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, p)
}

// land applies a transaction in a block of its own, or nothing of it.
func (m *Memory) land(instructions []onchain.Instruction, o ledger.SubmitOptions) (transact.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if o.Before != 0 && now.Unix >= o.Before {
		return transact.Outcome{Class: transact.GaveUp}, nil
	}
	if o.MaxFee != 0 && o.MaxFee < fee {
		return transact.Outcome{}, fmt.Errorf("%w: %d lamports", ledger.ErrFee, fee)
	}
	all := maps.Clone(m.accounts)
	payer := all[o.Payer.Address()]
	if payer.Lamports < fee {
		return transact.Outcome{}, fmt.Errorf("%w: %s has %d lamports and needs %d", ledger.ErrNoFunds, o.Payer.Address(), payer.Lamports, fee)
	}
	payer.Lamports -= fee
	all[o.Payer.Address()] = payer
	now.Slot++
	t := transaction{instructions: slices.Clone(instructions)}
	for n, i := range instructions {
		events, err := m.apply(all, i, now)
		if errors.Is(err, ledger.ErrNoFunds) {
			return transact.Outcome{}, err
		}
		if err != nil {
			return transact.Outcome{Class: ledger.Rejected, Rejection: &ledger.Rejection{
				Failure: program.Failure{Index: n, Kind: err.Error()}, Ours: i.Program == m.program.ID(), Simulated: true,
			}}, nil
		}
		t.Events = append(t.Events, events...)
	}
	m.accounts, m.blocks = all, m.blocks+1
	binary.BigEndian.PutUint64(t.Signature[:], m.blocks)
	t.Slot, t.Time, t.Complete, t.Cursor = now.Slot, now.Unix, true, ledger.Cursor{Slot: now.Slot, Signature: t.Signature}
	m.log = append(m.log, t)
	close(m.changed)
	m.changed = make(chan struct{})
	return transact.Outcome{Class: ledger.Landed, Signature: t.Signature, Slot: t.Slot, Events: t.Events, Complete: true}, nil
}

func (m *Memory) apply(all Accounts, i onchain.Instruction, at ledger.Moment) ([]program.Event, error) {
	if i.Program != onchain.SystemProgram() {
		return m.step(all, i, at)
	}
	if len(i.Data) != 12 || len(i.Accounts) != 2 || i.Data[0] != 2 {
		return nil, errors.New("InvalidInstructionData")
	}
	lamports := binary.LittleEndian.Uint64(i.Data[4:])
	from := all[i.Accounts[0].Address]
	if from.Lamports < lamports {
		return nil, fmt.Errorf("%w: %s has %d lamports and needs %d", ledger.ErrNoFunds, i.Accounts[0].Address, from.Lamports, lamports)
	}
	from.Lamports -= lamports
	all[i.Accounts[0].Address] = from
	to := all[i.Accounts[1].Address]
	to.Lamports += lamports
	all[i.Accounts[1].Address] = to
	return nil, nil
}
