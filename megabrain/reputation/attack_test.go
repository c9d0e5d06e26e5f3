package reputation_test

import (
	"testing"

	"ojud/megabrain/reputation"
)

// TestAttackStrangerVouches: a stranger that vouched with one lamport kept a sponsor away, and a
// veteran that it vouched for could vouch for none.
func TestAttackStrangerVouches(t *testing.T) {
	b, role := book(), reputation.Evaluator
	proven(b, "veteran", role, "law", 50)
	for _, agent := range []string{"newcomer", "veteran"} {
		if err := b.Vouch("stranger", agent, role, 0, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	before := b.Value("newcomer", role, "law", 0)
	vouch(t, b, "veteran", "newcomer", 0)
	if after := b.Value("newcomer", role, "law", 0); after <= before {
		t.Errorf("%d, and %d with a sponsor", before, after)
	}
	if b.Agree("stranger", "newcomer", role, 0) == nil || b.Agree("another", "veteran", role, 0) == nil {
		t.Error("a second voucher, or one that was not offered")
	}
	if ends, err := b.Release("stranger", "veteran", role, 0); err != nil || ends != 0 {
		t.Errorf("an offer ends at %d: %v", ends, err)
	}
	if b.Agree("stranger", "veteran", role, 0) == nil {
		t.Error("an offer that ended is taken")
	}
}

// TestAttackAlarmDiluted: an evaluator failed each golden task of one class, and passed three each
// time in a class of its own. It was never found in 400.
func TestAttackAlarmDiluted(t *testing.T) {
	b, stamped := book(), 0
	for i := range int64(400) {
		if b.Golden("eve", reputation.Evaluator, "dear", i, false) {
			stamped++
		}
		for range 3 {
			b.Golden("eve", reputation.Evaluator, "own", i, true)
		}
	}
	if stamped != 100 {
		t.Errorf("it stamped %d times in 400 golden tasks", stamped)
	}
}

// TestAttackRestoredElsewhere: five tasks in a class of its own restored a worker that made no
// effort in another.
func TestAttackRestoredElsewhere(t *testing.T) {
	b := reputation.New(reputation.Defaults(), map[string][]string{"near": {"dear"}})
	proven(b, "bob", reputation.Worker, "dear", 60)
	b.Outcome("bob", reputation.Worker, "dear", 0, reputation.LowEffort)
	for range 5 {
		b.Outcome("bob", reputation.Worker, "own", 0, reputation.Good)
	}
	for _, class := range []string{"dear", "near"} {
		if v := b.Value("bob", reputation.Worker, class, 0); v != 1000 {
			t.Errorf("%d in %s", v, class)
		}
	}
	for range 5 {
		b.Outcome("bob", reputation.Worker, "dear", 0, reputation.Good)
	}
	if v := b.Value("bob", reputation.Worker, "dear", 0); v < 8000 {
		t.Errorf("%d after five tasks of the class", v)
	}
}

// TestAttackReleasedInTime: one who vouched took stake and share back when the alarm was at nine of
// ten, and lost nothing by the next golden task.
func TestAttackReleasedInTime(t *testing.T) {
	b, role := book(), reputation.Evaluator
	vouch(t, b, "ann", "eve", 0)
	for i := range int64(3) {
		b.Golden("eve", role, "law", i, false)
	}
	ends, err := b.Release("ann", "eve", role, 3)
	if err != nil || ends != 3+30*day {
		t.Fatalf("it ends at %d: %v", ends, err)
	}
	if again, err := b.Release("ann", "eve", role, 9); again != ends || err != nil {
		t.Errorf("ended again, it ends at %d: %v", again, err)
	}
	if !b.Golden("eve", role, "law", 4, false) || len(b.Forfeits()) != 1 {
		t.Errorf("forfeits: %+v", b.Forfeits())
	}
	vouch(t, b, "ann", "zoe", 5)
	if ends, err = b.Release("ann", "zoe", role, 5); err != nil {
		t.Fatal(err)
	}
	b.Outcome("zoe", role, "law", ends, reputation.Lost)
	if len(b.Forfeits()) != 1 {
		t.Errorf("after its end: %+v", b.Forfeits())
	}
}
