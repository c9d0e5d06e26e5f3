package exam

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/account"
	"ojud/agent/judge/places"
	"ojud/casefile"
	"ojud/config/bounds"
	"ojud/voting"
)

// Config has the settings of an exam.
type Config struct {
	Parallel int           // disputes at once, 1 to 32
	Limit    time.Duration // for one dispute, 1s to 1h; a round of the court gives 7 minutes to commit
	Grace    time.Duration // for a judge to stop, 100ms to 1m
	// Keep is called with each attempt before it is told. Its error ends the exam; nil: not called.
	Keep func(Attempt) error
}

// DefaultConfig gives a judge as much time as it has in a round.
func DefaultConfig() Config {
	return Config{Parallel: 2, Limit: 420 * time.Second, Grace: 5 * time.Second}
}

// maxSlots bounds the runner. It has more slots than disputes at once, so that a judge that does
// not stop at its deadline takes no time from the next dispute.
const maxSlots = 64

// maxParallel bounds Config.Parallel.
const maxParallel = 32

const _ = uint(maxSlots - maxParallel)

// Validate returns an error that names the wrong field and its limits.
func (c Config) Validate() error {
	return bounds.Check("exam: ",
		bounds.Of("parallel", c.Parallel, 1, maxParallel),
		bounds.Of("limit", c.Limit, time.Second, time.Hour),
		bounds.Of("grace", c.Grace, 100*time.Millisecond, time.Minute),
	)
}

// Attempt is the result of one dispute.
type Attempt struct {
	Item     Item
	Opinion  casefile.Opinion // an abstention if Err is not nil
	Err      error            // why the judge gave no opinion
	Took     time.Duration
	Account  account.Account
	Asked    []judge.Request // of data sources, in order
	Receipts []voting.Hash   // of their answers
}

// Choice is the judge's vote.
func (h Attempt) Choice() voting.Choice { return voting.Choice(h.Opinion.Choice) }

// Examiner holds exams of one judge.
type Examiner struct {
	judge judge.Judge
	cfg   Config
	log   *slog.Logger
}

// New returns an examiner of j.
func New(j judge.Judge, c Config, log *slog.Logger) (*Examiner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Examiner{judge: j, cfg: c, log: log}, nil
}

// Examine gives all items to the judge and grades it.
func (e *Examiner) Examine(ctx context.Context, items []Item, each func(Attempt)) (Grades, error) {
	heard, err := e.Hear(ctx, items, each)
	if err != nil {
		return Grades{}, err
	}
	return Grade(heard), nil
}

// Hear gives items to the judge, several at once, and returns the attempts in the order of the
// items. After each attempt it calls each, which may be nil, one call at a time. The error is about
// the exam: an invalid or repeated item, the end of ctx, ErrDown, or a judge that does not stop. A
// problem with an opinion is in its Attempt.
func (e *Examiner) Hear(ctx context.Context, items []Item, each func(Attempt)) (heard []Attempt, err error) {
	l := listen(e.judge)
	cfg := judge.DefaultConfig()
	cfg.Parallel, cfg.Grace = maxSlots, e.cfg.Grace
	runner, err := judge.NewRunner(l, cfg, e.log)
	if err != nil {
		return nil, fmt.Errorf("exam: %w", err)
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	s := session{runner: runner, listener: l, limit: e.cfg.Limit, keep: e.cfg.Keep, each: each}
	return s.all(ctx, items, e.cfg.Parallel)
}

type session struct {
	runner   *judge.Runner
	listener *listener
	limit    time.Duration

	mu   sync.Mutex
	keep func(Attempt) error
	each func(Attempt)
	down int // disputes in a row for which no model could be asked
}

// ErrDown says that an exam ended early because the judge's models do not answer.
var ErrDown = errors.New("exam: the models of the judge do not answer")

// maxDown is the number of disputes in a row without an answer of a model that ends an exam.
const maxDown = 4

// all hears several items at once. The first error ends it.
func (s *session) all(ctx context.Context, items []Item, parallel int) ([]Attempt, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	heard, slots := make([]Attempt, len(items)), make(chan struct{}, parallel)
	var wait sync.WaitGroup
	for i, item := range items {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-slots }()
			h, err := s.hear(ctx, item)
			if err != nil {
				stop(err)
			}
			heard[i] = h
		})
	}
	wait.Wait()
	return heard, context.Cause(ctx)
}

func (s *session) hear(ctx context.Context, item Item) (Attempt, error) {
	b, witness, err := item.Brief(time.Now().Add(s.limit))
	if err != nil {
		return Attempt{}, err
	}
	verdicts, err := s.runner.Start(ctx, b, places.Worth{})
	if err != nil {
		return Attempt{}, fmt.Errorf("exam: %s: %w", item.ID, err)
	}
	v := <-verdicts
	if ctx.Err() != nil {
		return Attempt{}, context.Cause(ctx)
	}
	h := Attempt{
		Item: item, Opinion: v.Opinion.Value, Err: v.Err, Took: v.Took,
		Account: s.listener.account(b.Case), Asked: witness.Asked(), Receipts: witness.Receipts(),
	}
	return h, s.tell(h)
}

// tell hands out an attempt. It returns ErrDown after too many without a model.
func (s *session) tell(h Attempt) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keep != nil {
		if err := s.keep(h); err != nil {
			return err
		}
	}
	if s.each != nil {
		s.each(h)
	}
	switch {
	case h.Account.Down != "":
		s.down++
	case h.Account.Usage.Calls > 0:
		s.down = 0
	}
	if s.down < maxDown {
		return nil
	}
	return fmt.Errorf("%w in %d disputes in a row: %s", ErrDown, s.down, h.Account.Down)
}
