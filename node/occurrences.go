package node

import (
	"context"
	"time"

	"ojud/ledger/program"
	"ojud/voting"
)

// cursorEvery bounds how often the place in the stream is written: what is repeated after a restart does no harm.
const cursorEvery = 10 * time.Second

// occurrences tells the operator what became of this judge. Nothing is decided by it: the machine goes by looks.
func (n *Node) occurrences(ctx context.Context) error {
	var written time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case o, ok := <-n.watcher.Events():
			if !ok {
				return nil
			}
			for _, e := range o.Events {
				n.report(e)
				if err := n.noteSlash(e); err != nil {
					return err
				}
			}
			if time.Since(written) < cursorEvery {
				continue
			}
			if err := n.journal.SetCursor(o.Cursor); err != nil {
				return err
			}
			written = time.Now()
		}
	}
}

// report logs what concerns this node.
func (n *Node) report(e program.Event) {
	self := n.home.Keys.Authority.Address()
	switch e := e.(type) {
	case *program.RoundSettled:
		n.reportSeat(e)
	case *program.Slashed:
		if e.Judge == self {
			n.log.Error("slashed for equivocation: two different statements of this judge were shown", "case", e.Task, "round", e.Round, "lamports", e.Amount)
		}
	case *program.RewardClaimed:
		if e.Judge == self {
			n.log.Info("reward paid to the wallet", "lamports", e.Amount)
		}
	case *program.DataPaid:
		n.purse.Drawn(e)
	case *program.JudgeExiting:
		if e.Judge == self {
			n.log.Info("leaving the roster", "stake_free_at", time.Unix(e.ExitAt, 0).UTC())
		}
	}
}

func (n *Node) reportSeat(e *program.RoundSettled) {
	c := n.docket.find(voting.Key(e.Task))
	if c == nil {
		return
	}
	for i, s := range c.seated(e.Round) {
		if s.Judge != n.home.Keys.Judge() || i >= len(e.Seats) {
			continue
		}
		end := e.Seats[i]
		n.metrics.results.WithLabelValues(end.Result.String()).Inc()
		n.log.Info("round settled", "case", e.Task, "round", e.Round, "verdict", e.Verdict, "our_result", end.Result, "slashed", end.Slashed, "earned", end.Earned)
	}
}
