package braindemo

import (
	"context"
	"fmt"

	"ojud/node/client"
	"ojud/node/megabrain"
)

// report reads what each agent got.
func (p *play) report(ctx context.Context, r *Played) error {
	s, err := p.requester.desk.Task(ctx, p.at)
	if err != nil {
		return err
	}
	found, err := p.requester.desk.Find(ctx, p.at, false)
	if err != nil {
		return err
	}
	t := s.Task
	r.Status, r.Budget, r.Paid, r.Slashed = t.Status.String(), client.Lamports(t.Money.Budget), client.Lamports(t.Money.Paid), client.Lamports(t.Money.Slashed)
	for _, a := range p.agents {
		e := Earned{Name: a.name, Manner: a.manner, Honest: a.honest, Bonds: a.bonds, Role: "worker"}
		for i, w := range t.Work[:t.Counts.Drawn] {
			if w.Agent.String() == a.client.Me() {
				e.Paid, e.Slashed, e.Why = client.Lamports(w.Paid), client.Lamports(w.Slashed), p.because(found, i)
			}
		}
		for i, j := range t.Judges[:t.Counts.Seated] {
			if j.Agent.String() == a.client.Me() {
				e.Role, e.Paid, e.Slashed, e.Why = "evaluator", client.Lamports(j.Paid), client.Lamports(j.Slashed), "it agreed with the others about what counts"
				if found.Finding.Stamped[i] {
					e.Why = "it passed a result without effort, and said the same of all"
				}
			}
		}
		switch {
		case a.bonds > 0:
			e.Why += "; the court accepted the outcome that it brought, so the bond of the other is its own"
		case a.bonds < 0:
			e.Why += "; the outcome that it posted was false, so its bond is lost"
		}
		r.Agents = append(r.Agents, e)
	}
	return nil
}

// because says why a worker has what it has, by the names of the agents.
func (p *play) because(f megabrain.Found, i int) string {
	fact, alike := f.Finding.Facts[i], 0
	for _, other := range f.Finding.Facts {
		if fact.Cluster > 0 && other.Cluster == fact.Cluster {
			alike++
		}
	}
	switch {
	case fact.CopyOf > 0:
		return "it handed in the result of " + p.named(f.Workers[fact.CopyOf-1]) + " but for a word, and later"
	case alike > 1:
		return fmt.Sprintf("%d results mean what its result means", alike)
	case fact.Cluster > 0:
		return "no other result means what its result means"
	}
	return fact.Why
}

func (p *play) named(address string) string {
	for _, a := range p.agents {
		if a.client.Me() == address {
			return a.name
		}
	}
	return address
}
