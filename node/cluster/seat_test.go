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

// TestListenAddr: nodes listen at the court's address, whichever family it is of, and the first
// alone at its port.
func TestListenAddr(t *testing.T) {
	for where, want := range map[string][2]string{
		"127.0.0.1:4700": {"/ip4/127.0.0.1/tcp/4700", "/ip4/127.0.0.1/tcp/0"}, "[2a00:77::a]:4700": {"/ip6/2a00:77::a/tcp/4700", "/ip6/2a00:77::a/tcp/0"},
		"localhost:4700": {}, "[fe80::1%eth0]:4700": {}, "127.0.0.1": {}, "127.0.0.1:70000": {},
	} {
		for i := range want {
			got, err := Config{P2P: where}.listenAddr(i + 1)
			if got != want[i] || (err == nil) != (want[i] != "") {
				t.Errorf("%s: node %d at %s, %v", where, i+1, got, err)
			}
		}
	}
}
