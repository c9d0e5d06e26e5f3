package proctor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	random "math/rand/v2"
	"slices"

	"ojud/casefile"
	"ojud/golden"
	"ojud/golden/generator"
	"ojud/voting"
	"ojud/voting/rules"
)

// Plan says which batch to make.
type Plan struct {
	Leaves  int
	Kinds   []generator.Kind        // in equal parts
	Rewards []Range                 // in proportion to their parts
	Seed    [32]byte                // zero: random, as it has to be unless this is a test
	Place   func(leaf int) Location // of the task of a leaf, from 0 on
}

// Location says where the task of a leaf will be.
type Location struct {
	Creator voting.Key // the agent that will post it
	Number  uint64     // among the tasks of that agent
	Task    voting.Key // the account, which follows from both
}

// Range is a range of rewards in lamports. A batch has leaves in all ranges, in proportion to the
// parts, because otherwise judges could vote blindly where no case is golden.
type Range struct {
	Least, Most uint64
	Parts       int
}

// DefaultPlan is a batch of 40 of all kinds of work.
func DefaultPlan() Plan {
	const sol = 1_000_000_000
	return Plan{Leaves: 40, Kinds: generator.Kinds(), Rewards: []Range{{sol / 100, sol / 10, 50}, {sol / 10, sol, 40}, {sol, 5 * sol, 10}}}
}

// maxRanges bounds the ranges of rewards.
const maxRanges = 16

var errPlan = errors.New("proctor: there is no such batch")

// Validate returns an error that names the wrong field, the limit and the fix.
func (p Plan) Validate() error {
	switch {
	case p.Leaves < 1 || p.Leaves > golden.MaxLeaves:
		return fmt.Errorf("%w: %d leaves; write 1 to %d", errPlan, p.Leaves, golden.MaxLeaves)
	case len(balanced(p.Leaves)) == 0:
		return fmt.Errorf("%w: of %d leaves no number is 45 to 55 %%; write an even number, or 11 or more", errPlan, p.Leaves)
	case len(p.Kinds) == 0:
		return fmt.Errorf("%w: no kind of work; write some of %v", errPlan, generator.Kinds())
	case len(p.Rewards) == 0 || len(p.Rewards) > maxRanges:
		return fmt.Errorf("%w: %d ranges of rewards; write 1 to %d", errPlan, len(p.Rewards), maxRanges)
	}
	for _, k := range p.Kinds {
		if _, err := generator.Of(k); err != nil {
			return fmt.Errorf("%w: %w", errPlan, err)
		}
	}
	for _, r := range p.Rewards {
		if r.Least == 0 || r.Most < r.Least || r.Parts < 1 || r.Parts > 1000 {
			return fmt.Errorf("%w: rewards from %d to %d lamports in %d parts; write 1 or more, no less, and 1 to 1000 parts", errPlan, r.Least, r.Most, r.Parts)
		}
	}
	if p.Place == nil {
		return fmt.Errorf("%w: nobody says at which addresses its tasks will be; name program and creator", errPlan)
	}
	return nil
}

// balanced lists the numbers of accept that a batch may have.
func balanced(leaves int) (all []int) {
	for n := range leaves + 1 {
		if rules.Balanced(uint64(n), uint64(leaves)) {
			all = append(all, n)
		}
	}
	return all
}

// Make makes a batch. Answers, kinds and rewards stand in random order. How many answers are accept
// is random within the bounds, because otherwise the last open leaves could be foretold.
func Make(p Plan) (*Batch, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.Seed == [32]byte{} {
		if _, err := rand.Read(p.Seed[:]); err != nil {
			return nil, fmt.Errorf("proctor: %w", err)
		}
	}
	r := random.New(random.NewChaCha8(p.Seed))
	numbers := balanced(p.Leaves)
	accepts := numbers[r.IntN(len(numbers))]
	answers, kinds, rewards := make([]voting.Choice, p.Leaves), make([]generator.Kind, p.Leaves), p.rewards(r)
	for i := range p.Leaves {
		answers[i], kinds[i] = voting.Reject, p.Kinds[i%len(p.Kinds)]
		if i < accepts {
			answers[i] = voting.Accept
		}
	}
	r.Shuffle(p.Leaves, func(i, k int) { answers[i], answers[k] = answers[k], answers[i] })
	r.Shuffle(p.Leaves, func(i, k int) { kinds[i], kinds[k] = kinds[k], kinds[i] })
	r.Shuffle(p.Leaves, func(i, k int) { rewards[i], rewards[k] = rewards[k], rewards[i] })
	var secrets []secret
	for i := range p.Leaves {
		g, err := generator.Of(kinds[i])
		if err != nil {
			return nil, err
		}
		seed, err := p.seed(g, i, answers[i])
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, p.secret(i, secret{Generator: casefile.Digest(g.Version()), Seed: seed, Reward: casefile.Amount(rewards[i])}))
	}
	return assemble(secrets)
}

// secret adds the place of a leaf to what is kept of it.
func (p Plan) secret(leaf int, s secret) secret {
	at := p.Place(leaf)
	s.Task, s.Creator, s.Number = casefile.Address(at.Task), casefile.Address(at.Creator), casefile.Amount(at.Number)
	return s
}

// rewards draws a reward for each leaf. Each range has its part of the leaves, as far as they can
// be divided.
func (p Plan) rewards(r *random.Rand) (all []uint64) {
	parts := 0
	for _, one := range p.Rewards {
		parts += one.Parts
	}
	for len(all) < p.Leaves {
		at := (2*len(all) + 1) * parts / (2 * p.Leaves)
		i := slices.IndexFunc(p.Rewards, func(one Range) bool {
			at -= one.Parts
			return at < 0
		})
		least, most := p.Rewards[i].Least, p.Rewards[i].Most
		all = append(all, max(least, round(least+r.Uint64N(most-least+1))))
	}
	return all
}

// round keeps two digits, as people do. A reward with nine would show a golden case.
func round(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// maxTries bounds the search for a seed with the wanted answer. Each has it with one half.
const maxTries = 256

// seed finds a seed from which the generator makes a dispute with that answer.
func (p Plan) seed(g generator.Generator, index int, answer voting.Choice) ([32]byte, error) {
	for try := range uint32(maxTries) {
		raw := append([]byte("oju:seed:v1"), p.Seed[:]...)
		raw = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(raw, uint32(index)), try)
		seed := sha256.Sum256(raw)
		d, err := g.Make(seed)
		if err != nil {
			return seed, err
		}
		if d.Answer == answer {
			return seed, nil
		}
	}
	return [32]byte{}, fmt.Errorf("proctor: %s gives no answer %s in %d tries", g.Kind(), answer, maxTries)
}
