package node

import (
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/console"
	"ojud/voting"
)

// scenery shows a node to its pages.
type scenery struct{ n *Node }

// Court implements console.Scenery.
func (s scenery) Court() console.Court {
	c := console.Court{
		Name: s.n.home.Descriptor.Name, Self: s.n.home.Keys.Judge(), Now: s.n.chain.at(), Roster: s.n.roster.Now(), Peers: len(s.n.host.Peers()),
		Problems: s.n.reporter.Status().Problems,
	}
	followed := s.n.Reader.Tasks()
	for task := range followed {
		c.Cases = append(c.Cases, task)
	}
	kept, err := s.n.journal.Events().Archived()
	if err != nil {
		c.Problems = append(c.Problems, "the cases that are over cannot be listed: "+err.Error())
	}
	for _, task := range kept {
		if _, known := followed[task]; !known {
			c.Cases = append(c.Cases, task)
		}
	}
	return c
}

// Case implements console.Scenery.
func (s scenery) Case(task voting.Key) (console.Scene, error) {
	seen, err := s.n.Reader.Sight(task)
	if err != nil {
		return console.Scene{}, err
	}
	out := console.Scene{
		Look: seen.Look, Record: seen.Record, Now: s.n.chain.at(), Self: s.n.home.Keys.Judge(), Whose: "this node",
		Content: func(hash casefile.Digest) ([]byte, error) { return s.n.blobs.Blob(voting.Hash(hash)) },
	}
	if seen.Terms != nil {
		out.Terms = termsOf(seen.Terms)
	}
	return out, nil
}

// Changed implements console.Scenery.
func (s scenery) Changed() <-chan struct{} { return s.n.Reader.Changed() }

// termsOf returns the terms of a task that its account shows now. Those of the record have the
// bonds as they were, which the account gives up when the case is over.
func termsOf(t *program.Task) *casefile.TaskTerms {
	return &casefile.TaskTerms{
		Creator: casefile.Address(t.Creator), Worker: casefile.Address(t.Worker), ID: t.ID,
		TaskHash: casefile.Digest(t.TaskHash), ResultHash: casefile.Digest(t.ResultHash),
		ObjectionHash: casefile.Digest(t.ObjectionHash), CounterHash: casefile.Digest(t.CounterHash),
		Reward: casefile.Amount(t.Reward), CreatorBond: casefile.Amount(t.CreatorBond), WorkerBond: casefile.Amount(t.WorkerBond),
		ClaimBond: casefile.Amount(t.ClaimBond), OnUndecided: casefile.OnUndecided(t.OnUndecided), TradeBps: t.TradeBps,
	}
}
