package cluster

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// TestBenchesOfLateProof: a judge that was settled as absent, and later convicted of two
// statements, loses for both.
func TestBenchesOfLateProof(t *testing.T) {
	r := newRecord()
	r.settled = []*program.RoundSettled{
		{Round: 1, Seats: []program.SeatSettled{{Result: voting.Equivocated, Slashed: 30}, {Result: voting.Voted, Earned: 1}}},
		{Round: 2, Seats: []program.SeatSettled{{Result: voting.Absent, Slashed: 1}, {Result: voting.Majority, Earned: 5}}},
	}
	r.slashed = []*program.Slashed{{Round: 1, Amount: 30}, {Round: 2, Amount: 199}}
	last := &program.Case{}
	last.Seats = append(last.Seats, program.Seat{Result: voting.Equivocated, Slashed: 200}, program.Seat{Result: voting.Majority, Earned: 204})
	want := []Bench{{Result: "majority", Seats: 1, Earned: 204}, {Result: "equivocated", Seats: 2, Slashed: 230}, {Result: "voted", Seats: 1, Earned: 1}}
	if got := r.benches(last); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestUnknownSeat: an absent judge whose name cannot be read is named by its seat.
func TestUnknownSeat(t *testing.T) {
	client, err := ledger.New(ledger.DefaultConfig(), programID(), ledger.Deps{Transport: deaf{}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	teller := &teller{client: client, panels: map[onchain.Address]*panel{}}
	settled := &program.RoundSettled{Round: 1, Seats: []program.SeatSettled{{Result: voting.Majority}, {Result: voting.Absent, Slashed: 5_000_000}}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	lines := teller.lines(ctx, ledger.Occurred{}, settled)
	if len(lines) != 2 || lines[1].Text != "The judge in seat 2 was absent and loses 0.005 SOL of its stake." {
		t.Fatalf("%+v", lines)
	}
	if judge, ok := lines[1].Data.(map[string]any)["judge"]; ok {
		t.Errorf("judge %v", judge)
	}
}

// deaf is an RPC node that does not answer.
type deaf struct{}

func (deaf) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("no answer") }
