package why

import (
	"fmt"

	"ojud/casefile/reading"
	"ojud/ledger/onchain"
	"ojud/voting"
	"ojud/voting/rules"
)

// result says how the round ended for the seat, and by which rule.
func (e *explainer) result(r round, said reading.Statements) {
	if r.result == voting.Pending {
		if r.look == nil || !r.look.Live() {
			e.say(r.number, Pending, "how the round was settled is not known here", r.fact("settle"), "")
		}
		e.shown(r, said)
		return
	}
	e.void(r)
	fact := r.fact("settle")
	switch r.result {
	case voting.Majority:
		e.say(r.number, Majority, fmt.Sprintf("it voted %s, as the verdict says: nothing was slashed, and it earned %s%s", r.choice, onchain.SOL(r.earned), e.split(r)), fact, "")
		e.claim(r)
	case voting.Minority:
		e.say(r.number, Minority, fmt.Sprintf("it voted %s, and the verdict is %s: %s", r.choice, r.verdict, r.cost(r.rules.MinorityBps)), fact,
			"compare its opinion with those of others in the case file; try the judge on disputes of which the answer is known: ojud judge exam")
	case voting.Abstained:
		e.abstained(r, fact)
	case voting.Absent:
		e.say(r.number, Absent, "it revealed no vote, which counts as absent: "+r.cost(r.rules.AbsentBps), fact, "")
	case voting.Voted:
		e.say(r.number, Void, fmt.Sprintf("it voted %s in a round without a verdict: nothing was slashed%s", r.choice, earnings(r.earned)), fact, "")
		e.claim(r)
	case voting.Equivocated:
		e.say(r.number, Equivocated, "two different statements of this judge for this round were shown, which costs "+share(r.rules.EquivocationBps)+" of the weight of "+onchain.SOL(r.weight)+", taken when they were shown"+e.fined(r), fact,
			"its keys are on two machines, or somebody has them: stop the other copy, or leave the roster and take new keys")
	case voting.Pending:
	}
	e.shown(r, said)
}

// void says why a round had no verdict.
func (e *explainer) void(r round) {
	if r.settle == nil || voting.Verdict(r.settle.Value.Verdict) == voting.ForWorker || voting.Verdict(r.settle.Value.Verdict) == voting.ForCreator {
		return
	}
	s := r.settle.Value
	e.say(r.number, Void, fmt.Sprintf("the round had no quorum: accept and reject together weigh %s of %s, and %d/%d of it is needed",
		onchain.SOL(uint64(s.Accept)+uint64(s.Reject)), onchain.SOL(uint64(s.Seated)), rules.QuorumNumerator, rules.QuorumDenominator), r.fact("settle"), "")
}

// abstained says whether the abstention was free.
func (e *explainer) abstained(r round, fact string) {
	free := fmt.Sprintf("%d abstentions are free", r.rules.AbstainFree)
	if r.rules.AbstainBps > 0 {
		free += fmt.Sprintf(", and besides as many as %s of the rounds in which it sat before", share(r.rules.AbstainBps))
	}
	if r.slashed == 0 {
		e.say(r.number, Abstention, "it abstained, which cost nothing ("+free+")"+earnings(r.earned), fact, "")
		return
	}
	e.say(r.number, Overspent, "it abstained more often than is free, which counts as absent: "+r.cost(r.rules.AbsentBps)+" ("+free+")", fact,
		"see above why it abstained; see how often it did: ojud judge status")
}

// cost says how much was taken, and by which rule.
func (r round) cost(bps uint16) string {
	if r.slashed == 0 {
		return "nothing was slashed, because " + map[bool]string{true: "the rules of this case take nothing for it", false: "there was no stake left to take"}[bps == 0]
	}
	if r.weight == 0 || bps == 0 {
		return "slashed " + onchain.SOL(r.slashed)
	}
	text := fmt.Sprintf("slashed %s, which is %s of its weight of %s", onchain.SOL(r.slashed), share(bps), onchain.SOL(r.weight))
	if due := r.weight/rules.BasisPoints*uint64(bps) + r.weight%rules.BasisPoints*uint64(bps)/rules.BasisPoints; r.slashed < due {
		text = fmt.Sprintf("slashed %s: %s of its weight of %s are due, and it had no more stake", onchain.SOL(r.slashed), share(bps), onchain.SOL(r.weight))
	}
	return text
}

// split names the total that the reward is a share of.
func (e *explainer) split(r round) string {
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs its winners
	if r.settle == nil || r.weight == 0 {
		return ""
	}
	s, winners := r.settle.Value, uint64(r.settle.Value.Accept)
	if voting.Verdict(s.Verdict) == voting.ForCreator {
		winners = uint64(s.Reject)
	}
	if r.earned == 0 && s.Pot > 0 {
		return "; its entry on the roster was no longer its own, so that its share went to later cases"
	}
	return fmt.Sprintf(": of %s, which are the loser's bond (%s) and what was slashed, by weight: %s of the %s that voted so", onchain.SOL(uint64(s.Pot)), onchain.SOL(uint64(s.Bond)), onchain.SOL(r.weight), onchain.SOL(winners))
}

func earnings(lamports uint64) string {
	if lamports == 0 {
		return ""
	}
	return ", and it earned " + onchain.SOL(lamports)
}

// fined returns the amount that the node saw taken for two statements.
func (e *explainer) fined(r round) string {
	for _, s := range e.own().Log.find(r.number, Shown) {
		return fmt.Sprintf(" (the chain took %s lamports %s)", s.What, s.times())
	}
	return ""
}

// shown says that evidence of equivocation is in the record although the settlement does not punish
// it.
func (e *explainer) shown(r round, said reading.Statements) {
	if r.result == voting.Equivocated || len(said.Shown) == 0 && len(said.Committed) < 2 {
		return
	}
	fact := "its two commit events"
	if len(said.Shown) > 0 {
		fact = "an equivocation event, with the commitments " + brief(voting.Hash(said.Shown[0].A.Commitment)) + " and " + brief(voting.Hash(said.Shown[0].B.Commitment))
	}
	e.say(r.number, Equivocated, "two different statements of this judge for this round are in the record; the settlement does not punish it, but whoever has them can still have it slashed while the time for evidence runs"+e.fined(r), fact,
		"its keys are on two machines, or somebody has them: stop the other copy, or leave the roster and take new keys")
}
