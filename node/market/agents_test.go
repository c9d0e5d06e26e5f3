package market

import (
	"errors"
	"fmt"
	"testing"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
)

// TestAgents: agents stand by their record. One good deed is worth less than forty, and an agent
// without a record stands above one with a bad record.
func TestAgents(t *testing.T) {
	t.Parallel()
	f := &fake{}
	for i, a := range []program.Agent{{TasksMissed: 3, TasksPaid: 1}, {}, {TasksPaid: 1}, {TasksPaid: 38, CasesWon: 2}, {TasksPaid: 40, CasesLost: 40}, {RegisteredAt: -1}} {
		a.Authority = onchain.Address{byte(i)}
		f.agents = append(f.agents, &ledger.Account{Data: a.Encode()})
	}
	f.agents = append(f.agents, &ledger.Account{Data: make([]byte, program.AgentSize)})
	d, err := New(f, nil).Agents(t.Context())
	if err != nil || d.Left != 0 {
		t.Fatal(err, d.Left)
	}
	var order []byte
	for _, a := range d.Agents {
		order = append(order, a.Authority[0])
	}
	if want := "[3 2 4 5 1 0]"; fmt.Sprint(order) != want {
		t.Errorf("%v, want %s", order, want)
	}
	f.fault = errors.New("lists are refused")
	if _, err := New(f, nil).Agents(t.Context()); !errors.Is(err, f.fault) {
		t.Error(err)
	}
}
