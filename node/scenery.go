package node

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/model"
	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/datasource/exchange"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/agents"
	"ojud/node/brainview"
	"ojud/node/console"
	"ojud/node/market"
	"ojud/node/network"
	"ojud/node/status"
	"ojud/voting"
)

// scenery shows a node to its pages.
type scenery struct {
	n       *Node
	checker status.Checker
	market  *market.Reader
	agents  *agents.Index
	models  func() []model.Health
	claims  *network.Claims
	brain   *brainview.TaskReader
	setting string // who runs the court's judges; empty: nobody says so
}

// Findings implements console.Scenery.
func (s scenery) Findings(ctx context.Context) ([]status.Finding, error) { return s.checker.Run(ctx) }

// Rules implements console.Scenery.
func (s scenery) Rules(ctx context.Context) (*law.Rules, error) { return s.n.chain.Law(ctx) }

// Court implements console.Scenery.
func (s scenery) Court() console.Court {
	c := console.Court{State: s.n.reporter.Status(), Self: s.n.home.Keys.Judge(), Chain: onchain.Hash(s.n.domain.Network), Roster: s.n.roster.Now(), Links: s.links(), Setting: s.setting}
	followed := s.n.Reader.Tasks()
	for task := range followed {
		c.Cases = append(c.Cases, task)
	}
	for _, m := range s.models() {
		c.Models = append(c.Models, console.Model{
			Name: m.Name, Family: m.Family, Median: m.Median, Resting: m.Resting, Failing: m.Failing, Last: m.Used.Last, Cases: m.Used.Cases,
			Answered: m.Used.Answered, Failed: m.Used.Failed, Tokens: m.Used.Cost.Prompt + m.Used.Cost.Completion, Cost: m.Used.Cost.Cost,
		})
	}
	kept, err := s.n.journal.Events().Archived()
	if err != nil {
		c.State.Problems = append(c.State.Problems, "the cases that are over cannot be listed: "+err.Error())
	}
	for _, task := range kept {
		if _, known := followed[task]; !known {
			c.Cases = append(c.Cases, task)
		}
	}
	return c
}

// links returns the hosts that announce themselves as judges, with their stake if they have one.
func (s scenery) links() (out []console.Link) {
	linked := map[peer.ID]bool{}
	for _, p := range s.n.host.Peers() {
		linked[p] = true
	}
	staked := map[peer.ID]string{} // node to authority
	if roster := s.n.roster.Now(); roster != nil {
		for _, e := range roster.Entries {
			if p, err := network.PeerOf(e.Peer); err == nil && e.State == program.EntryActive {
				staked[p] = e.Authority.String()
			}
		}
	}
	for _, j := range s.n.host.Directory().Judges() {
		l := console.Link{
			Peer: j.ID.String(), Judge: j.Authority, Family: j.ModelFamily, Dimension: j.Dimension, Version: j.Version,
			Linked: linked[j.ID], Own: j.ID == s.n.host.ID(), Staked: j.Authority != "" && staked[j.ID] == j.Authority,
		}
		l.RPC = j.RPCURLs
		for _, source := range j.Sources {
			l.Sources = append(l.Sources, source.Name)
		}
		out = append(out, l)
	}
	return out
}

// Claims implements console.Scenery.
func (s scenery) Claims() map[string][]string {
	if s.claims == nil {
		return nil
	}
	out := map[string][]string{}
	for p, links := range s.claims.Said() {
		for _, to := range links {
			out[p.String()] = append(out[p.String()], to.String())
		}
	}
	return out
}

// Market implements console.Scenery.
func (s scenery) Market(ctx context.Context) (market.Market, error) { return s.market.Latest(ctx) }

// Agents implements console.Scenery.
func (s scenery) Agents(ctx context.Context) (agents.Directory, error) { return s.agents.Read(ctx) }

// Brain implements console.Scenery.
func (s scenery) Brain() console.Thoughts { return s.brain }

// Requests implements console.Scenery.
func (s scenery) Requests(context.Context) (out []console.DataRequest, err error) {
	all, _, err := exchange.ReadLog(s.n.home.Path(exchange.LogFile), exchange.Filter{})
	for _, e := range all {
		one := console.DataRequest{At: e.Time, Source: e.Source, Judge: voting.Key(e.Judge), Case: voting.Key(e.Case), Result: e.Result, Took: time.Duration(e.Took) * time.Millisecond, Price: e.Price}
		if e.Result == exchange.Answered {
			one.Result = console.Answered
		}
		out = append(out, one)
	}
	return out, err
}

// Still implements console.Scenery.
func (s scenery) Still() string { return s.n.reporter.Still() }

// Glance implements console.Scenery.
func (s scenery) Glance(task voting.Key) (picture.Scene, bool) {
	look, terms, ok := s.n.Reader.Glance(task)
	if !ok {
		return picture.Scene{}, false
	}
	out := s.scene()
	out.Look = look
	if terms != nil {
		out.Terms = termsOf(terms)
	}
	return out, true
}

// scene returns what all scenes have.
func (s scenery) scene() picture.Scene {
	return picture.Scene{
		Now: s.n.chain.at(), Self: s.n.home.Keys.Judge(), Whose: "this node", Links: true,
		Content: func(hash casefile.Digest) ([]byte, error) { return s.n.blobs.Blob(voting.Hash(hash)) },
	}
}

// Case implements console.Scenery.
func (s scenery) Case(task voting.Key) (picture.Scene, error) {
	seen, err := s.n.Reader.Sight(task)
	if err != nil {
		return picture.Scene{}, err
	}
	out := s.scene()
	out.Look, out.Record, out.Archived = seen.Look, seen.Record, seen.Archived
	if seen.Terms != nil {
		out.Terms = termsOf(seen.Terms)
	}
	return out, nil
}

// Export implements console.Scenery.
func (s scenery) Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	return s.n.Reader.Export(ctx, task)
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
		ClaimBond: casefile.Amount(t.ClaimBond), OnUndecided: casefile.OnUndecided(t.OnUndecided), TradeBps: t.TradeBps, Reworks: t.Reworks, Prepaid: t.IsDispute(),
	}
}
