package why

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/reading"
	"ojud/voting"
)

// thought states the judge's opinion, or why it had none.
func (e *explainer) thought(r round, said reading.Statements) {
	log := e.own().Log
	for _, f := range log.find(r.number, Failed) {
		e.say(r.number, NoOpinion, "the judge gave no opinion: "+quoted(f.Text), "the node's event log, "+f.times(), "see what its model and its sources say: ojud doctor")
	}
	for _, a := range log.find(r.number, Abstained) {
		text, next := "so the node abstained: ", ""
		if a.How == NoPlace {
			text, next = "the node was full and abstained: ", "let it judge more cases at once, if its model can: judge.max_parallel_cases"
		}
		e.say(r.number, NoOpinion, text+quoted(a.Text), "the node's event log, "+a.times(), next)
	}
	for _, why := range said.Failures {
		e.say(r.number, NoOpinion, "data was not to be had: "+quoted(why), "its data_request event", "")
	}
	for _, b := range said.Heard {
		e.say(r.number, Answered, "it was answered about "+quoted(b.Source)+": "+r.heard(b), "its data_request event, and the candidates of the draw", "")
	}
	if o := said.Opinion; o != nil {
		e.say(r.number, Opined, fmt.Sprintf("it thought %s: %s%s", voting.Choice(o.Choice), quoted(o.Summary), decisive(o.Findings)), "its opinion "+brief(voting.Hash(said.Vote.OpinionHash)), "")
		return
	}
	for _, t := range log.find(r.number, Thought) {
		e.say(r.number, Opined, "it thought "+t.What+": "+quoted(t.Text), "the node's event log, "+t.times(), "")
	}
}

// heard counts the answers to a question by what stands behind them, as the draw shows it.
func (r round) heard(b casefile.DataBody) string {
	own, staked, strange := 0, 0, 0
	for _, receipt := range b.Receipts {
		switch {
		case receipt.Holder == r.peer:
			own++
		case r.draw != nil && slices.ContainsFunc(r.draw.Value.Candidates, func(c casefile.Candidate) bool { return c.Peer == receipt.Holder }):
			staked++
		default:
			strange++
		}
	}
	text := fmt.Sprintf("%d of its own source, %d of holders with a stake, %d of strangers", own, staked, strange)
	if r.draw == nil || r.partly {
		text += " or of holders with a stake, because the draw is not known here"
	}
	return text
}

// twofold names the holders that gave two different answers to one question, this judge's node
// among them.
func (e *explainer) twofold(self casefile.DID) {
	if e.f.Record == nil {
		return
	}
	for _, b := range e.f.Record.Twofolds() {
		who, next := "the holder "+b.A.Holder.String(), ""
		if b.A.Holder == self {
			who, next = "this judge's node", "its keys are on two machines, somebody has them, or its program was changed: stop the other copy, or leave the roster and take new keys"
		}
		e.say(0, Twofold, fmt.Sprintf("%s gave two different answers to one question about %s, so that it counts for nothing in this case", who, quoted(b.A.Source)),
			fmt.Sprintf("its receipts for the judges %s and %s", b.A.Judge, b.B.Judge), next)
	}
}

// decisive names the first findings that speak against the result, or that no judge could decide,
// those in which something was run before the others.
func decisive(findings []casefile.Finding) string {
	const most = 2
	ran := slices.Clone(findings)
	slices.SortStableFunc(ran, func(a, b casefile.Finding) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.Run != nil], map[bool]int{true: 0, false: 1}[b.Run != nil])
	})
	for _, outcome := range []casefile.CheckOutcome{casefile.Fail, casefile.Unknown} {
		text, n := "", 0
		for _, f := range ran {
			if f.Outcome == outcome && n < most {
				n++
				text += "; " + string(outcome) + ": " + found(f)
			}
		}
		if n > 0 {
			return text + proved(findings)
		}
	}
	return proved(findings)
}

// proved names the check programs that spoke for the result, and the counterexamples that were
// refuted, with their runs, the programs of the judge's model, and what exhibits prove that
// somebody signed by another protocol.
func proved(findings []casefile.Finding) (text string) {
	for _, f := range findings {
		if signed := strings.HasPrefix(f.Check, "exhibit/") && strings.Contains(f.Check, "/evidence["); (f.Run != nil || f.Proposal != nil || signed) && f.Outcome == casefile.Pass {
			text += "; " + string(f.Outcome) + ": " + found(f)
		}
	}
	return text
}

// found quotes a finding, and says how long its run was.
func found(f casefile.Finding) string {
	text := quoted(f.Check) + " " + quoted(f.Detail)
	if f.Run != nil {
		text += fmt.Sprintf(", after %d steps", f.Run.Fuel)
	}
	if p := f.Proposal; p != nil {
		text += fmt.Sprintf("; its model wrote the program %s, which says true of %s and false of %s", quoted(p.JavaScript), quoted(string(p.Right)), quoted(string(p.Wrong)))
	}
	return text
}

