package deploy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Progress says how far a run is: what it does, and how many of its transactions are over.
type Progress func(what string, over, all int)

// maxPasses bounds how often a run looks again. One pass does each step; more are needed only if
// the cluster forgets what it confirmed.
const maxPasses = 12

// atOnce is the number of pieces that are under way together.
const atOnce = 48

// aSlot is how long it takes until a program runs that was deployed in this slot.
const aSlot = 400 * time.Millisecond

// Run deploys or upgrades the program, and returns when it runs, or when an upgrade needs the
// signature of another authority. It may be repeated after it died at any point.
// It returns the plan that it has fulfilled, which says Deployed.
func Run(ctx context.Context, c *ledger.Client, s *ledger.Sender, o Wanted, also uint64, tell Progress) (p Survey, err error) {
	for range maxPasses {
		if p, err = Look(ctx, c, o, also); err != nil || p.ready || p.stage == awaiting {
			return p, err
		}
		if p.Deployed {
			select {
			case <-time.After(aSlot):
				continue
			case <-ctx.Done():
				return p, context.Cause(ctx)
			}
		}
		if err := p.enough(o.Payer.Address()); err != nil {
			return p, err
		}
		if err := p.step(ctx, c, s, o, tell); err != nil {
			if _, taken := Look(ctx, c, o, also); errors.Is(taken, ErrTaken) { // meanwhile
				return p, taken
			}
			return p, err
		}
	}
	return p, errors.New("deploy: the cluster forgets what it has confirmed; try it later, or with another RPC node")
}

// step does what comes next.
func (p *Survey) step(ctx context.Context, c *ledger.Client, s *ledger.Sender, o Wanted, tell Progress) error {
	payer := o.Payer.Address()
	switch p.stage {
	case clearing:
		tell("taking the rent of another program's buffer back", 0, p.Transactions)
		return submit(ctx, s, o, made(c, p.Buffer, false), closing(p.Buffer, payer))
	case creating:
		tell("paying the rent of a buffer", 0, p.Transactions)
		all, err := create(payer, p.Buffer, p.sizes.buffer-min(p.sizes.buffer, p.Held), bufferHead+len(o.ELF))
		if err != nil {
			return err
		}
		return submit(ctx, s, o, made(c, p.Buffer, true), all...)
	case writing:
		return p.write(ctx, s, o, tell)
	}
	if o.Upgrade {
		data := program.New(o.Program).ProgramData()
		if p.Authority != payer {
			tell("giving the buffer to who may upgrade the program", p.Transactions-1, p.Transactions)
			return submit(ctx, s, o, nil, HandOver(p.Buffer, payer, p.Authority))
		}
		tell("upgrading the program", p.Transactions-1, p.Transactions)
		return submit(ctx, s, o, nil, upgrading(o.Program, data, p.Buffer, payer, payer))
	}
	if o.Key == nil || o.Key.Address() != o.Program {
		return fmt.Errorf("deploy: the key of the program's address %s is missing; name its file", o.Program)
	}
	tell("deploying the program", p.Transactions-1, p.Transactions)
	all, err := deploying(payer, o.Program, program.New(o.Program).ProgramData(), p.Buffer, p.sizes.program, len(o.ELF)+o.Room)
	if err != nil {
		return err
	}
	return submit(ctx, s, o, made(c, o.Program, true), all...)
}

// write sends the pieces that are left. The first failure ends it; pieces under way still land.
func (p *Survey) write(ctx context.Context, s *ledger.Sender, o Wanted, tell Progress) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var over atomic.Int64
	var group sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for _, at := range p.pieces {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-room }()
			end := min(at+pieceSize, len(o.ELF))
			if err := submit(ctx, s, o, nil, piece(o.Payer.Address(), p.Buffer, at, o.ELF[at:end])); err != nil {
				cancel(err)
				return
			}
			tell("writing the program", int(over.Add(1)), p.Transactions)
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// submit sends a transaction until it has landed.
func submit(ctx context.Context, s *ledger.Sender, o Wanted, is func(context.Context) (bool, error), all ...onchain.Instruction) error {
	options := ledger.SubmitOptions{Payer: o.Payer, Done: is}
	if o.Key != nil {
		options.Signers = append(options.Signers, o.Key)
	}
	out, err := s.Submit(ctx, all, options)
	switch {
	case err != nil:
		return fmt.Errorf("deploy: %w", err)
	case out.Class == ledger.Rejected:
		return fmt.Errorf("deploy: the cluster refused: %w", out.Rejection)
	case out.Class != ledger.Landed && out.Class != ledger.AlreadyDone:
		return errors.New("deploy: the cluster did not take a transaction in time; do it again, and it goes on where it stopped")
	}
	return nil
}

// made asks whether the loader has made something of an address, or not.
func made(c *ledger.Client, a onchain.Address, want bool) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		all, _, err := c.Accounts(ctx, a)
		return err == nil && ours(all[0]) == want, err
	}
}

// Refund closes the buffer that a run left behind, and returns the lamports that come back. A dry
// refund only says how many would.
func Refund(ctx context.Context, c *ledger.Client, s *ledger.Sender, payer *ledger.Keypair, dry bool) (uint64, error) {
	buffer, err := bufferOf(payer.Address())
	if err != nil {
		return 0, err
	}
	all, _, err := c.Accounts(ctx, buffer)
	if err != nil || !ours(all[0]) || dry {
		return lamportsOf(all), err
	}
	return all[0].Lamports, submit(ctx, s, Wanted{Payer: payer}, made(c, buffer, false), closing(buffer, payer.Address()))
}

// lamportsOf is what the loader holds.
func lamportsOf(all []*ledger.Account) uint64 {
	if len(all) == 0 || !ours(all[0]) {
		return 0
	}
	return all[0].Lamports
}
