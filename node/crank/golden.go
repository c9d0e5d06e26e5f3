package crank

import (
	"context"
	"encoding/binary"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// heardLeaf notes a golden case whose answer was written into it. The look at its batch says when
// it may be applied.
func heardLeaf(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	l, ok := e.(*program.LeafOpened)
	if !ok || l.Void == 1 {
		return onchain.Address{}, mark{}, false
	}
	return c.d.Chain.Program().Case(l.Task), mark{at: l.At, worth: rent(uint64(program.CaseSize(1)))}, true
}

// pausedLook is how many seconds pass between two looks at a leaf while the court is paused. The
// time to challenge goes on when the pause is over, so little of it may be left.
const pausedLook = 600

// planLeaf applies a golden case when its batch may be applied.
func planLeaf(ctx context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	k, err := program.DecodeCase(a.Data)
	if err != nil || !waitsForBatch(k.Golden, k.Applied) {
		return duty{}, false, err
	}
	b, config, err := c.batch(ctx, k.Batch)
	if err != nil || b == nil {
		return duty{}, false, err
	}
	now := c.d.Clock()
	d := duty{at: b.ApplyFrom(config), act: c.d.Chain.Program().BatchCalls(b.Number).ApplyLeaf(k.Task)}
	switch {
	case b.Opened < b.Leaves && now < b.OpenBy: // its last leaf says from when
		d.at = max(now, b.CommittedAt) + max(int64(b.ChallengeSeconds), 60)
	case !b.Fair():
		return duty{}, false, nil
	case config.Paused != 0:
		d.at = max(d.at, now+pausedLook)
	}
	return d, true, nil
}

func waitsForBatch(golden voting.Choice, applied uint8) bool { return golden != 0 && applied == 0 }

// batch reads a batch, and Config, which knows the last pause. It is nil if the batch is closed.
func (c *Crank) batch(ctx context.Context, number uint64) (*program.Batch, *program.Config, error) {
	p := c.d.Chain.Program()
	all, _, err := c.d.Chain.Accounts(ctx, p.Batch(number), p.Config())
	if err != nil || all[0] == nil || all[0].Owner != p.ID() || all[1] == nil {
		return nil, nil, err
	}
	config, err := program.DecodeConfig(all[1].Data)
	if err != nil {
		return nil, nil, err
	}
	b, err := program.DecodeBatch(all[0].Data)
	return b, config, err
}

// heardBatch notes when a batch has to be open, and looks at it again when a leaf was opened or
// applied, because it may be the last one. A batch holds its deposit.
func heardBatch(c *Crank, e program.Event) (onchain.Address, mark, bool) {
	p := c.d.Chain.Program()
	switch e := e.(type) {
	case *program.BatchCommitted:
		return p.Batch(e.Batch), mark{at: e.OpenBy, worth: e.Deposit}, true
	case *program.LeafApplied:
		return p.Batch(e.Batch), mark{at: e.At, worth: rent(program.BatchSize)}, true
	}
	return onchain.Address{}, mark{}, false
}

// foundBatch reads deposit to open_by of a Batch.
func foundBatch(_ *Crank, shown []byte) (mark, bool) {
	u64 := func(offset int) uint64 { return binary.LittleEndian.Uint64(shown[offset-batchDeposit:]) }
	return mark{at: int64(u64(batchOpenBy)), worth: u64(batchDeposit)}, true
}

// planBatch closes a batch that is applied, or that failed.
func planBatch(_ context.Context, c *Crank, a *ledger.Account) (duty, bool, error) {
	b, err := program.DecodeBatch(a.Data)
	if err != nil {
		return duty{}, false, err
	}
	d := duty{at: b.KeepUntil, to: b.Proctor, act: c.d.Chain.Program().BatchCalls(b.Number).Close(b.Proctor)}
	switch {
	case b.Fair() && b.Applied == b.Opened-b.Void, b.Opened == b.Leaves && !b.Fair():
		d.at = b.CompleteAt
	case b.Opened < b.Leaves:
		d.at = b.OpenBy
	}
	return d, true, nil
}
