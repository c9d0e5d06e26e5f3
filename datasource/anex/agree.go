package anex

import (
	"fmt"
	"slices"
)

// Offer is the answer of a holder's policy to AskTerms: its terms for a call.
type Offer struct {
	Access   []string // access names that may be granted; "*" is everything
	Demand   []string // promises that the asker must offer to get data
	Accepted []string // further promises to which the holder agrees if the asker offers them
	Price    uint64   // lamports for each answer
}

// check refuses an offer that cannot become a proposal.
func (o Offer) check() error {
	if at, err := checkList(o.Access, true); err != nil {
		return fmt.Errorf("offer: access[%d] %w", at, err)
	}
	for _, promises := range [][]string{o.Demand, o.Accepted} {
		if at, err := checkList(promises, false); err != nil {
			return fmt.Errorf("offer: promise [%d] %w", at, err)
		}
	}
	return nil
}

// wanted returns the access names of a call: an empty list asks for everything.
func (c Call) wanted() []string {
	if len(c.Access) == 0 {
		return []string{all}
	}
	return Texts(c.Access)
}

// Meet makes the proposal that an offer allows for a call. It takes the narrower name of each pair
// of an asked and an offered name, and the promises that the call offers and the holder demands or
// accepts. It fails with ErrDemand if a demanded promise is not offered, with ErrPrice above the
// call's limit, and with ErrNothing if the two have no access in common. It does not fail if a
// mandatory name cannot be granted, because the asker should reject that.
func Meet(c Call, o Offer) (Proposal, error) {
	promised := Texts(c.Promise)
	for _, p := range o.Demand {
		if !slices.Contains(promised, p) {
			return Proposal{}, fmt.Errorf("%w: %q", ErrDemand, p)
		}
	}
	if c.PriceLimit != nil && o.Price > *c.PriceLimit {
		return Proposal{}, fmt.Errorf("%w: %d lamports", ErrPrice, o.Price)
	}
	access := narrow(c.wanted(), o.Access)
	if len(access) == 0 || len(access) > maxNames {
		return Proposal{}, fmt.Errorf("%w: %d names, 1..%d can be", ErrNothing, len(access), maxNames)
	}
	kept := slices.DeleteFunc(promised, func(p string) bool { return !slices.Contains(o.Demand, p) && !slices.Contains(o.Accepted, p) })
	return Proposal{Access: access, Promise: kept, Price: o.Price}, nil
}

// narrow returns the narrower name of each overlapping pair, in the order asked, each once.
func narrow(asked, offered []string) []string {
	var out []string
	for _, a := range asked {
		for _, o := range offered {
			switch {
			case covers(o, a):
				out = widen(out, a)
			case covers(a, o):
				out = widen(out, o)
			}
		}
	}
	return out
}

// widen adds a name unless it is covered, and drops those that it covers.
func widen(names []string, name string) []string {
	if slices.ContainsFunc(names, func(n string) bool { return covers(n, name) }) {
		return names
	}
	return append(slices.DeleteFunc(names, func(n string) bool { return covers(name, n) }), name)
}

// CheckProposal checks a proposal against the call that it answers. ErrBreach means access, a
// promise or a price that was not asked for, and the holder is to blame. After ErrMandatory or
// ErrNothing the asker must reject the proposal, without blame.
func CheckProposal(c Call, p Proposal) error {
	asked, promised := c.wanted(), Texts(c.Promise)
	for _, name := range p.Access {
		if !slices.ContainsFunc(asked, func(a string) bool { return covers(a, name) }) {
			return fmt.Errorf("%w: access %q was not asked for", ErrBreach, name)
		}
	}
	for _, promise := range p.Promise {
		if !slices.Contains(promised, promise) {
			return fmt.Errorf("%w: promise %q was not offered", ErrBreach, promise)
		}
	}
	if c.PriceLimit != nil && p.Price > *c.PriceLimit {
		return fmt.Errorf("%w: price %d is above the limit %d", ErrBreach, p.Price, *c.PriceLimit)
	}
	return checkMandatory(c, p)
}

func checkMandatory(c Call, p Proposal) error {
	for _, n := range c.Access {
		if n.Mandatory && !slices.ContainsFunc(p.Access, func(g string) bool { return covers(g, n.Text) }) {
			return fmt.Errorf("%w: access %q", ErrMandatory, n.Text)
		}
	}
	for _, n := range c.Promise {
		if n.Mandatory && !slices.Contains(p.Promise, n.Text) {
			return fmt.Errorf("%w: promise %q", ErrMandatory, n.Text)
		}
	}
	if len(p.Access) == 0 {
		return ErrNothing
	}
	return nil
}
