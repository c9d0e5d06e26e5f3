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
	case voting.Majority, voting.Minority, voting.Voted:
		e.voted(r, fact)
	case voting.Abstained:
		e.say(r.number, Abstention, "it abstained: this earned nothing and cost nothing", fact, "")
	case voting.Absent:
		e.silent(r, fact)
	case voting.Equivocated:
		e.say(r.number, Equivocated, "two different statements of this judge for this round were shown, which costs the whole stake, taken when they were shown"+e.fined(r), fact,
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
	e.say(r.number, Void, fmt.Sprintf("the round had no quorum: votes of %s of %s were revealed, and %d/%d is needed; accept and reject together weigh %s, and %d %% is needed",
		onchain.SOL(uint64(s.Accept)+uint64(s.Reject)+uint64(s.Abstain)), onchain.SOL(uint64(s.Seated)), rules.QuorumNumerator, rules.QuorumDenominator,
		onchain.SOL(uint64(s.Accept)+uint64(s.Reject)), rules.SidesPercent), r.fact("settle"), "")
}

// voted says what a vote for a side earned or cost.
func (e *explainer) voted(r round, fact string) {
	const _ = uint(3 - voting.Verdicts) // does a fourth verdict pay votes?
	code, text, next := Void, fmt.Sprintf("it voted %s", r.choice), ""
	switch r.result {
	case voting.Majority:
		code, text = Majority, text+", as most of the weight did"
	case voting.Minority:
		code, text = Minority, text+", and most of the weight did not"
		next = "compare its opinion with those of others in the case file; try the judge on disputes of which the answer is known: ojud judge exam"
	case voting.Voted:
		text += ", in a round without a larger side"
	}
	switch {
	case r.waits:
		text += ": what it earns or loses waits until nobody can appeal any more"
	case r.slashed > 0 && r.reversed:
		text += ": slashed " + onchain.SOL(r.slashed) + fmt.Sprintf(", %d times the pay of a vote, because an appeal clearly reversed the verdict", r.rules.Reversal)
	case r.slashed > 0:
		text += ": " + r.cost(uint64(r.rules.Minority), "a clear minority")
	case r.earned > 0:
		text += fmt.Sprintf(": a vote for either side earned %s, and nothing was slashed", onchain.SOL(r.earned))
		if r.rules.Preset == uint8(rules.PayMajority) {
			text = fmt.Sprintf("it voted %s and earned %s, and nothing was slashed", r.choice, onchain.SOL(r.earned))
		}
	case r.settle != nil && voting.Verdict(r.settle.Value.Verdict) == voting.NoVerdict:
		text += ": a void round pays and slashes no vote"
	default:
		text += ": it earned nothing, and nothing was slashed"
	}
	e.say(r.number, code, text, fact, next)
	e.claim(r)
}

// silent says what it cost to reveal nothing.
func (e *explainer) silent(r round, fact string) {
	if r.committed {
		pays := uint64(r.rules.GoldenGain) * uint64(r.rules.GoldenLoss)
		e.say(r.number, Absent, "it committed and revealed no vote, which costs as much as a wrong vote in a golden case: "+r.cost(pays, "a withheld vote"), fact, "")
		return
	}
	e.say(r.number, Absent, "it never committed, which counts as absent: "+r.cost(uint64(r.rules.Absence), "an absent seat"), fact, "")
}

// cost says how much was taken, and by which rule: so many times the pay of a vote.
func (r round) cost(pays uint64, what string) string {
	if r.slashed == 0 {
		return "nothing was slashed, because " + map[bool]string{true: "the rules of this case take nothing for it", false: "there was no stake left to take"}[pays == 0]
	}
	text := "slashed " + onchain.SOL(r.slashed)
	if pays > 0 {
		text += fmt.Sprintf("; the rules take %d times the pay of a vote from %s", pays, what)
	}
	return text + ", and the Pot for golden cases gets it"
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
