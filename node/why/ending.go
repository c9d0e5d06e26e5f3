package why

import (
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// ending says how the case ended, or what it waits for and until when.
func (e *explainer) ending() {
	look := e.f.Look
	switch {
	case look != nil && look.Status.Over():
		e.say(0, Decided, "the case is over since "+clock(look.SettledAt)+": "+verdict(look.Verdict), "the case on the chain, slot "+number(look.Slot), "")
	case look != nil:
		e.waiting(look)
	case e.f.Record != nil && e.f.Record.Outcome != nil:
		o := e.f.Record.Outcome
		e.say(0, Decided, "the case is over since "+clock(o.Value.At)+": "+verdict(e.verdict()), "outcome facts "+brief(o.Hash), "")
	case e.f.Own != nil && !e.f.Own.Running:
		e.say(0, Stopped, "the node does not run, so that it cannot say how the case stands now", "the node's journal", fmt.Sprintf("ojud run, or see the chain: ojud case show %s", e.f.Case))
	default:
		e.say(0, Stopped, "the record ends before the case did", e.f.Source, fmt.Sprintf("see how it stands: ojud case show %s", e.f.Case))
	}
}

// verdict returns the verdict of the last round in the record. A case that expired has none.
func (e *explainer) verdict() voting.Verdict {
	v := voting.Undecided
	for _, r := range e.f.Record.Rounds {
		if r.Settle != nil && r.Settle.Value.Verdict != casefile.Verdict(voting.NoVerdict) {
			v = voting.Verdict(r.Settle.Value.Verdict)
		}
	}
	return v
}

func verdict(v voting.Verdict) string {
	switch v {
	case voting.ForWorker:
		return "accept, the worker is paid"
	case voting.ForCreator:
		return "reject, the creator is refunded"
	case voting.Undecided, voting.NoVerdict:
	}
	return "undecided, the rule of the task divides the reward"
}

// waiting says what a running case waits for.
func (e *explainer) waiting(look *voting.Case) {
	fact := "the case on the chain, slot " + number(look.Slot)
	committed, revealed := 0, 0
	for _, s := range look.Seats {
		if s.Committed {
			committed++
		}
		if s.Revealed {
			revealed++
		}
	}
	switch {
	case look.Status == voting.AwaitingDraw:
		e.say(0, WaitDraw, fmt.Sprintf("the case waits for the draw of round %d; if there is none by %s it ends undecided", look.Round, clock(look.DrawBy)), fact, "")
	case look.CanSettle(e.f.Now):
		e.say(0, WaitSettle, fmt.Sprintf("round %d is over and waits for somebody to settle it; the judges' nodes do that in turns of some seconds", look.Round), fact, "")
	case look.CommitsOver(e.f.Now):
		e.say(0, WaitReveal, fmt.Sprintf("round %d waits for votes: %d of %d that committed have revealed; it ends at %s", look.Round, revealed, committed, clock(look.RevealEnds)), fact, "")
	default:
		e.say(0, WaitCommit, fmt.Sprintf("round %d waits for commitments: %d of %d seats have committed; the time ends at %s", look.Round, committed, len(look.Seats), clock(look.CommitEnds)), fact, "")
	}
}
