// Package law says which version of a court's rules is in force, and which one is announced. A task
// keeps the version that was in force when it was created (ADR 0025).
package law

import (
	"context"
	"errors"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// source is a chain with the program.
type source interface {
	Accounts(ctx context.Context, addresses ...onchain.Address) ([]*ledger.Account, uint64, error)
	Program() program.Program
}

// Rules are those of a court at a moment.
type Rules struct {
	Config *program.Config
	// Now is the version in force: that of new tasks and new judges.
	Now *program.Rules
	// Next is the version that is announced and not in force yet; nil: there is none.
	Next *program.Rules
	// Time is the chain's, in Unix seconds.
	Time int64
}

// Read reads the rules of a court.
func Read(ctx context.Context, c source) (*Rules, error) {
	config, _, err := ledger.Read(ctx, c, c.Program().Config(), program.DecodeConfig)
	if err != nil {
		return nil, err
	}
	all, _, err := c.Accounts(ctx, onchain.ClockAccount())
	if err != nil {
		return nil, err
	}
	if all[0] == nil {
		return nil, fmt.Errorf("%w: there is no Clock sysvar", ledger.ErrForeign)
	}
	clock, err := looks.DecodeClock(all[0].Data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ledger.ErrForeign, err)
	}
	r := &Rules{Config: config, Time: clock.Unix}
	latest, err := Version(ctx, c, config.Rules)
	switch {
	case errors.Is(err, ledger.ErrNotFound) && config.Rules > program.FirstRules: // withdrawn after Config was read
		return nil, fmt.Errorf("%w: version %d of the rules is not there any more", ledger.ErrStale, config.Rules)
	case err != nil:
		return nil, err
	case latest.InForce(r.Time):
		r.Now = latest
		return r, nil
	case latest.From <= r.Time: // its successor was announced after Config was read
		return nil, fmt.Errorf("%w: version %d of the rules is over, and Config knows no later one", ledger.ErrStale, latest.Number)
	}
	r.Next = latest
	r.Now, err = Version(ctx, c, config.Rules-1)
	return r, err
}

// clocked is a chain with a clock and the Config account of the program.
type clocked interface {
	Now(ctx context.Context) (ledger.Moment, error)
	Config(ctx context.Context) (*program.Config, uint64, error)
}

// Clock returns the chain's time in Unix seconds, and that of the market, by which auctions go.
func Clock(ctx context.Context, c clocked) (now, market int64, err error) {
	config, _, err := c.Config(ctx)
	if err != nil {
		return 0, 0, err
	}
	moment, err := c.Now(ctx)
	if err != nil {
		return 0, 0, err
	}
	return moment.Unix, config.Market(moment.Unix), nil
}

// Version reads a version of the rules. It never changes, except that its successor may be
// announced.
func Version(ctx context.Context, c source, number uint32) (*program.Rules, error) {
	rules, _, err := ledger.Read(ctx, c, c.Program().Rules(number), program.DecodeRules)
	return rules, err
}

// Explain adds to a refusal of the program the limit that was broken, if the rules in force state
// it. It returns all other errors as they are.
func Explain(ctx context.Context, c source, err error) error {
	var r *ledger.Rejection
	if !errors.As(err, &r) {
		return err
	}
	code, ours := r.Code()
	if !ours || code.Limit(program.Params{}) == "" {
		return err
	}
	rules, unread := Read(ctx, c)
	if unread != nil {
		return err
	}
	return fmt.Errorf("%w; here %s", err, code.Limit(rules.Now.Params))
}
