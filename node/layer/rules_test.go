package layer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/transact"
	"ojud/node/layer"
	"ojud/voting"
)

// Subject is a chain to be checked. The program is there, but its court is not open yet.
type Subject struct {
	Chain    layer.Chain
	Genesis  onchain.Hash
	Wallet   *ledger.Keypair     // has at least 1 SOL
	Open     onchain.Instruction // opens the court; Wallet signs
	Patience time.Duration       // bounds each rule
}

// trial is a Subject while it is checked.
type trial struct {
	Subject
	submitter layer.Submitter
	opened    transact.Outcome // of Open
	strangers byte             // wallets that were made
}

// Check returns every rule that a chain breaks, by its name.
func Check(ctx context.Context, s Subject) error {
	sub, err := s.Chain.Submitter(ctx, &ledger.MemoryOutbox{})
	if err != nil {
		return err
	}
	defer sub.Close()
	t := &trial{Subject: s, submitter: sub}
	var broken []error
	for _, rule := range []struct {
		name  string
		check func(*trial, context.Context) error
	}{
		{"genesis", (*trial).genesis},
		{"follow", (*trial).follow}, // opens the court
		{"open", (*trial).open},
		{"clock", (*trial).clock},
		{"accounts", (*trial).reads},
		{"bounds", (*trial).bounds},
		{"heads", (*trial).heads},
		{"submit", (*trial).submit},
		{"done", (*trial).done},
		{"before", (*trial).before},
		{"atomic", (*trial).atomic},
		{"purpose", (*trial).purpose},
		{"history", (*trial).history},
	} {
		patience, stop := context.WithTimeout(ctx, s.Patience)
		if err := rule.check(t, patience); err != nil {
			broken = append(broken, fmt.Errorf("%s: %w", rule.name, err))
		}
		stop()
	}
	return errors.Join(broken...)
}

// expect returns an error unless ok is set. err comes first.
func expect(err error, ok bool, format string, args ...any) error {
	if err == nil && !ok {
		return fmt.Errorf(format, args...)
	}
	return err
}

func (t *trial) genesis(ctx context.Context) error {
	other := t.Genesis
	other[0]++
	if err := t.Chain.CheckChain(ctx, t.Genesis); !errors.Is(err, ledger.ErrNoConfig) {
		return fmt.Errorf("a court that is not open: %w", err)
	}
	if err := t.Chain.CheckChain(ctx, other); !errors.Is(err, ledger.ErrOtherChain) {
		return fmt.Errorf("another genesis hash: %w", err)
	}
	return nil
}

// follow opens the court and follows it.
func (t *trial) follow(ctx context.Context) error {
	now, err := t.Chain.Now(ctx)
	if err != nil {
		return err
	}
	f := t.Chain.Follower(ledger.Cursor{Slot: now.Slot}, t.Wallet.Address())
	inner, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- f.Run(inner) }()
	if t.opened, err = t.send(ctx, ledger.SubmitOptions{}, t.Open); err != nil || t.opened.Class != ledger.Landed {
		return fmt.Errorf("the court does not open: %s, %w, %w", t.opened.Class, t.opened.Rejection, err)
	}
	err = t.watch(ctx, f)
	stop()
	for range f.Events() { // both channels are closed, or this does not end
	}
	for range f.Looks() {
	}
	return errors.Join(err, <-done)
}

