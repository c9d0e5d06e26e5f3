package law

import (
	"context"
	"fmt"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// Access says whether a judge may join a court (ADR 0031).
type Access struct {
	// Listed courts take only judges that their authority admits. An open court takes anyone, and
	// is never listed again.
	Listed bool
	// Admission is what admits the judge; nil: it is not admitted.
	Admission *program.Admission
	// Authority is the court's; zero: nobody.
	Authority onchain.Address
}

// MayJoin reports whether admission is no obstacle.
func (a Access) MayJoin() bool { return !a.Listed || a.Admission != nil }

// Ask says who can admit a judge, and how.
func (a Access) Ask(judge onchain.Address) string {
	return fmt.Sprintf("ask its authority %s to run: ojud court admit %s", a.Authority, judge)
}

// Admission reads whether a judge may join, from one slot.
func Admission(ctx context.Context, c source, judge onchain.Address) (Access, error) {
	p := c.Program()
	all, _, err := c.Accounts(ctx, p.Config(), p.Admission(judge))
	if err != nil {
		return Access{}, err
	}
	if all[0] == nil || all[0].Owner != p.ID() {
		return Access{}, fmt.Errorf("%w: there is no Config account at %s", ledger.ErrNoConfig, p.Config())
	}
	config, err := program.DecodeConfig(all[0].Data)
	if err != nil {
		return Access{}, fmt.Errorf("%w: %w", ledger.ErrForeign, err)
	}
	access := Access{Listed: config.Listed == 1, Authority: config.Authority}
	if all[1] == nil || all[1].Owner != p.ID() {
		return access, nil // nothing, or lamports that somebody sent there
	}
	if access.Admission, err = program.DecodeAdmission(all[1].Data); err != nil {
		return Access{}, fmt.Errorf("%w: %w", ledger.ErrForeign, err)
	}
	return access, nil
}
