package panel

import (
	"math"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

// none is the choice of a seat that took no side.
const none = casefile.Choice(voting.NoChoice)

// The correlation of two judges' errors before anything was seen of them. Same and other family:
// errors of 65 recorded judges (6 models, 8 to 15 prompts each) on the 319 adversarial items of
// LLMBar, in the order in which it shows the answers: 0.540 and 0.217 on
// average. A judge that does not say its family may be of any. Judges of code alone run the same
// code.
const (
	priorSame  = 0.54
	priorOther = 0.217
	priorCode  = 1.0
	// priorWeight is how many rounds the prior counts as.
	priorWeight = 10
)

// familyJoint stands between the families of a judge that has models of several.
const familyJoint = "+"

// prior is the correlation to begin with.
func prior(a, b string) float64 {
	switch {
	case a == casefile.CodeFamily && b == casefile.CodeFamily:
		return priorCode
	case a == "" || b == "" || related(a, b):
		return priorSame
	}
	return priorOther
}

// related reports whether two judges have a family in common.
func related(a, b string) bool {
	of := strings.Split(b, familyJoint)
	return slices.ContainsFunc(strings.Split(a, familyJoint), func(f string) bool { return slices.Contains(of, f) })
}

// Independent is how many independent votes the choices of a round were worth: n = (Σ w_i)² / Σ_ij
// w_i w_j ρ_ij over the seats that chose a side, with their weights in lamports and ρ_ii = 1; 0 if
// nobody did. Choices and weights are in the order of the seats.
//
// The arithmetic has one order and no fused steps, so that every machine finds the same bits.
func Independent(p casefile.Panel, choices casefile.Choices, weights []casefile.Amount) casefile.Worth {
	var sum uint64 // voting.MaxSeats · voting.MaxSeatWeight fits
	var shared float64
	for i := range choices {
		if choices.At(i) == none {
			continue
		}
		sum += uint64(weights[i])
		for j := range choices {
			if choices.At(j) != none {
				shared = float64(shared + float64(float64(float64(weights[i])*float64(weights[j]))*correlation(p, i, j)))
			}
		}
	}
	if shared == 0 {
		return 0
	}
	return casefile.Worth(math.Round(float64(100 * float64(float64(float64(sum)*float64(sum))/shared))))
}

// correlation is ρ of two seats: (K·prior + m·φ) / (K + m), but not below the prior. φ is the
// correlation of their errors in the m rounds of the history where both chose a side; an error
// is a choice that is not the verdict.
//
// Not below, for two reasons. The panel makes the verdict, so that errors which most of it shares
// are not seen (TestVerdictIsNoTruth): of recorded judges of one model φ is 0.13 to 0.22 against
// their own verdicts, where it is 0.40 to 0.69 against the truth (ADR 0017). And the history is the
// exporter's word: so none makes votes look worth more than no history does.
//
// Where one of them made no error, or only errors, there is no φ, and m counts as 0: that a judge
// never erred does not show with whom it would. To count these rounds as φ = 0 would make panels
// that were never put to the test look independent.
func correlation(p casefile.Panel, i, j int) float64 {
	if i == j {
		return 1
	}
	begin := prior(p.Seats[i].Family, p.Seats[j].Family)
	t := jointErrors(p, i, j)
	phi, ok := t.phi()
	if !ok {
		return begin
	}
	m := float64(t.rounds())
	rho := float64(float64(priorWeight*begin)+float64(m*phi)) / float64(priorWeight+m)
	return min(max(rho, begin), 1)
}

// table counts rounds by who of two judges erred in them.
type table struct{ both, first, second, none int }

func (t table) rounds() int { return t.both + t.first + t.second + t.none }

// phi is the correlation of a 2×2 table; false where one of the two is constant.
func (t table) phi() (float64, bool) {
	const _ = int32(casefile.MaxHistory / 2 * casefile.MaxHistory / 2 * casefile.MaxHistory / 2) // two factors add up to at most MaxHistory
	spread := int64(t.both+t.first) * int64(t.second+t.none) * int64(t.both+t.second) * int64(t.first+t.none)
	if spread == 0 {
		return 0, false
	}
	return float64(t.both*t.none-t.first*t.second) / math.Sqrt(float64(spread)), true
}

// jointErrors counts the rounds of the history where both chose a side.
func jointErrors(p casefile.Panel, i, j int) (t table) {
	for _, r := range p.History {
		a, b := r.Choices.At(i), r.Choices.At(j)
		if a == none || b == none {
			continue
		}
		right := casefile.Choice(voting.Verdict(r.Verdict).Choice())
		switch {
		case a != right && b != right:
			t.both++
		case a != right:
			t.first++
		case b != right:
			t.second++
		default:
			t.none++
		}
	}
	return t
}
