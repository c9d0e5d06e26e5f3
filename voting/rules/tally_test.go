package rules

import (
	"math"
	"testing"

	"ojud/voting"
)

// equalSeats is a panel of n with so many accepts, rejects, abstentions; the rest is absent.
func equalSeats(n, accept, reject, abstain int) []voting.Seat {
	seats := make([]voting.Seat, n)
	for i := range seats {
		seats[i] = voting.Seat{Judge: fill(byte(i + 1)), Weight: 1_000}
		switch {
		case i < accept:
			seats[i].Choice = voting.Accept
		case i < accept+reject:
			seats[i].Choice = voting.Reject
		case i < accept+reject+abstain:
			seats[i].Choice = voting.Abstain
		}
		seats[i].Committed = seats[i].Choice != voting.NoChoice
		seats[i].Revealed = seats[i].Committed
	}
	return seats
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		n, accept, reject, abstain int
		want                       voting.Verdict
	}{
		{28, 28, 0, 0, voting.ForWorker},
		{28, 19, 9, 0, voting.ForWorker},   // seed 000: more than 66 %
		{28, 18, 10, 0, voting.ForCreator}, // 64.3 %
		{28, 0, 28, 0, voting.ForCreator},
		{28, 19, 0, 9, voting.ForWorker},
		{28, 18, 0, 10, voting.NoVerdict}, // 3·18 < 2·28
		{28, 13, 6, 9, voting.ForWorker},  // 68.4 % of those who took a side
		{28, 12, 7, 9, voting.ForCreator},
		{28, 0, 0, 28, voting.NoVerdict},
		{28, 0, 0, 0, voting.NoVerdict},
		{3, 2, 0, 0, voting.ForWorker}, // 3·2 = 2·3: exactly the quorum
		{3, 1, 1, 0, voting.ForCreator},
		{3, 1, 0, 0, voting.NoVerdict},
		{50, 33, 17, 0, voting.ForCreator}, // exactly 66 % is not more
		{50, 34, 16, 0, voting.ForWorker},
		{1, 1, 0, 0, voting.ForWorker},
	} {
		tally, err := Count(equalSeats(c.n, c.accept, c.reject, c.abstain))
		if err != nil {
			t.Fatal(err)
		}
		if got := tally.Verdict(); got != c.want {
			t.Errorf("%d accept, %d reject, %d abstain of %d: %s, want %s", c.accept, c.reject, c.abstain, c.n, got, c.want)
		}
	}
}

func TestEmptyTallyDecidesNothing(t *testing.T) {
	if (Tally{}).Quorum() || (Tally{}).Verdict() != voting.NoVerdict {
		t.Error("nobody decided something")
	}
}

func TestTallyAtTheLimits(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		t      Tally
		quorum bool
		passes bool
	}{
		{Tally{Accept: most, Seated: most}, true, true},
		{Tally{Reject: most, Seated: most}, true, false},
		{Tally{Accept: most / 2, Reject: most / 2, Seated: most}, true, false},
		{Tally{Accept: most/3*2 + 1, Seated: most}, true, true},
		{Tally{Accept: most/3*2 - 1, Seated: most}, false, true},
		{Tally{Accept: most, Reject: most, Seated: most}, false, false}, // cannot be: refused, not wrapped
	} {
		if c.t.Quorum() != c.quorum || c.t.Passes() != c.passes {
			t.Errorf("%+v: quorum %t, passes %t", c.t, c.t.Quorum(), c.t.Passes())
		}
	}
}

func TestCountLeavesOutEquivocators(t *testing.T) {
	seats := equalSeats(4, 2, 2, 0)
	seats[0].Equivocated = true
	tally, err := Count(seats)
	if want := (Tally{Accept: 1_000, Reject: 2_000, Seated: 4_000}); err != nil || tally != want {
		t.Errorf("%+v, %v, want %+v", tally, err, want)
	}
}

func TestCountErrors(t *testing.T) {
	if _, err := Count([]voting.Seat{{Weight: math.MaxUint64}, {Weight: 1}}); err == nil {
		t.Error("weights that overflow were counted")
	}
	if _, err := Count([]voting.Seat{{Weight: 1, Revealed: true}}); err == nil {
		t.Error("a reveal without a choice was counted")
	}
}

// fill returns a key of 32 equal bytes.
func fill(b byte) (k [32]byte) {
	for i := range k {
		k[i] = b
	}
	return k
}
