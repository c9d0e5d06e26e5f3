// Package bribe has judges that vote against what they think: from the beginning, or because a demo
// pays them after the draw of their panel.
package bribe

import (
	"context"
	"fmt"
	"sync"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// Offers knows which judges took money. Its methods may be called from several goroutines.
type Offers struct {
	once  sync.Once
	made  chan struct{}
	taken map[voting.Key]bool // written before made is closed
}

// New returns offers that are not made yet.
func New() *Offers { return &Offers{made: make(chan struct{}), taken: map[voting.Key]bool{}} }

// Make offers money to these judges, who take it. Only the first call counts.
func (o *Offers) Make(judges ...voting.Key) {
	o.once.Do(func() {
		for _, j := range judges {
			o.taken[j] = true
		}
		close(o.made)
	})
}

// Judge waits for the offers, and then votes as it thinks unless it took money.
func (o *Offers) Judge(honest judge.Judge) judge.Judge { return corrupt{o, honest} }

type corrupt struct {
	offers *Offers
	honest judge.Judge
}

// Evaluate asks the honest judge.
func (c corrupt) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	o, err := c.honest.Evaluate(ctx, b)
	if err != nil {
		return o, err
	}
	select {
	case <-c.offers.made:
	case <-ctx.Done():
		return o, fmt.Errorf("bribe: nobody came: %w", context.Cause(ctx))
	}
	if c.offers.taken[b.Judge] {
		return turn(o, "paid to say so: "), nil
	}
	return o, nil
}

// Contrary forms an honest opinion and votes the opposite.
func Contrary(honest judge.Judge) judge.Judge { return contrary{honest} }

type contrary struct{ honest judge.Judge }

// Evaluate asks the honest judge.
func (c contrary) Evaluate(ctx context.Context, b judge.Brief) (casefile.Opinion, error) {
	o, err := c.honest.Evaluate(ctx, b)
	return turn(o, "contrary on purpose: "), err
}

// turn returns the opposite opinion, with some words before its summary. It does not change an
// abstention.
func turn(o casefile.Opinion, words string) casefile.Opinion {
	const _ = uint(3 - voting.Choices) // the two sides change places
	switch voting.Choice(o.Choice) {
	case voting.Accept:
		o.Choice = casefile.Choice(voting.Reject)
	case voting.Reject:
		o.Choice = casefile.Choice(voting.Accept)
	case voting.NoChoice, voting.Abstain:
	}
	o.Summary = words + o.Summary
	return o
}