// watch waits until the follower has shown the transaction, the Roster, and some blocks after both.
func (t *trial) watch(ctx context.Context, f layer.Follower) error {
	const blocks = 10
	var last int64
	told, roster, until := 0, false, uint64(0)
	for {
		select {
		case o, ok := <-f.Events():
			if !ok || o.Signature != t.opened.Signature || o.Slot != t.opened.Slot || len(o.Events) != len(t.opened.Events) {
				return fmt.Errorf("event %+v of %+v", o, t.opened)
			}
			if told++; told > 1 {
				return errors.New("a transaction is given out twice")
			}
		case l, ok := <-f.Looks():
			if !ok || l.Unix < last || l.Slot == 0 {
				return fmt.Errorf("a look shows the time %d after %d", l.Unix, last)
			}
			last, roster = l.Unix, roster || l.Roster != nil
			if until == 0 && told > 0 && roster {
				until = l.Slot + blocks
			}
			if until > 0 && l.Slot >= until {
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("%d transactions, Roster %v: %w", told, roster, ctx.Err())
		}
	}
}

func (t *trial) open(ctx context.Context) error {
	if err := t.Chain.CheckChain(ctx, t.Genesis); err != nil {
		return err
	}
	p := t.Chain.Program()
	_, slot, err := ledger.Read(ctx, t.Chain, p.Roster(), program.DecodeRoster)
	if err := expect(err, slot >= t.opened.Slot, "slot %d of the Roster is before %d", slot, t.opened.Slot); err != nil {
		return err
	}
	if _, _, err := ledger.Read(ctx, t.Chain, t.stranger(), program.DecodeTask); !errors.Is(err, ledger.ErrNotFound) {
		return fmt.Errorf("a task that is not there: %w", err)
	}
	return t.Chain.CheckLists(ctx)
}

func (t *trial) clock(ctx context.Context) error {
	now, err := t.Chain.Now(ctx)
	if err != nil {
		return err
	}
	last, known := t.Chain.Time().Last()
	estimate, ok := t.Chain.Time().Estimate()
	if err := expect(nil, known && ok && last.Slot >= now.Slot && last.Unix >= now.Unix && estimate >= last.Unix,
		"it is %+v, Last %+v, Estimate %d", now, last, estimate); err != nil {
		return err
	}
	for next := now; next.Unix < now.Unix+2; {
		before := next
		if next, err = t.Chain.Now(ctx); err != nil || next.Slot < before.Slot || next.Unix < before.Unix {
			return fmt.Errorf("%+v after %+v: %w", next, before, err)
		}
		select {
		case <-time.After(slotTime):
		case <-ctx.Done():
			return fmt.Errorf("it stands still at %+v: %w", next, ctx.Err())
		}
	}
	return nil
}

func (t *trial) reads(ctx context.Context) error {
	p := t.Chain.Program()
	var last uint64
	for range 3 {
		all, slot, err := t.Chain.Accounts(ctx, t.Wallet.Address(), t.stranger(), p.Config(), p.Roster())
		if err := expect(err, slot >= last, "slot %d after %d", slot, last); err != nil {
			return err
		}
		last = slot
		if len(all) != 4 || all[0] == nil || all[1] != nil || all[2] == nil || all[3] == nil {
			return fmt.Errorf("%v for a wallet, nothing, Config and Roster", all)
		}
		if all[0].Address != t.Wallet.Address() || all[2].Address != p.Config() || all[2].Owner != p.ID() || all[3].Address != p.Roster() {
			return errors.New("accounts are not in the order of the addresses")
		}
	}
	rent, err := t.Chain.RentMinimum(ctx, 0)
	return expect(err, rent > 0, "an account costs nothing")
}

func (t *trial) bounds(ctx context.Context) error {
	for _, n := range []int{0, maxAccounts + 1} {
		if _, _, err := t.Chain.Accounts(ctx, make([]onchain.Address, n)...); err == nil {
			return fmt.Errorf("%d accounts are read at once", n)
		}
	}
	_, _, err := t.Chain.Accounts(ctx, make([]onchain.Address, maxAccounts)...)
	return err
}

// heads: Config, whose byte at the place of a status is 0, is listed with the bytes that are asked
// for, and nothing else is.
func (t *trial) heads(ctx context.Context) error {
	const rules, size = 12, 4
	for status, want := range []int{1, 0} {
		all, err := t.Chain.Heads(ctx, "Config", ledger.Filter{Offset: ledger.StatusOffset, Bytes: []byte{uint8(status)}}, rules, size)
		if err := expect(err, len(all) == want, "%d accounts of status %d", len(all), status); err != nil {
			return err
		}
		for _, h := range all {
			if h.Address != t.Chain.Program().Config() || !bytes.Equal(h.Data, []byte{byte(program.FirstRules), 0, 0, 0}) {
				return fmt.Errorf("%s: %v", h.Address, h.Data)
			}
		}
	}
	return nil
}

// amount is the size of a transfer of these rules: enough for rent.
const amount = onchain.LamportsPerSOL / 100

func (t *trial) submit(ctx context.Context) error {
	return t.pay(ctx, ledger.SubmitOptions{}, ledger.Landed, amount)
}

func (t *trial) done(ctx context.Context) error {
	yes := func(context.Context) (bool, error) { return true, nil }
	return t.pay(ctx, ledger.SubmitOptions{Done: yes}, ledger.AlreadyDone, 0)
}

func (t *trial) before(ctx context.Context) error {
	now, err := t.Chain.Now(ctx)
	if err != nil {
		return err
	}
	if err := t.pay(ctx, ledger.SubmitOptions{Before: now.Unix}, transact.GaveUp, 0); err != nil {
		return err
	}
	return t.pay(ctx, ledger.SubmitOptions{Before: now.Unix + 3600}, ledger.Landed, amount)
}

// pay sends amount to a new wallet, and checks how that ended and what the wallet has.
func (t *trial) pay(ctx context.Context, o ledger.SubmitOptions, want transact.Class, lamports uint64) error {
	to := t.stranger()
	out, err := t.send(ctx, o, onchain.Transfer(t.Wallet.Address(), to, amount))
	if err := expect(err, out.Class == want && out.Signature.IsZero() == (want != ledger.Landed), "%+v, want %s", out, want); err != nil {
		return err
	}
	return t.holds(ctx, to, lamports, out.Slot)
}

// atomic: of a transaction that fails, nothing is applied.
func (t *trial) atomic(ctx context.Context) error {
	to, much := t.stranger(), uint64(1)<<62
	out, err := t.send(ctx, ledger.SubmitOptions{},
		onchain.Transfer(t.Wallet.Address(), to, amount), onchain.Transfer(t.Wallet.Address(), to, much))
	if !errors.Is(err, ledger.ErrNoFunds) {
		return fmt.Errorf("%d lamports from an empty wallet: %+v, %w", much, out, err)
	}
	if err := t.holds(ctx, to, 0, 0); err != nil {
		return err
	}
	out, err = t.send(ctx, ledger.SubmitOptions{}, onchain.Transfer(t.Wallet.Address(), to, amount), t.Open)
	if err := expect(err, out.Class == ledger.Rejected && out.Rejection != nil, "opening again: %+v", out); err != nil {
		return err
	}
	return t.holds(ctx, to, 0, 0)
}

// purpose: two that submit for one purpose at a time pay once.
func (t *trial) purpose(ctx context.Context) error {
	to := t.stranger()
	paid := func(ctx context.Context) (bool, error) {
		all, _, err := t.Chain.Accounts(ctx, to)
		return err == nil && all[0] != nil, err
	}
	faults := make(chan error, 2)
	for range cap(faults) {
		go func() {
			out, err := t.send(ctx, ledger.SubmitOptions{Purpose: "once", Done: paid}, onchain.Transfer(t.Wallet.Address(), to, amount))
			faults <- expect(err, out.Class == ledger.Landed || out.Class == ledger.AlreadyDone, "%+v", out)
		}()
	}
	if one, other := <-faults, <-faults; one != nil && other != nil { // one may be refused
		return errors.Join(one, other)
	}
	return t.holds(ctx, to, amount, 0)
}

func (t *trial) history(ctx context.Context) error {
	all, err := t.Chain.History(ctx, t.stranger())
	if err := expect(err, len(all) == 0, "a task that is not there has %d events", len(all)); err != nil {
		return err
	}
	if _, err := t.Chain.Sealed(ctx, t.stranger(), t.Wallet.Address(), 1, voting.Hash{1}); !errors.Is(err, ledger.ErrNotFound) {
		return fmt.Errorf("a sealed opening that is not there: %w", err)
	}
	return nil
}

// send submits what Wallet signs.
func (t *trial) send(ctx context.Context, o ledger.SubmitOptions, all ...onchain.Instruction) (transact.Outcome, error) {
	o.Payer = t.Wallet
	return t.submitter.Submit(ctx, all, o)
}

// holds checks the lamports of a wallet, in that slot or a later one.
func (t *trial) holds(ctx context.Context, wallet onchain.Address, want, least uint64) error {
	all, slot, err := t.Chain.Accounts(ctx, wallet)
	if err != nil {
		return err
	}
	var have uint64
	if all[0] != nil {
		have = all[0].Lamports
	}
	return expect(nil, have == want && slot >= least, "%d lamports in slot %d, want %d in %d or later", have, slot, want, least)
}

// stranger returns an unused address.
func (t *trial) stranger() onchain.Address {
	t.strangers++
	return onchain.Address{t.strangers, 77, 31: 77}
}
