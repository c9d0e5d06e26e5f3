package assay

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/voting"
)

// Manner is how a judge votes.
type Manner string

// The kinds of judges.
const (
	Reads   Manner = "reads"
	Copies  Manner = "copies"
	Rejects Manner = "rejects"
)

// Bench has the minds of all judges of a court. Make it before the court starts.
type Bench struct {
	cfg    Measure
	judges int

	mu    sync.Mutex
	truth map[voting.Hash]voting.Choice // by the key of a dispute
	last  voting.Choice                 // the court's last verdict
}

// NewBench returns the minds of a court of that many judges.
func NewBench(cfg Measure, judges int) (*Bench, error) {
	if err := cfg.Validate(judges); err != nil {
		return nil, err
	}
	return &Bench{cfg: cfg, judges: judges, truth: map[voting.Hash]voting.Choice{}, last: voting.Accept}, nil
}

// kind says how the judge with that number, from 1 on, votes.
func (b *Bench) kind(number int) Manner {
	switch {
	case number > b.judges-b.cfg.Rejecters:
		return Rejects
	case number > b.judges-b.cfg.Rejecters-b.cfg.Copiers:
		return Copies
	}
	return Reads
}

// Judge returns the mind of the judge with that number, from 1 on.
func (b *Bench) Judge(number int) judge.Judge { return mind{b, number} }

// dispute names a dispute. Twins have the same task or the same result, and never both.
func dispute(task, result voting.Hash) voting.Hash {
	return sha256.Sum256(append(append([]byte("oju:assay:v1"), task[:]...), result[:]...))
}

// learn makes the truth of a dispute known to those who can find it.
func (b *Bench) learn(task, result voting.Hash, truth voting.Choice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.truth[dispute(task, result)] = truth
}

// decided tells a verdict to those who copy.
func (b *Bench) decided(v voting.Verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := v.Choice(); c != voting.NoChoice {
		b.last = c
	}
}

// mind is a scripted judge.
type mind struct {
	*Bench
	number int
}

// Evaluate implements judge.Judge.
func (m mind) Evaluate(_ context.Context, b judge.Brief) (casefile.Opinion, error) {
	choice, why := m.choose(b)
	return casefile.Opinion{Choice: casefile.Choice(choice), Summary: why, Findings: []casefile.Finding{}, Model: "script"}, nil
}

func (m mind) choose(b judge.Brief) (voting.Choice, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch m.kind(m.number) {
	case Rejects:
		return voting.Reject, "it rejects everything"
	case Copies:
		return m.last, "it votes as the court decided last"
	}
	key := dispute(b.Task.Hash, b.Result.Hash)
	truth, known := m.truth[key]
	if !known || !b.Task.Readable() || !b.Result.Readable() {
		return voting.Abstain, "it does not know this dispute"
	}
	if m.errs(key) {
		const _ = uint(3 - voting.Choices) // who errs takes the other side
		return voting.Accept + voting.Reject - truth, "it errs"
	}
	return truth, "it found the truth"
}

// errs draws by judge and dispute whether the judge errs.
func (m mind) errs(key voting.Hash) bool {
	h := sha256.Sum256(fmt.Appendf(key[:], "%s/%d", m.cfg.Seed, m.number))
	return binary.LittleEndian.Uint64(h[:])%100 >= uint64(m.cfg.Right)
}
