package client

import (
	"context"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger/law"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/advice"
	"ojud/node/client/owned"
	"ojud/node/library"
	"ojud/node/network"
	"ojud/voting"
)

// ReviewOffer reviews a task that is not posted yet. Its document was read by TaskFile.
func (c *Client) ReviewOffer(ctx context.Context, doc library.Document, terms Offer) (advice.Review, error) {
	i, err := terms.instruction(doc.Hash, 0)
	if err != nil {
		return advice.Review{}, err
	}
	rules, err := law.Read(ctx, c.chain)
	if err != nil {
		return advice.Review{}, err
	}
	t := &program.Task{
		Creator: c.self, RewardMin: i.RewardMin, OnUndecided: i.OnUndecided, WorkSeconds: i.WorkSeconds,
		Engine: i.Engine, EngineGroup: i.EngineGroup, EngineAgent: i.EngineAgent, EngineFee: i.EngineFee, EngineSeconds: i.EngineSeconds, OnSilence: i.OnSilence,
	}
	r := dealOf(t, rules.Now.Params)
	r.Refused, _ = refusal(t, rules.Now.Params, []Trust{{Decider: deciderOf(t)}})
	r.Otherwise = "give it other terms, because the clients of workers refuse these by default"
	err = c.Complete(ctx, doc.Content, &r, c.self)
	return r.ForCreator(), err
}

// dealOf reads the terms of a task.
func dealOf(t *program.Task, p program.Params) advice.Deal {
	r := advice.Deal{Creator: casefile.Address(t.Creator), Undecided: t.OnUndecided, Work: span(t.WorkSeconds), Final: p.AppealSeconds == 0}
	if v := viewEngine(t); v != nil {
		r.Engine = &advice.ForeignEngine{Name: v.Engine, Agent: v.Agent, Time: span(v.Seconds), ByTerms: t.OnSilence == program.EndByTerm}
		if v.Fee > 0 {
			r.Engine.Fee = v.Fee.String()
		}
	}
	return r
}

// ReviewTask reviews a task on the chain, for a worker that trusts some engines. Its document comes
// from nodes.
func (c *Client) ReviewTask(ctx context.Context, task onchain.Address, trusted ...Trust) (advice.Review, error) {
	t, err := c.task(ctx, task)
	if err != nil {
		return advice.Review{}, err
	}
	rules, err := law.Version(ctx, c.chain, t.Rules)
	if err != nil {
		return advice.Review{}, err
	}
	r := dealOf(t, rules.Params)
	r.Refused, r.Otherwise = refusal(t, rules.Params, trusted)
	r.Readers = -1
	raw, err := c.Fetch(ctx, t.TaskHash)
	if err != nil && ctx.Err() != nil {
		return advice.Review{}, ctx.Err()
	}
	r.Unreadable = err
	err = c.Complete(ctx, raw, &r, c.self, t.Creator, t.CreatorOperator)
	return r.ForWorker(), err
}

// Complete adds the document, the judges, and what the judges announce: who has the task's sources
// and, if Readers is not negative, who reads. The parties do not count.
func (c *Client) Complete(ctx context.Context, raw []byte, r *advice.Deal, parties ...onchain.Address) error {
	var doc casefile.Doc[casefile.Task]
	if r.Unreadable == nil {
		doc, r.Unreadable = casefile.ParseTask(raw)
	}
	roster, _, err := c.chain.Roster(ctx)
	if err != nil {
		return err
	}
	if r.Data, err = owned.Read(ctx, c.chain, doc.Value); err != nil {
		return err
	}
	active := func(is func(*program.RosterEntry) bool) (count int) {
		for i := range roster.Entries {
			if e := &roster.Entries[i]; e.State == program.EntryActive && is(e) && !party(e, parties) {
				count++
			}
		}
		return count
	}
	r.Doc, r.Sources = doc.Value, []advice.SourceHolders{}
	r.Judges = active(func(*program.RosterEntry) bool { return true })
	announced := func(ask func(*library.Library) ([]peer.ID, bool, error)) (int, error) {
		l, err := c.Library(ctx)
		if err != nil {
			return -1, ctx.Err() // the review says that no node could be asked
		}
		peers, known, err := ask(l)
		if err != nil || !known {
			return -1, err
		}
		has := map[voting.Key]bool{}
		for _, p := range peers {
			if key, err := network.KeyOf(p); err == nil {
				has[key] = true
			}
		}
		return active(func(e *program.RosterEntry) bool { return has[e.Peer] }), nil
	}
	for _, name := range doc.Value.DataSources {
		n, err := announced(func(l *library.Library) ([]peer.ID, bool, error) { return l.Holders(ctx, name) })
		if err != nil {
			return err
		}
		r.Sources = append(r.Sources, advice.SourceHolders{Source: name, Staked: n})
	}
	if r.Readers < 0 {
		return nil
	}
	r.Readers, err = announced(func(l *library.Library) ([]peer.ID, bool, error) { return l.Readers(ctx) })
	return err
}

// party reports whether a judge is one of some people, or is run by one.
func party(e *program.RosterEntry, people []onchain.Address) bool {
	for _, p := range people {
		if !p.IsZero() && (e.Authority == p || e.Operator == p) {
			return true
		}
	}
	return false
}
