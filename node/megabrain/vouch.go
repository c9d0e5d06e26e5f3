package megabrain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/client"
)

// Vouched is what became of an offer to vouch, or of what was agreed.
type Vouched struct {
	client.Sent
	Sponsor string          `json:"sponsor"`
	Agent   string          `json:"agent"`
	Stake   client.Lamports `json:"stake"`
	Share   int             `json:"share_bps"`      // of the sponsor's reputation
	Agreed  bool            `json:"agreed"`         // by the agent
	Ends    int64           `json:"ends,omitempty"` // Unix seconds; it was ended
}

// errNoVoucher means that a member does not stand in for another, and does not offer it.
var errNoVoucher = errors.New("megabrain: neither of them offers to vouch for the other, or does")

// pair is a sponsor and the member that it vouches for, or would, if that agrees.
type pair struct {
	by, of *brain.Member
	surety brain.Surety
	agreed bool
}

// vouching finds what stands between two members of a class.
func vouching(c *brain.ClassAccount, sponsor, agent onchain.Address, r brain.Role, now int64) (pair, error) {
	for _, key := range []onchain.Address{sponsor, agent} {
		if member(c, key, r) == nil {
			return pair{}, fmt.Errorf("megabrain: %s is no %s of the class", key, roleName(r))
		}
	}
	p := pair{by: member(c, sponsor, r), of: member(c, agent, r)}
	if by, ok := c.Sponsor(p.of, now); ok && by == p.by {
		p.surety, p.agreed = p.of.Surety, true
	} else if to := int(p.by.Offer.Place); to > 0 && to <= len(c.Members) && &c.Members[to-1] == p.of {
		p.surety = p.by.Offer
	}
	return p, nil
}

func roleName(r brain.Role) string {
	if r == brain.EvaluatorRole {
		return "evaluator"
	}
	return "worker"
}

// vouch sends an instruction about two members, and tells what stands between them then.
func vouch(ctx context.Context, d *Desk, class onchain.Address, sponsor, agent onchain.Address, r brain.Role, o order, done func(pair) bool) (Vouched, error) {
	look := func(ctx context.Context) (pair, error) {
		data, now, err := d.account(ctx, class)
		if err != nil {
			return pair{}, err
		}
		c, err := brain.DecodeClass(data)
		if err != nil {
			return pair{}, fmt.Errorf("%w: %s is no class: %w", ErrNoAccount, class, err)
		}
		return vouching(c, sponsor, agent, r, now)
	}
	before, err := look(ctx)
	if err != nil {
		return Vouched{}, err
	}
	o.done = func(ctx context.Context) (bool, error) {
		p, err := look(ctx)
		return err == nil && done(p), err
	}
	sent, err := d.send(ctx, o)
	if err != nil {
		return Vouched{}, err
	}
	after, err := look(ctx)
	if after.surety.Place == 0 {
		after.surety.Stake, after.surety.Share = before.surety.Stake, before.surety.Share // what was taken back
	}
	return Vouched{
		Sent: sent, Sponsor: sponsor.String(), Agent: agent.String(), Stake: client.Lamports(after.surety.Stake), Share: int(after.surety.Share),
		Agreed: after.agreed, Ends: after.surety.Ends,
	}, err
}

// Vouch offers to stand in for another member with a stake and a share of the reputation. It takes
// the place of the key's offer to somebody else.
func (d *Desk) Vouch(ctx context.Context, class, agent onchain.Address, r brain.Role, stake client.Lamports, share int) (Vouched, error) {
	i := brain.Vouch{Role: r, Agent: agent, Stake: uint64(stake), Share: uint16(share)}
	return vouch(ctx, d, class, d.self, agent, r, order{
		name: "offer to vouch", pays: i.Stake, calls: []onchain.Instruction{d.prog.Vouch(d.self, class, i)},
	}, func(p pair) bool { return p.surety.Stake == i.Stake && p.surety.Share == i.Share })
}

// Agree takes the offer of a sponsor.
func (d *Desk) Agree(ctx context.Context, class, sponsor onchain.Address, r brain.Role) (Vouched, error) {
	return vouch(ctx, d, class, sponsor, d.self, r, order{
		name: "take the offer", calls: []onchain.Instruction{d.prog.Agree(d.self, class, brain.Agree{Role: r, Sponsor: sponsor})},
	}, func(p pair) bool { return p.agreed })
}

// Release takes an offer back, or ends what was agreed with another member, whichever of the two
// vouches for the other.
func (d *Desk) Release(ctx context.Context, class, other onchain.Address, r brain.Role) (Vouched, error) {
	data, now, err := d.account(ctx, class)
	if err != nil {
		return Vouched{}, err
	}
	c, err := brain.DecodeClass(data)
	if err != nil {
		return Vouched{}, fmt.Errorf("%w: %s is no class: %w", ErrNoAccount, class, err)
	}
	sponsor, agent := d.self, other
	p, err := vouching(c, sponsor, agent, r, now)
	if err == nil && p.surety.Place == 0 {
		sponsor, agent = other, d.self
		p, err = vouching(c, sponsor, agent, r, now)
	}
	switch {
	case err != nil:
		return Vouched{}, err
	case p.surety.Place == 0:
		return Vouched{}, errNoVoucher
	}
	return vouch(ctx, d, class, sponsor, agent, r, order{
		name: "end the vouching", calls: []onchain.Instruction{d.prog.Release(d.self, class, brain.Release{Role: r, Sponsor: sponsor, Agent: agent})},
	}, func(now pair) bool { return now.surety.Place == 0 || now.agreed && now.surety.Ends > 0 })
}

// Link shows where the record of a member in a near class is, so that it counts in a class.
func (d *Desk) Link(ctx context.Context, class, near, agent onchain.Address, r brain.Role) (client.Sent, error) {
	if agent.IsZero() {
		agent = d.self
	}
	look := func(ctx context.Context) (linked bool, err error) {
		c, err := d.Class(ctx, class)
		if err != nil {
			return false, err
		}
		n, err := d.Class(ctx, near)
		if err != nil {
			return false, err
		}
		m, there, i := member(c, agent, r), member(n, agent, r), slices.Index(c.Near, near)
		switch {
		case i < 0:
			return false, fmt.Errorf("megabrain: %s is not near to %s", near, class)
		case m == nil || there == nil:
			return false, fmt.Errorf("megabrain: %s is no %s of both classes", agent, roleName(r))
		}
		at := int(m.Links[i].Place)
		return at > 0 && at <= len(n.Members) && &n.Members[at-1] == there, nil
	}
	if _, err := look(ctx); err != nil {
		return client.Sent{}, err
	}
	return d.send(ctx, order{
		name: "show the record", calls: []onchain.Instruction{d.prog.Link(class, near, brain.LinkArgs{Role: r, Agent: agent})}, done: look,
	})
}
