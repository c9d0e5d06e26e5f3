package status

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/webhook"
	"ojud/node/why"
	"ojud/voting"
)

// cursorEvery bounds how often the position in the stream of events is written. After a restart
// some events come again, which does no harm.
const cursorEvery = 10 * time.Second

// After the start, events of the time in which the node was away may come before it has read the
// Roster and its cases. They wait for startWait in all, because before a judge cannot know its
// seat. If nothing is left of a case, nothing is told of it after that time.
const startWait, startLook = 10 * time.Second, 100 * time.Millisecond

// OutcomesDeps are the dependencies of Outcomes.
type OutcomesDeps struct {
	Judge  voting.Key
	Roster *network.Roster
	// Events are the transactions of the court.
	Events func() <-chan ledger.Occurred
	// SetCursor stores the position in the stream.
	SetCursor func(ledger.Cursor) error
	// Seats returns the seats of a round of a case.
	Seats func(task voting.Key, round uint8) []voting.Seat
	// Look returns the latest look at a case.
	Look func(task voting.Key) (voting.Case, bool)
	// Tell passes what happened to the operator's receivers. When it returns, that is on the disk.
	Tell func(webhook.Notification)
	// Lie says why the open leaf of a golden case is false; empty: it is true. The error means that
	// this node cannot tell.
	Lie func(ctx context.Context, e *program.LeafOpened) (why string, err error)
	// Drawn gets payments for data.
	Drawn func(*program.DataPaid)
	// Heard gets every event.
	Heard   func(program.Event)
	Audit   *Audit
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Outcomes tells the owner what happened to this judge: in sentences, with the details at level
// debug. The node decides nothing by it, because the machine relies on looks.
type Outcomes struct {
	d       OutcomesDeps
	results *prometheus.CounterVec
	opened  map[voting.Key]voting.Choice // own votes in open rounds, by case; only Run's goroutine uses it
}

// NewOutcomes returns Outcomes. Run starts its work.
func NewOutcomes(d OutcomesDeps) *Outcomes {
	o := &Outcomes{d: d, opened: map[voting.Key]voting.Choice{}, results: prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "ojud_node_seats_total", Help: "Own seats in settled rounds, by result."}, []string{"result"})}
	d.Metrics.MustRegister(o.results)
	for _, r := range []voting.Result{voting.Majority, voting.Minority, voting.Abstained, voting.Absent, voting.Equivocated, voting.Voted} {
		o.results.WithLabelValues(r.String()) // from 0, so that an alert sees the first one
	}
	return o
}

// Run reads the events of the chain until ctx ends.
func (o *Outcomes) Run(ctx context.Context) error {
	var written time.Time
	var last *ledger.Cursor // the position that is not written yet
	events := o.d.Events()
	patience := time.Now().Add(startWait)
	for {
		select {
		case <-ctx.Done():
			return o.leave(last)
		case t, ok := <-events:
			if !ok {
				return o.leave(last)
			}
			for i, e := range t.Events {
				if !o.known(ctx, e, patience) {
					return o.leave(last)
				}
				o.tell(t, i)
				o.checkLeaf(ctx, t, i)
				if err := o.report(e); err != nil {
					return err
				}
			}
			if last = &t.Cursor; time.Since(written) < cursorEvery {
				continue
			}
			if err := o.d.SetCursor(t.Cursor); err != nil {
				return err
			}
			written, last = time.Now(), nil
		}
	}
}

// known waits until this node can say what an event means for its judge, or until a time. It
// returns false if ctx ends: then the event comes again after the next start.
func (o *Outcomes) known(ctx context.Context, e program.Event, until time.Time) bool {
	for !o.legible(e) && time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(startLook):
		}
	}
	return true
}

// legible reports whether this node has read what it needs to know whether an event is about its
// judge.
func (o *Outcomes) legible(e program.Event) bool {
	if o.d.Roster.Now() == nil {
		return false
	}
	switch e := e.(type) {
	case *program.RoundSettled:
		return len(o.d.Seats(voting.Key(e.Task), e.Round)) > 0
	case *program.CaseFinished:
		_, ok := o.d.Look(voting.Key(e.Task))
		return ok
	}
	return true
}

// leave writes the position at the end, so that after an orderly stop nothing is told again.
func (o *Outcomes) leave(last *ledger.Cursor) error {
	if last == nil {
		return nil
	}
	return o.d.SetCursor(*last)
}

// own reports whether a key of an event is this judge.
func (o *Outcomes) own(judge [32]byte) bool { return voting.Key(judge) == o.d.Judge }

