package megabrain

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/finding"
)

// TestAsked: a dispute about a budget that the court does not cover costs what the court asks for
// what it covers, and one below its least reward what it asks for that.
func TestAsked(t *testing.T) {
	p := program.Params{MinReward: 10}
	for _, c := range []struct {
		budget uint64
		cover  law.Cover
		want   uint64
	}{
		{100, law.Cover{}, 100},
		{100, law.Cover{Limited: true, Most: 200}, 100},
		{100, law.Cover{Limited: true, Most: 40}, 40},
		{100, law.Cover{Limited: true}, 10},
		{1, law.Cover{}, 10},
	} {
		if got := asked(c.budget, c.cover, p); got != c.want {
			t.Errorf("budget %d, %+v: %d, want %d", c.budget, c.cover, got, c.want)
		}
	}
}

// TestWorthPosting: an evaluator posts without a result that nobody saw, whatever the bond, because
// that is safe then. If half of the evaluators saw the result, or it gains nothing, it does not.
func TestWorthPosting(t *testing.T) {
	task := &brain.TaskAccount{Counts: brain.Counts{Workers: 3, Evaluators: 2, Drawn: 3, Seated: 2}, Marks: brain.Marks{Difficulty: 100}}
	task.Money = brain.Money{Budget: 10_000_000_000, WorkerStake: 500_000_000, EvaluatorStake: 300_000_000}
	found := finding.Assessment{Facts: []finding.Fact{{LowEffort: true}, {Complete: 10_000, Cluster: 2}, {Complete: 10_000, Cluster: 2}}, Stamped: make([]bool, 2)}
	for i := range 3 {
		task.Work[i].State = seatRevealed
	}
	for i := range 2 {
		task.Judges[i] = brain.Evaluator{Agent: onchain.Address{byte(i + 1)}, State: seatRevealed, Reputation: 5000}
		task.Judges[i].Said = [brain.MaxSeats]brain.Rating{{Score: brain.Silent}, {Score: 80, Confidence: 90}, {Score: 82, Confidence: 90}}
	}
	p := brain.Defaults()
	without := Found{Finding: found, absent: []int{0}}
	if !worthPosting(task, p, without, onchain.Address{1}) {
		t.Error("it does not post where it would get a tenth")
	}
	p.Bond = 10 * task.Money.Budget
	if !worthPosting(task, p, without, onchain.Address{2}) {
		t.Error("it fears for a bond that is safe")
	}
	for i := range task.Judges[:2] { // further ones are called
		task.Judges[i].Said[1].Score, task.Judges[i].Said[2].Score = 20, 20
	}
	if !worthPosting(task, p, without, onchain.Address{1}) {
		t.Error("it does not post where further evaluators are called")
	}
	for i := range task.Judges[:2] {
		task.Judges[i].Said[1].Score, task.Judges[i].Said[2].Score = 80, 80
	}
	found.Facts[2].Cluster = 3 // further workers are called
	if !worthPosting(task, p, without, onchain.Address{1}) {
		t.Error("it does not post where further workers are called")
	}
	found.Facts[2].Cluster = 2
	task.Judges[0].Said[0] = brain.Rating{Score: 80, Confidence: 90}
	if worthPosting(task, p, without, onchain.Address{2}) {
		t.Error("it posts without a result that another evaluator has seen")
	}
	task.Judges[0].Said[0].Score = brain.Silent
	if p.Shares.EvaluatorPool = 0; worthPosting(task, p, without, onchain.Address{1}) {
		t.Error("it posts for nothing")
	}
}

// TestSaysWithoutNodes: an evaluator that says which results mean the same needs no memory node for
// that. The document of the class is read for vectors alone.
func TestSaysWithoutNodes(t *testing.T) {
	d, s, node, _ := asking(t, "When?")
	node.down, s.Task.Counts.Drawn = true, 2
	for i := range s.Task.Work[:2] {
		s.Task.Work[i] = brain.WorkSeat{Agent: onchain.Address{byte(i + 1)}, State: seatRevealed}
	}
	same := fmt.Sprintf(`{"same":[[%q,%q]]}`, onchain.Address{1}, onchain.Address{2})
	if err := checkSays(t.Context(), d, s, []byte(same)); err != nil {
		t.Errorf("groups: %v", err)
	}
	if err := checkSays(t.Context(), d, s, []byte(fmt.Sprintf(`{"same":[[%q,%q]]}`, onchain.Address{1}, onchain.Address{9}))); err == nil {
		t.Error("a group with a stranger")
	}
	vectors := fmt.Sprintf(`{"vectors":{%q:[1,2]}}`, onchain.Address{1})
	if err := checkSays(t.Context(), d, s, []byte(vectors)); err == nil {
		t.Error("vectors that nobody can check")
	}
}

// TestOpinions: while there is time, an outcome that is open waits for the documents of all
// evaluators. In the last third, or if that is wanted, one that nobody has says nothing.
func TestOpinions(t *testing.T) {
	node := &shelf{kept: map[[32]byte][]byte{}}
	store := Folder{Dir: t.TempDir(), Archives: []Archive{node}}
	there := []byte(`{"same":[]}`)
	node.kept[sha256.Sum256(there)] = there
	k := &brain.TaskAccount{Counts: brain.Counts{Seated: 3}}
	k.Judges[0] = brain.Evaluator{State: seatRevealed, EvaluationHash: sha256.Sum256(there)}
	k.Judges[1] = brain.Evaluator{State: seatRevealed, EvaluationHash: [32]byte{5}}
	if _, err := store.opinions(t.Context(), k, false); !errors.Is(err, errNoContent) {
		t.Errorf("with a document that nobody has: %v", err)
	}
	for _, late := range []bool{false, true} {
		store.Late = late
		all, err := store.opinions(t.Context(), k, !late)
		if err != nil || len(all) != 3 || string(all[0]) != string(there) || all[1] != nil || all[2] != nil {
			t.Errorf("late %t: %q, %v", late, all, err)
		}
	}
}
