package arbiter

import (
	"ojud/ledger/brain"
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

// Tested compares a settled task with its right result, as the program does: right is what has its
// hash, or means the same by the outcome. It is none if no result is right.
func Tested(k *brain.TaskAccount, p brain.Parameters, answer [32]byte) (g Golden, ok bool) {
	counts := func(i int) bool {
		f := k.Finding.Facts[i]
		return k.Work[i].State == revealed && f.LowEffort == 0 && f.CopyOf == 0
	}
	clusters := map[uint8]bool{}
	for i, w := range k.Work[:k.Counts.Drawn] {
		if counts(i) && w.ResultHash == answer {
			ok = true
			clusters[k.Finding.Facts[i].Cluster] = true
		}
	}
	delete(clusters, 0)
	g = Golden{make([]Grade, k.Counts.Drawn), make([]Grade, k.Counts.Seated)}
	if !ok {
		return g, false
	}
	for i, w := range k.Work[:k.Counts.Drawn] {
		if counts(i) {
			g.Workers[i] = passed(w.ResultHash == answer || clusters[k.Finding.Facts[i].Cluster])
		}
	}
	for n, e := range k.Judges[:k.Counts.Seated] {
		var seen []reputation.Seen
		silent := false
		for i, w := range g.Workers {
			if w != Nothing {
				silent = silent || e.Said[i].Score == brain.Silent || e.Said[i].Confidence == 0
				seen = append(seen, reputation.Seen{Right: w == Passed, Score: int(e.Said[i].Score)})
			}
		}
		if e.State == revealed && k.Finding.Rubber[n] == 0 && reputation.Both(seen) {
			g.Evaluators[n] = passed(!silent && reputation.Tells(seen, int(p.Shares.Pass), int(p.Shares.Sigma)))
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
