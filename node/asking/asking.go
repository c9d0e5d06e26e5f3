// Package asking asks the holders of data sources for agents and people that run no node: workers
// and creators of a task, registered agents, and anybody whom the terms of a source allow. It joins
// the network of a court for one question, by the asker's own key.
package asking

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/ledger/looks"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/evidence"
	"ojud/node/library"
	"ojud/p2p/directory"
	"ojud/p2p/identity"
)

// ErrNoSecret means that the key signs somewhere else, so that no host can have it.
var ErrNoSecret = errors.New("asking: holders know the asker by its key, and this one is not in a file here")

// maxHolders bounds the nodes with which a question connects.
const maxHolders = 32

// Ask asks holders of a source by a key, or only one of them. Query.Case is a task whose creator or
// worker the key is, or empty. It costs nothing: holders that want money do not answer.
func Ask(ctx context.Context, c *client.Client, key *client.Keypair, q evidence.Query, only *casefile.DID, log *slog.Logger) (r evidence.QueryResult, err error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	seed, here := key.Seed()
	if !here {
		return r, ErrNoSecret
	}
	id, err := identity.FromSeed(seed)
	if err != nil {
		return r, err
	}
	o := evidence.Outsider{Key: id.Ed25519(), Data: exchange.DefaultRequesterConfig(), Log: log}
	if o.Domain, err = c.Network().Domain(); err != nil {
		return r, err
	}
	if o.Clock, err = clock(ctx, c); err != nil {
		return r, err
	}
	if o.Judges, err = judges(ctx, c); err != nil {
		return r, err
	}
	l, err := library.OpenAs(ctx, c.Network(), id, library.DefaultConfig(), library.Deps{Logger: log})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.Learn(ctx, wanted(q.Source, only)); err != nil {
		return r, err
	}
	o.Host, o.Fetch = l.Host(), l.FetchFrom
	return o.Query(ctx, q, only)
}

// wanted chooses the nodes that may answer: those that announce the source, or the one.
func wanted(source string, only *casefile.DID) func(directory.Judge) bool {
	found := 0
	return func(j directory.Judge) bool {
		ok := only != nil && j.DID == only.String()
		for _, s := range j.Sources {
			ok = ok || only == nil && s.Name == source
		}
		if ok {
			found++
		}
		return ok && found <= maxHolders
	}
}

// clock returns the chain's clock, which goes on by that of this machine.
func clock(ctx context.Context, c *client.Client) (func() int64, error) {
	all, _, err := client.OfficeOf(c).Accounts(ctx, onchain.ClockAccount())
	switch {
	case err != nil:
		return nil, err
	case all[0] == nil:
		return nil, errors.New("asking: the chain has no clock")
	}
	now, err := looks.DecodeClock(all[0].Data)
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	at := time.Now()
	return func() int64 { return now.Unix + int64(time.Since(at)/time.Second) }, nil
}

// judges returns the nodes of the judges on the Roster.
func judges(ctx context.Context, c *client.Client) (map[casefile.DID]casefile.Address, error) {
	all, err := c.Judges(ctx)
	if err != nil {
		return nil, err
	}
	out := map[casefile.DID]casefile.Address{}
	for _, j := range all {
		var node casefile.DID
		judge, err := casefile.ParseAddress(j.Judge)
		if err := errors.Join(err, node.UnmarshalText([]byte(j.NodeID))); err != nil {
			return nil, fmt.Errorf("asking: judge %s: %w", j.Judge, err)
		}
		out[node] = judge
	}
	return out, nil
}
