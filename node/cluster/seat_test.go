package cluster

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/cluster/genesis"
	"ojud/voting"
)

// TestUnknownSeat: an absent judge whose name cannot be read is named by its seat.
func TestUnknownSeat(t *testing.T) {
	client, err := ledger.New(ledger.DefaultConfig(), genesis.Court(), ledger.Deps{Transport: deaf{}})
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
