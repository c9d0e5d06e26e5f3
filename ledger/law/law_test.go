package law_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ojud/ledger"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// court is a chain with accounts and a clock.
type court struct {
	accounts map[onchain.Address]*ledger.Account
	p        program.Program
}

// founded returns a court at a time with these versions of the rules.
func founded(now int64, versions ...*program.Rules) court {
	c := court{map[onchain.Address]*ledger.Account{}, program.New(onchain.Address{7})}
	clock := make([]byte, 40)
	binary.LittleEndian.PutUint64(clock[32:], uint64(now))
	c.accounts[onchain.ClockAccount()] = &ledger.Account{Data: clock}
	c.set(c.p.Config(), &program.Config{Rules: uint32(len(versions))})
	for _, v := range versions {
		c.set(c.p.Rules(v.Number), v)
	}
	return c
}

func (c court) set(at onchain.Address, a program.Account) {
	c.accounts[at] = &ledger.Account{Owner: c.p.ID(), Data: a.Encode()}
}

func (c court) Program() program.Program { return c.p }

func (c court) Accounts(_ context.Context, addresses ...onchain.Address) (all []*ledger.Account, slot uint64, err error) {
	for _, at := range addresses {
		all = append(all, c.accounts[at])
	}
	return all, 9, nil
}

func (c court) Config(ctx context.Context) (*program.Config, uint64, error) {
	return ledger.Read(ctx, c, c.p.Config(), program.DecodeConfig)
}

func (c court) Now(ctx context.Context) (ledger.Moment, error) {
	r, err := law.Read(ctx, c)
	if err != nil {
		return ledger.Moment{}, err
	}
	return ledger.Moment{Unix: r.Time}, nil
}

func version(number uint32, from, until int64) *program.Rules {
	return &program.Rules{Number: number, From: from, Until: until, Params: program.DefaultParams()}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		at        int64
		now, next uint32
	}{{10, 1, 0}, {19, 2, 3}, {29, 2, 3}, {30, 3, 0}, {1 << 40, 3, 0}} {
		versions := []*program.Rules{version(1, 5, 15), version(2, 15, 30), version(3, 30, 0)}
		if c.at == 10 {
			versions = []*program.Rules{version(1, 5, 0)}
		}
		got, err := law.Read(t.Context(), founded(c.at, versions...))
		if err != nil || got.Now.Number != c.now || got.Time != c.at || (got.Next == nil) != (c.next == 0) {
			t.Fatalf("at %d: %+v, %v", c.at, got, err)
		}
		if got.Next != nil && got.Next.Number != c.next {
			t.Errorf("at %d: next %d", c.at, got.Next.Number)
		}
	}
}

// TestClock: the market's time lacks the pauses, and each account that cannot be read is an error.
func TestClock(t *testing.T) {
	c := founded(1_000, version(1, 5, 0))
	c.set(c.p.Config(), &program.Config{Rules: 1, Paused: 1, PausedAt: 900, PausedSeconds: 50})
	if now, market, err := law.Clock(t.Context(), c); now != 1_000 || market != 850 || err != nil {
		t.Errorf("%d, %d, %v", now, market, err)
	}
	delete(c.accounts, onchain.ClockAccount())
	if _, _, err := law.Clock(t.Context(), c); !errors.Is(err, ledger.ErrForeign) {
		t.Error(err)
	}
	delete(c.accounts, c.p.Config())
	if _, _, err := law.Clock(t.Context(), c); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
}

func TestReadFaults(t *testing.T) {
	good := founded(10, version(1, 5, 0))
	spoiled := func(change func(c court)) court {
		c := founded(10, version(1, 5, 0))
		change(c)
		return c
	}
	for name, c := range map[string]struct {
		court court
		want  error
	}{
		"no config":     {spoiled(func(c court) { delete(c.accounts, c.p.Config()) }), ledger.ErrNotFound},
		"no clock":      {spoiled(func(c court) { delete(c.accounts, onchain.ClockAccount()) }), ledger.ErrForeign},
		"short clock":   {spoiled(func(c court) { c.accounts[onchain.ClockAccount()].Data = nil }), ledger.ErrForeign},
		"no rules":      {spoiled(func(c court) { delete(c.accounts, c.p.Rules(1)) }), ledger.ErrNotFound},
		"foreign rules": {spoiled(func(c court) { c.accounts[c.p.Rules(1)].Owner = onchain.Address{} }), ledger.ErrForeign},
		"config is old": {founded(10, version(1, 5, 9)), ledger.ErrStale},
	} {
		if _, err := law.Read(t.Context(), c.court); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := law.Read(t.Context(), good); err != nil {
		t.Error(err)
	}
}

// TestExplain: a refusal names the limit of this court, and other errors stay as they are.
func TestExplain(t *testing.T) {
	v := version(1, 5, 0)
	v.MinReward, v.MinStake = 77, 88
	c := founded(10, v)
	refused := func(code program.Code, ours bool) error {
		return fmt.Errorf("outside: %w", &ledger.Rejection{Failure: program.Failure{Kind: "Custom", HasCustom: true, Custom: uint32(code)}, Ours: ours})
	}
	for code, want := range map[program.Code]string{program.ErrBadReward: "77 lamports", program.ErrStakeTooSmall: "88 lamports"} {
		err := law.Explain(t.Context(), c, refused(code, true))
		if !strings.Contains(err.Error(), want) || !errors.Is(err, code) {
			t.Errorf("%s: %v", code.Name(), err)
		}
	}
	for _, err := range []error{errors.New("x"), refused(program.ErrTooLate, true), refused(program.ErrBadReward, false)} {
		if got := law.Explain(t.Context(), c, err); got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
	}
}