// commit says whether and when the commitment reached the chain, or why not.
func (e *explainer) commit(r round) {
	switch {
	case r.committed:
		text := "its commitment stands on the chain"
		if len(e.own().Log.find(r.number, Requested)) > 0 && !e.sent(r, "commit") {
			text += "; another node sent it, because this one asked for that"
		}
		e.say(r.number, Committed, text+e.landed(r, "commit", r.due()), r.fact("settle"), "")
		e.trouble(r, "commit")
	case r.look == nil && r.settle == nil:
		e.unseen(r, "commit", Committed, "its commitment")
	case !r.settled && e.f.Now < r.commitEnds:
		text := "its commitment is not on the chain yet; commitments end at " + clock(r.commitEnds)
		if asked := e.own().Log.find(r.number, Asked); len(asked) > 0 {
			if until, err := strconv.ParseInt(asked[0].What, 10, 64); err == nil {
				text += ", and its judge has time for an opinion until " + clock(until)
			}
		}
		e.say(r.number, WaitCommit, text, r.fact("draw"), "")
		e.trouble(r, "commit")
	case r.equivocated: // its seat was out
	default:
		e.say(r.number, Uncommitted, "it did not commit by "+clock(r.commitEnds), r.fact("settle"), "")
		e.causes(r, "commit", r.drawnAt, r.commitEnds)
	}
}

// due returns when the time for commitments ends if not all commit earlier; 0 if that is unknown.
func (r round) due() int64 {
	const _ = uint(6 - voting.Statuses) // does a seventh status know the early end of the commits?
	if r.draw == nil && r.look != nil && r.look.Status != voting.Committing {
		return 0 // the chain has the early end
	}
	return r.commitEnds
}

// sent reports whether the node itself got a transaction of the round to the chain.
func (e *explainer) sent(r round, op string) bool {
	for _, s := range e.own().Log.find(r.number, Sent, op) {
		if s.How == Landed {
			return true
		}
	}
	return false
}

// reveal says whether the vote reached the chain, or why not.
func (e *explainer) reveal(r round) {
	switch {
	case r.look == nil && r.settle == nil:
		e.unseen(r, "reveal", Revealed, "its vote")
	case !r.committed:
	case r.revealed:
		text := "its vote stands on the chain: " + r.choice.String()
		if own := e.own(); len(own.Log.find(r.number, Cast)) > 0 && !e.sent(r, "reveal") {
			text += "; another node that had the vote sent it, because this one did not"
		}
		e.say(r.number, Revealed, text+e.landed(r, "reveal", r.revealEnds), r.fact("settle"), "")
		e.trouble(r, "reveal")
	case !r.settled && e.f.Now < r.revealEnds:
		e.say(r.number, WaitReveal, "its vote is not on the chain yet: votes are hidden until commitments are over", r.fact("draw"), "")
		e.trouble(r, "reveal")
	case r.equivocated: // the program takes no vote of it
	default:
		e.say(r.number, Unrevealed, "it committed, and its vote did not come to the chain by "+clock(r.revealEnds), r.fact("settle"), "")
		e.causes(r, "reveal", r.revealing(), r.revealEnds)
	}
}

// unseen covers an operation that neither record nor chain show here. It says what the node
// recorded of it.
func (e *explainer) unseen(r round, op string, code Code, what string) {
	for _, s := range e.own().Log.find(r.number, Sent, op) {
		if s.How == Landed {
			e.say(r.number, code, what+" is on the chain, as the node saw", "the node's event log, "+s.times(), "")
			return
		}
	}
	e.say(r.number, Pending, "whether "+what+" came to the chain is not known here", "there are no settle facts in the record", "")
	e.trouble(r, op)
}

// revealing returns the latest start of the reveal. It began earlier if all had committed.
func (r round) revealing() int64 {
	from := r.revealEnds - int64(r.rules.RevealSeconds)
	if r.settle != nil && r.settle.Value.At < r.revealEnds {
		return r.drawnAt
	}
	return from
}

// landed says since when a transaction is in a block, if the node recorded that, and how long this
// was before the end. An end of 0 is not known.
func (e *explainer) landed(r round, op string, ends int64) string {
	for _, s := range e.own().Log.find(r.number, Sent, op) {
		switch {
		case s.How == Landed && ends > s.At:
			return fmt.Sprintf(", since %s, %s before the end of the time for it", clock(s.At), span(ends-s.At))
		case s.How == Landed:
			return ", since " + clock(s.At)
		}
	}
	return ""
}