// report logs what an event means for this judge.
func (o *Outcomes) report(e program.Event) error {
	o.d.Heard(e)
	switch e := e.(type) {
	case *program.Drawn:
		o.drawn(e)
	case *program.Committed:
		if o.own(e.Judge) {
			o.d.Log.Info(fmt.Sprintf("Your sealed vote in case %s is on the chain; it is opened when all have voted or the time is over.", e.Task))
		}
	case *program.Revealed:
		if o.own(e.Judge) {
			o.opened[voting.Key(e.Task)] = e.Choice
			o.d.Log.Info(fmt.Sprintf("Your vote in case %s is open: %s.", e.Task, e.Choice))
		}
	case *program.RoundSettled:
		o.settled(e)
	case *program.CaseFinished:
		if o.satIn(e.Task) {
			o.d.Log.Info(fmt.Sprintf("The verdict in case %s is final: %s; what you earned is on the Roster.", e.Task, e.Verdict))
		}
	case *program.Slashed:
		if o.own(e.Judge) {
			o.d.Log.Error(fmt.Sprintf("You were slashed %s for equivocation in case %s: two different statements of this judge were shown.",
				onchain.SOL(e.Amount), e.Task), "round", e.Round, "lamports", e.Amount)
			return o.d.Audit.Note(voting.Key(e.Task), why.LogEntry{Round: e.Round, Deed: why.Shown, What: strconv.FormatUint(e.Amount, 10)})
		}
	case *program.RewardClaimed:
		if o.own(e.Judge) {
			o.d.Log.Info(fmt.Sprintf("Your rewards of %s were paid to your wallet.", onchain.SOL(e.Amount)))
		}
	case *program.DataPaid:
		o.d.Drawn(e)
	case *program.JudgeExiting:
		if o.own(e.Judge) {
			o.d.Log.Info(fmt.Sprintf("You are leaving the Roster; your stake is free at %s at the earliest.", date(e.ExitAt)))
		}
	}
	return nil
}

// drawn logs that this judge has a seat.
func (o *Outcomes) drawn(e *program.Drawn) {
	if i := o.seatIn(e); i >= 0 {
		o.d.Log.Info(fmt.Sprintf("You were drawn as a judge in case %s: seat %d of %d; your vote is due by %s.",
			e.Task, i+1, len(e.Seats), date(e.CommitEnds)))
	}
}

func (o *Outcomes) settled(e *program.RoundSettled) {
	for i, s := range o.d.Seats(voting.Key(e.Task), e.Round) {
		if s.Judge != o.d.Judge || i >= len(e.Seats) {
			continue
		}
		if choice, ok := o.opened[voting.Key(e.Task)]; ok { // the look may be older than the event
			s.Revealed, s.Choice = true, choice
			delete(o.opened, voting.Key(e.Task))
		}
		end := e.Seats[i]
		o.results.WithLabelValues(end.Result.String()).Inc()
		o.d.Log.Info(fmt.Sprintf("%s in case %s; %s; %s.", voted(s), e.Task, panelSaid(end.Result, e.Verdict), paid(e, end)))
		o.d.Log.Debug("round settled", "case", casefile.Address(e.Task), "round", e.Round, "verdict", e.Verdict, "result", end.Result,
			"slashed", end.Slashed, "earned", end.Earned)
	}
}

// paid is what a settlement brought the seat. If the verdict can be appealed, no bond is lost yet.
func paid(e *program.RoundSettled, end program.SeatSettled) string {
	if e.Bond == 0 && e.Verdict != voting.NoVerdict && end.Slashed == 0 && end.Earned == 0 {
		return "what it earns waits until the verdict is final"
	}
	return money(end)
}

// voted returns how a seat voted, in words.
func voted(s voting.Seat) string {
	const _ = uint(3 - voting.Choices) // only an abstention has a verb of its own
	switch {
	case s.Revealed && s.Choice == voting.Abstain:
		return "You abstained"
	case s.Revealed:
		return "You voted " + s.Choice.String()
	case s.Committed:
		return "You committed to a vote but did not open it"
	}
	return "You did not vote"
}

// panelSaid returns the panel's decision in words, compared with a seat of that result.
func panelSaid(r voting.Result, verdict voting.Verdict) string {
	switch {
	case verdict == voting.NoVerdict:
		return "the round was void"
	case r == voting.Majority:
		return "the panel agreed"
	case r == voting.Minority:
		return "the panel decided otherwise"
	}
	return "the verdict is " + verdict.String()
}

// money returns in words what a seat earned or lost.
func money(end program.SeatSettled) string {
	switch {
	case end.Slashed > 0 && end.Earned > 0:
		return "you earned " + onchain.SOL(end.Earned) + " and lost " + onchain.SOL(end.Slashed) + " of your stake"
	case end.Slashed > 0:
		return "you lost " + onchain.SOL(end.Slashed) + " of your stake"
	case end.Earned > 0:
		return "you earned " + onchain.SOL(end.Earned)
	}
	return "you earned nothing and lost nothing"
}

// date writes a time of the chain for people.
func date(at int64) string { return time.Unix(at, 0).UTC().Format("2006-01-02 15:04:05 UTC") }
