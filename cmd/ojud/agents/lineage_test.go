package agents

import (
	"fmt"
	"testing"

	"ojud/agent/host"
)

// TestLineages: each agent counts with all that descend from it, parents come first, and who was
// spawned by an agent that is not there begins a lineage.
func TestLineages(t *testing.T) {
	t.Parallel()
	one := func(id, parent string, life host.Life, calls, tokens int) host.Portrait {
		return host.Portrait{Agent: host.Agent{ID: id, Parent: parent, Life: life, Calls: calls, Tokens: tokens, Micros: uint64(tokens)}, Running: 1}
	}
	all := []host.Portrait{
		one("a", "", host.Running, 1, 10), one("b", "a", host.Terminated, 2, 20), one("c", "b", host.Dormant, 3, 30), one("d", "", host.Running, 4, 40),
		one("e", "gone", host.Running, 5, 50),
	}
	said := ""
	for _, d := range lineages(all, "") {
		said += fmt.Sprint(d.Agent, d.Depth, d.Agents, d.Living, d.Calls, d.Running, d.Tokens, d.Micros, ";")
	}
	if want := "a0 3 2 6 3 60 60;b1 2 1 5 2 50 50;c2 1 1 3 1 30 30;d0 1 1 4 1 40 40;e0 1 1 5 1 50 50;"; said != want {
		t.Errorf("%s, not %s", said, want)
	}
	if only := lineages(all, "b"); len(only) != 2 || only[0].Tokens != 50 {
		t.Errorf("%+v", only)
	}
	if none := lineages(all, "x"); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}
