package hearing

import (
	"reflect"
	"testing"

	"ojud/ledger/program"
	"ojud/voting"
)

// TestBenchesOfLateProof: a judge that was settled as absent, and later convicted of two
// statements, loses for both.
func TestBenchesOfLateProof(t *testing.T) {
	r := New()
	r.settled = []*program.RoundSettled{
		{Round: 1, Seats: []program.SeatSettled{{Result: voting.Equivocated, Slashed: 30}, {Result: voting.Voted, Earned: 1}}},
		{Round: 2, Seats: []program.SeatSettled{{Result: voting.Absent, Slashed: 1}, {Result: voting.Majority, Earned: 5}}},
	}
	r.slashed = []*program.Slashed{{Round: 1, Amount: 30}, {Round: 2, Amount: 199}}
	last := &program.Case{}
	last.Seats = append(last.Seats, program.Seat{Result: voting.Equivocated, Slashed: 200}, program.Seat{Result: voting.Majority, Earned: 204})
	want := []Bench{{Result: "majority", Seats: 1, Earned: 204}, {Result: "equivocated", Seats: 2, Slashed: 230}, {Result: "voted", Seats: 1, Earned: 1}}
	if got := r.Benches(last); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
