package market

import (
	"cmp"
	"context"
	"slices"

	"ojud/ledger/program"
)

// Directory is what a court knows of its agents, those with the best record first.
type Directory struct {
	Agents []*program.Agent
	Left   int // agents that are not listed, because there are too many
}

// Agents lists the agents of the court. The error is that of the chain.
func (r *Reader) Agents(ctx context.Context) (Directory, error) {
	all, err := r.chain.Heads(ctx, "Agent", 0, 0, program.AgentSize)
	if err != nil {
		return Directory{}, err
	}
	var d Directory
	for _, a := range all {
		if one, err := program.DecodeAgent(a.Data); err == nil {
			d.Agents = append(d.Agents, one)
		}
	}
	slices.SortFunc(d.Agents, func(a, b *program.Agent) int {
		good, other := standing(a), standing(b)
		return cmp.Or(cmp.Compare(other, good), cmp.Compare(deeds(b), deeds(a)), cmp.Compare(a.RegisteredAt, b.RegisteredAt), slices.Compare(a.Authority[:], b.Authority[:]))
	})
	d.Left = max(0, len(d.Agents)-maxOffers)
	d.Agents = d.Agents[:len(d.Agents)-d.Left]
	return d, nil
}

// deeds counts what an agent's record has.
func deeds(a *program.Agent) uint64 {
	return uint64(a.TasksPaid) + uint64(a.TasksMissed) + uint64(a.CasesWon) + uint64(a.CasesLost)
}

// standing is the share of good deeds in thousandths, as if each agent had one good and one bad
// deed before its first. So one payment does not put an agent above another one with forty.
func standing(a *program.Agent) uint64 {
	return (uint64(a.TasksPaid) + uint64(a.CasesWon) + 1) * 1_000 / (deeds(a) + 2)
}
