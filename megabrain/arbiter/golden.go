package arbiter

import (
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/reputation"
)

// Grade is what a golden task says of one seat.
type Grade string

// What a golden task says.
const (
	Nothing Grade = ""       // it does not count
	Passed  Grade = "passed" // a right result, or scores that tell right results from wrong ones
	Missed  Grade = "failed"
)

// Golden is what a golden task says of its workers and evaluators, by their seats.
type Golden struct {
	Workers    []Grade `json:"workers"`
	Evaluators []Grade `json:"evaluators"`
}

// truth says which results count, and which of them are right: those with the answer, and those
// that mean the same. One that the court found right, though it was opened as wrong, does not
// count.
func truth(k *brain.TaskAccount, answer [32]byte) (counts, right [brain.MaxSeats]bool) {
	clusters := map[uint8]bool{}
	for i, w := range k.Work[:k.Counts.Drawn] {
		f := k.Finding.Facts[i]
		counts[i] = w.State == revealed && f.LowEffort == 0 && f.CopyOf == 0 && k.Appeal.Cleared&(1<<i) == 0
		if counts[i] && w.ResultHash == answer {
			clusters[f.Cluster] = true
		}
	}
	delete(clusters, 0)
	for i, w := range k.Work[:k.Counts.Drawn] {
		right[i] = counts[i] && (w.ResultHash == answer || clusters[k.Finding.Facts[i].Cluster])
	}
	return counts, right
}

// Failed says whether an agent failed an opened golden task, so that it may appeal: as a worker of
// the first draw whose result is wrong, or as an evaluator that failed when the seal was opened.
func Failed(k *brain.TaskAccount, p brain.Parameters, agent onchain.Address) bool {
	g, ok := Tested(k, p, k.Seal)
	if !ok {
		return false
	}
	for i, v := range g.Workers {
		if v == Missed && k.Work[i].Agent == agent {
			return true
		}
	}
	for n, v := range g.Evaluators {
		if v == Missed && k.Judges[n].Agent == agent && k.Judges[n].Past&brain.PastFailed != 0 {
			return true
		}
	}
	return false
}

// Tested compares a settled task with its right result, as the program does: right is what has its
// hash, or means the same by the outcome. It is none if no right result was paid. Who was called
// later is not tested. A result of which no more than half of the others say anything
// is a test for those who do, and for who says nothing of most that others saw.
func Tested(k *brain.TaskAccount, p brain.Parameters, answer [32]byte) (g Golden, ok bool) {
	counts, right := truth(k, answer)
	for i, w := range k.Work[:k.Counts.Drawn] {
		ok = ok || right[i] && w.Inside != 0
	}
	g = Golden{make([]Grade, k.Counts.Drawn), make([]Grade, k.Counts.Seated)}
	if !ok {
		return g, false
	}
	silent := func(n, i int) bool {
		said := k.Judges[n].Said[i]
		return said.Score == brain.Silent || said.Confidence == 0
	}
	var heard []int
	for n, e := range k.Judges[:k.Counts.Seated] {
		if e.State == revealed && e.Later == 0 && k.Finding.Rubber[n] == 0 {
			heard = append(heard, n)
		}
	}
	shown, seen := make([]bool, len(g.Workers)), make([]bool, len(g.Workers))
	for i := range g.Workers {
		told := 0
		for _, n := range heard {
			if !silent(n, i) {
				told++
			}
		}
		shown[i], seen[i] = told > 0, 2*told > len(heard)
		if counts[i] {
			g.Workers[i] = passed(right[i])
		}
	}
	// excused says whether an evaluator could not speak of a result: it was absent when it was
	// asked, before further workers were called or after that.
	excused := func(n, i int) bool {
		spoke := false
		for j := range k.Judges[n].Said {
			spoke = spoke || k.Asked(n, j) == k.Asked(n, i) && !silent(n, j)
		}
		return k.Judges[n].Asked > 0 && !spoke
	}
	for _, n := range heard {
		var marks []reputation.Seen
		missing, said, all := false, 0, 0
		for i, w := range g.Workers {
			if w != Nothing && shown[i] && !excused(n, i) {
				if all++; !silent(n, i) {
					said++
				}
			}
		}
		for i, w := range g.Workers {
			if w != Nothing && shown[i] && !excused(n, i) && (2*said < all || seen[i] || !silent(n, i)) {
				missing = missing || silent(n, i)
				marks = append(marks, reputation.Seen{Right: w == Passed, Score: int(k.Judges[n].Said[i].Score)})
			}
		}
		if reputation.Both(marks) {
			g.Evaluators[n] = passed(!missing && reputation.Tells(marks, int(p.Shares.Pass), int(p.Shares.Sigma)))
		}
	}
	for i, w := range k.Work[:k.Counts.Drawn] {
		if w.Later != 0 {
			g.Workers[i] = Nothing // its result tests evaluators, but not itself
		}
	}
	return g, true
}

func passed(yes bool) Grade {
	if yes {
		return Passed
	}
	return Missed
}
