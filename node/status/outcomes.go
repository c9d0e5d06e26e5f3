package status

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/why"
	"ojud/voting"
)

// cursorEvery bounds how often the place in the stream of events is written. After a restart some events come again, which does
// no harm.
const cursorEvery = 10 * time.Second

// OutcomesDeps are what Outcomes need.
type OutcomesDeps struct {
	Judge voting.Key
	// Events are the transactions of the court.
	Events func() <-chan ledger.Occurred
	// SetCursor stores the place in the stream.
	SetCursor func(ledger.Cursor) error
	// Seats returns the seats of a round of a case.
	Seats func(task voting.Key, round uint8) []voting.Seat
	// Drawn is told of payments for data.
	Drawn   func(*program.DataPaid)
	Audit   *Audit
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Outcomes tells the owner what became of this judge. The node decides nothing by it: the machine relies on looks.
type Outcomes struct {
	d       OutcomesDeps
	results *prometheus.CounterVec
}

// NewOutcomes returns Outcomes. Run starts its work.
func NewOutcomes(d OutcomesDeps) *Outcomes {
	o := &Outcomes{d: d, results: prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "ojud_node_seats_total", Help: "Own seats in settled rounds, by result."}, []string{"result"})}
	d.Metrics.MustRegister(o.results)
	return o
}

// Run reads the events of the chain until ctx ends.
func (o *Outcomes) Run(ctx context.Context) error {
	var written time.Time
	events := o.d.Events()
	for {
		select {
		case <-ctx.Done():
			return nil
		case t, ok := <-events:
			if !ok {
				return nil
			}
			for _, e := range t.Events {
				if err := o.report(e); err != nil {
					return err
				}
			}
			if time.Since(written) < cursorEvery {
				continue
			}
			if err := o.d.SetCursor(t.Cursor); err != nil {
				return err
			}
			written = time.Now()
		}
	}
}

// report logs an event that concerns this node.
func (o *Outcomes) report(e program.Event) error {
	switch e := e.(type) {
	case *program.RoundSettled:
		o.settled(e)
	case *program.Slashed:
		if voting.Key(e.Judge) == o.d.Judge {
			o.d.Log.Error("slashed for equivocation: two different statements of this judge were shown", "case", e.Task, "round", e.Round, "lamports", e.Amount)
			return o.d.Audit.Note(voting.Key(e.Task), why.Entry{Round: e.Round, Deed: why.Shown, What: strconv.FormatUint(e.Amount, 10)})
		}
	case *program.RewardClaimed:
		if voting.Key(e.Judge) == o.d.Judge {
			o.d.Log.Info("reward paid to the wallet", "lamports", e.Amount)
		}
	case *program.DataPaid:
		o.d.Drawn(e)
	case *program.JudgeExiting:
		if voting.Key(e.Judge) == o.d.Judge {
			o.d.Log.Info("leaving the roster", "stake_free_at", time.Unix(e.ExitAt, 0).UTC())
		}
	}
	return nil
}

func (o *Outcomes) settled(e *program.RoundSettled) {
	for i, s := range o.d.Seats(voting.Key(e.Task), e.Round) {
		if s.Judge != o.d.Judge || i >= len(e.Seats) {
			continue
		}
		end := e.Seats[i]
		o.results.WithLabelValues(end.Result.String()).Inc()
		o.d.Log.Info("round settled", "case", casefile.Address(e.Task), "round", e.Round, "verdict", e.Verdict, "our_result", end.Result,
			"slashed", end.Slashed, "earned", end.Earned)
	}
}
