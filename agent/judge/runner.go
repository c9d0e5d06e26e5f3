package judge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"ojud/agent/judge/places"
	"ojud/casefile"
	"ojud/casefile/demand"
	"ojud/voting"
)

// The reasons why an evaluation ended without an opinion of the judge.
var (
	ErrRepeated = errors.New("judge: this round of this case was given to the judge already")
	ErrDeadline = errors.New("judge: no opinion before the deadline")
	ErrStopped  = errors.New("judge: stopped")
	ErrPanic    = errors.New("judge: panic")
	ErrOpinion  = errors.New("judge: the opinion cannot be used")
)

// Verdict ends an evaluation with an opinion for a vote. With an Err, it is an abstention.
type Verdict struct {
	Opinion casefile.Doc[casefile.Opinion] // data_accessed is empty; the node fills it in from receipts
	Err     error
	Took    time.Duration
}

// Runner runs a judge in the background. It runs one evaluation for each round, gives an opinion at
// the deadline at the latest, and contains panics and large output. If there are more cases than it
// can judge in time, it abstains in the least worthwhile ones. Several goroutines may use it at
// once.
type Runner struct {
	judge  Judge
	cfg    Config
	log    *slog.Logger
	places *places.Places

	mu     sync.Mutex
	runs   map[run]context.CancelCauseFunc // nil after its end
	closed bool
	wait   sync.WaitGroup
}

// run identifies an evaluation.
type run struct {
	task  voting.Key
	round uint8
}

// NewRunner returns a runner of j. The caller must close it.
func NewRunner(j Judge, c Config, log *slog.Logger) (*Runner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Runner{judge: j, cfg: c, log: log, places: places.New(c.Parallel), runs: map[run]context.CancelCauseFunc{}}, nil
}

// Places returns how many cases the judge works on, and how many wait.
func (r *Runner) Places() places.State { return r.places.State() }

// Start begins an evaluation and returns the channel of its one verdict. The worth of the case
// counts if there are more cases than places. The error is ErrRepeated if this evaluation was
// started before, and ErrStopped if the runner is closed.
func (r *Runner) Start(ctx context.Context, b Brief, worth places.Worth) (<-chan Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := run{b.Case, b.Round}
	if r.closed {
		return nil, ErrStopped
	}
	if _, ok := r.runs[key]; ok {
		return nil, ErrRepeated
	}
	ctx, stop := context.WithCancelCause(ctx)
	r.runs[key] = stop
	out := make(chan Verdict, 1)
	r.wait.Go(func() {
		defer stop(nil)
		out <- r.evaluate(ctx, b, worth)
		r.ended(key)
	})
	return out, nil
}

// Stop ends an evaluation. Its verdict comes soon, with ErrStopped.
func (r *Runner) Stop(task voting.Key, round uint8) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stop := r.runs[run{task, round}]; stop != nil {
		stop(ErrStopped)
	}
}

// Forget stops the evaluations of a case that ended, and drops its state.
func (r *Runner) Forget(task voting.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, stop := range r.runs {
		if key.task != task {
			continue
		}
		if stop != nil {
			stop(ErrStopped)
		}
		delete(r.runs, key)
	}
}

// Close stops all evaluations and waits for them for at most Config.Grace. It returns an error if a
// judge does not stop.
func (r *Runner) Close() error {
	r.mu.Lock()
	r.closed = true
	for _, stop := range r.runs {
		if stop != nil {
			stop(ErrStopped)
		}
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(r.cfg.Grace):
		return fmt.Errorf("judge: still running %s after it was told to stop", r.cfg.Grace)
	}
}

func (r *Runner) ended(key run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.runs[key]; ok {
		r.runs[key] = nil
	}
}

// evaluate waits for a place, runs the judge and makes a verdict from its answer.
func (r *Runner) evaluate(ctx context.Context, b Brief, worth places.Worth) Verdict {
	begin := time.Now()
	ctx, cancel := context.WithDeadlineCause(ctx, b.Deadline, ErrDeadline)
	defer cancel()
	opinion, err := r.ask(ctx, b, worth)
	var doc casefile.Doc[casefile.Opinion]
	if err == nil {
		doc, err = finish(opinion, b)
	}
	if err != nil {
		r.log.Warn("no opinion; the vote will be an abstention", "case", casefile.Address(b.Case), "round", b.Round, "error", err)
		abstention, bad := Abstention(b, err.Error())
		if bad != nil {
			err = errors.Join(err, bad)
		}
		doc = abstention
	}
	return Verdict{Opinion: doc, Err: err, Took: time.Since(begin)}
}

// ask calls the judge, and returns at the deadline even if the judge does not.
func (r *Runner) ask(ctx context.Context, b Brief, worth places.Worth) (casefile.Opinion, error) {
	leave, err := r.places.Enter(ctx, places.Need{Worth: worth, Deadline: b.Deadline})
	if err != nil {
		return casefile.Opinion{}, err
	}
	type answer struct {
		opinion casefile.Opinion
		err     error
	}
	answers := make(chan answer, 1)
	r.wait.Go(func() {
		defer leave()
		opinion, err := r.contained(ctx, b)
		answers <- answer{opinion, err}
	})
	select {
	case a := <-answers:
		if a.err != nil && ctx.Err() != nil {
			return a.opinion, context.Cause(ctx)
		}
		return a.opinion, a.err
	case <-ctx.Done():
		return casefile.Opinion{}, context.Cause(ctx)
	}
}

// contained calls the judge and turns a panic into an error. The stack goes to the log, not into
// the opinion.
func (r *Runner) contained(ctx context.Context, b Brief) (opinion casefile.Opinion, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("judge panicked", "case", casefile.Address(b.Case), "round", b.Round, "panic", p, "stack", string(debug.Stack()))
			err = ErrPanic
		}
	}()
	return r.judge.Evaluate(ctx, b)
}

// finish fills in the fields that a judge must not set, and refuses an opinion that cannot be
// voted.
func finish(o casefile.Opinion, b Brief) (casefile.Doc[casefile.Opinion], error) {
	if len(o.DataAccessed) > 0 {
		return casefile.Doc[casefile.Opinion]{}, fmt.Errorf("%w: it fills in data_accessed, which only receipts can", ErrOpinion)
	}
	o.Case, o.Round, o.Judge, o.DataAccessed = casefile.Address(b.Case), b.Round, casefile.Address(b.Judge), []casefile.Access{}
	o.Checks = demand.Version
	if o.Findings == nil {
		o.Findings = []casefile.Finding{}
	}
	for i := range o.Findings {
		if o.Findings[i].Evidence == nil {
			o.Findings[i].Evidence = []string{}
		}
	}
	doc, err := casefile.NewOpinion(o)
	if err != nil {
		return doc, fmt.Errorf("%w: %w", ErrOpinion, err)
	}
	return doc, nil
}

// Abstention returns the opinion of a seat whose judge has none, with the reason.
func Abstention(b Brief, reason string) (casefile.Doc[casefile.Opinion], error) {
	return finish(casefile.Opinion{
		Choice:   casefile.Choice(voting.Abstain),
		Summary:  clean("This seat abstains: " + reason),
		Findings: []casefile.Finding{{Check: "judge", Outcome: casefile.Unknown, Detail: clean(reason)}},
		Model:    casefile.CodeChecks,
	}, b)
}
