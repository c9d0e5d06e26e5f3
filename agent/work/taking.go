package work

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// bondShare is the most of its price that a claim may cost, as a divisor. The bond is a share of
// the highest price of an auction, so that a creator who asks for the impossible early in a long
// auction could earn more by the bond than the work would pay.
const bondShare = 10

// take claims the best offers that fit, or stops.
func (w *Worker) take(m Market) (acts []Act) {
	if why := w.Policy.Budget.over(w.Spent); why != "" {
		if len(w.Jobs) == 0 {
			return []Act{Stop{why}}
		}
		return nil
	}
	busy := 0
	staked, risked := w.open(nil)
	for _, j := range w.Jobs {
		if j.busy() {
			busy++
		}
	}
	told, best := map[string]string{}, []candidate{}
	refuse := func(task, why string) {
		if told[task] = why; w.told[task] != why && why != unskilled {
			acts = append(acts, Tell{task, "does not take it: " + why})
		}
	}
	for _, o := range m.Offers {
		if w.Jobs[o.Task] != nil {
			continue
		}
		skill, why := w.Policy.fit(o)
		if why == "" && w.spoils(o.Creator.Agent) {
			why = "no result passed the checks of its creator's earlier tasks"
		}
		if why == "" && o.ClaimBond > o.Price/bondShare {
			why = fmt.Sprintf("the bond of its claim is %s, more than a tenth of its price, %s", sol(o.ClaimBond), sol(o.Price))
		}
		if why == "" && !w.Policy.Budget.allows(w.Spent, 0, 0, o.ClaimBond+o.AnswerBond, max(o.ClaimBond, o.AnswerBond)) {
			why = fmt.Sprintf("its bonds, %s and %s, do not fit the budget, of which %s are lost", sol(o.ClaimBond), sol(o.AnswerBond), sol(w.Spent.Lost))
		}
		if why == "" {
			best = append(best, candidate{o, skill, o.value(), sha256.Sum256([]byte(w.Policy.Name + o.Task))})
			continue
		}
		refuse(o.Task, why)
	}
	slices.SortFunc(best, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.value, a.value), bytes.Compare(a.turn[:], b.turn[:]))
	})
	left := m.Vault
	for _, c := range best {
		need, risk := c.ClaimBond+c.AnswerBond, max(c.ClaimBond, c.AnswerBond)
		if m.Vault < need && busy == 0 {
			refuse(c.Task, fmt.Sprintf("its bonds need %s, more than the vault has; bring money in with ojud agent deposit", sol(need)))
			continue
		}
		if busy >= max(1, w.Policy.AtOnce) || left < need || !w.Policy.Budget.allows(w.Spent, staked, risked, need, risk) {
			continue
		}
		busy, staked, risked, left = busy+1, staked+need, risked+risk, left-need
		w.Jobs[c.Task] = &Job{Task: c.Task, Creator: c.Creator.Agent, Skill: c.skill.Name, Phase: Claiming, Price: c.Price, Beside: c.Beside, ClaimBond: c.ClaimBond, AnswerBond: c.AnswerBond, Chance: even}
		acts = append(acts, Take{c.Task, c.Price})
	}
	w.told = told
	return acts
}

// candidate is an offer that fits a skill.
type candidate struct {
	Vacancy
	skill Skill
	value int64
	// turn orders offers of one value, for each worker in another way: otherwise all workers would
	// want the same task, and all but one be too late.
	turn [32]byte
}

// value is the price with the tokens beside it, less the risk that the creator's record shows.
func (o Vacancy) value() int64 {
	const doubt = 4 // cases without a loss that a new creator is given
	return worth(sum(o.Price, o.Beside.Worth), whole-int(whole*uint64(o.Creator.Lost)/(uint64(o.Creator.Won)+uint64(o.Creator.Lost)+doubt)))
}

// unskilled is why most offers are not taken. It is not told.
const unskilled = "it has no skill for it"

// fit returns the skill for an offer, or why there is none.
func (p WorkerPolicy) fit(o Vacancy) (Skill, string) {
	switch {
	case o.Barred:
		return Skill{}, "it may not claim it"
	case o.Foreign:
		return Skill{}, "another program than the court decides it"
	case o.Text == "":
		return Skill{}, "no node has sent its document"
	case o.Loose != "":
		return Skill{}, o.Loose
	case o.WorkSeconds < p.LeastSeconds:
		return Skill{}, fmt.Sprintf("it gives %d s for the work, and %d s are the least", o.WorkSeconds, p.LeastSeconds)
	case !slices.Contains(p.Undecided, o.Undecided):
		return Skill{}, fmt.Sprintf("its term for undecided cases is %q", o.Undecided)
	case p.MostLost > 0 && o.Creator.Lost >= p.MostLost && o.Creator.Lost > o.Creator.Won:
		return Skill{}, fmt.Sprintf("its creator lost more cases than it won, %d to %d", o.Creator.Lost, o.Creator.Won)
	}
	why := unskilled
	for _, s := range p.Skills {
		if !s.fits(o.Text) {
			continue
		}
		if sum(o.Price, o.Beside.Worth) >= s.Least {
			return s, ""
		}
		why = fmt.Sprintf("it pays %s, and the skill %q takes at least %s", sol(o.Price), s.Name, sol(s.Least))
	}
	return Skill{}, why
}
