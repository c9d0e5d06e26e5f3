package why

import (
	"fmt"

	"ojud/voting"
)

// causes says why a transaction did not reach the chain between two times, as far as the judge's
// node recorded it.
func (e *explainer) causes(r round, op string, from, until int64) {
	if e.f.Own == nil {
		e.say(r.number, Unexplained, "why is in no case file: only the judge's own node can tell", e.f.Source, fmt.Sprintf("on its machine: ojud case why %s", e.f.Case))
		return
	}
	before := len(e.out.Lines)
	e.doubled(r)
	e.absence(r, from, until)
	cast := e.f.Own.Log.find(r.number, Cast)
	if len(cast) > 0 {
		e.trouble(r, op)
	}
	explained := len(e.out.Lines) > before
	failed := len(e.f.Own.Log.find(r.number, Failed)) > 0
	switch {
	case explained || len(cast) == 0 && failed: // said before
	case len(cast) > 0:
		e.say(r.number, Unexplained, fmt.Sprintf("the vote was signed %s, and the node wrote down nothing of sending it", cast[0].times()), "the node's event log",
			"look for the case in the node's log, and at ledger.rpc: ojud doctor")
	case len(e.f.Own.Log.find(r.number, Asked)) > 0:
		e.say(r.number, Unexplained, "the judge was asked, and the node wrote down neither an opinion nor a failure", "the node's event log", "look for the case in the node's log")
	default:
		e.say(r.number, Unexplained, "the node wrote down nothing of this round"+e.before(from), "the node's event log", "look for the case in the node's log")
	}
}

// before says that the node kept nothing of that time.
func (e *explainer) before(at int64) string {
	if e.f.Own.Uptime.covers(at) {
		return ""
	}
	return ": it does not know whether it ran at that time"
}

// absence says when the node did not run, or saw no blocks.
func (e *explainer) absence(r round, from, until int64) {
	for _, g := range e.own().Uptime.gaps(from, until) {
		when := fmt.Sprintf("from %s to %s", clock(g.from), clock(g.until))
		if g.open {
			when = "from " + clock(g.from) + " on, as far as it was written down"
		}
		if g.blind {
			e.say(r.number, Blind, "the node ran and saw no block "+when+": its RPC node did not answer, or the chain stood still", "the record of when the node ran", "see whether the RPC node is up to it: ojud doctor")
			continue
		}
		e.say(r.number, Down, "the node did not run "+when, "the record of when the node ran", "see in its log why it ended; let a supervisor start it again")
	}
}

// doubled says that another copy of the node was at work.
func (e *explainer) doubled(r round) {
	for _, t := range e.own().Log.find(r.number, Twin) {
		e.say(r.number, Doubled, "another copy of this node was at work, so that this one signed nothing more: "+quoted(t.Text), "the node's event log, "+t.times(),
			"stop one of the two at once, and keep the keys on one machine: two statements in one round can cost the whole weight")
	}
}

// trouble describes the problems of a transaction of the node's own seat.
func (e *explainer) trouble(r round, op string) {
	for _, s := range e.own().Log.find(r.number, Sent, op) {
		fact := "the node's event log, " + s.times()
		switch s.How {
		case NoFunds:
			e.say(r.number, Unpaid, "the "+op+" could not be sent, because the authority had too few lamports for the fee: "+quoted(s.Text), fact,
				"send it some, and keep more there: ojud judge status, or ojud airdrop where there is a faucet")
		case Refused:
			e.say(r.number, Rejected, "the program refused the "+op+": "+quoted(s.Text), fact, "")
		case NotSent:
			e.say(r.number, Lost, "the "+op+" could not be sent: "+quoted(s.Text), fact, "see whether the RPC node is up to it: ojud doctor")
		case InVain:
			e.say(r.number, Lost, "the "+op+" was sent and did not land while it was of use: "+quoted(s.Text), fact, "see whether the RPC node is up to it: ojud doctor")
		}
	}
}

// claim says whether a reward was collected.
func (e *explainer) claim(r round) {
	if e.f.Own == nil || r.earned == 0 {
		return
	}
	for _, s := range e.f.Own.Log.find(r.number, Sent, voting.OpClaim.String()) {
		if s.How == Landed {
			e.say(r.number, Claimed, "the node collected its rewards "+s.times(), "the node's event log", "")
			return
		}
	}
	e.trouble(r, voting.OpClaim.String())
	if e.recent() {
		e.say(r.number, Unclaimed, "the node collects its rewards by itself, some seconds after the verdict, and has not yet", "the node's event log", e.again())
		return
	}
	e.say(r.number, Unclaimed, "the node wrote down nothing of collecting it; it stays this judge's until it is collected", "the node's event log", "ojud judge claim")
}
