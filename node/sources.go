package node

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/p2p"
	"ojud/voting"
)

// provideEvery is how often the DHT is told what sources are here; records live for two days.
const provideEvery = 10 * time.Hour

// maxAnnounced is how many sources an announcement has room for (p2p).
const maxAnnounced = 32

// openSources opens the book of the home, the desk from which the judge asks, and the holder that answers peers.
func (n *Node) openSources() (err error) {
	n.book, err = datasource.New(n.cfg.Sources, datasource.Deps{Log: n.log, Metrics: n.deps.Metrics, Home: n.home.Dir, RPC: n.cfg.Ledger.RPC, Open: n.deps.Upstream})
	if err != nil {
		return err
	}
	if n.asked, err = exchange.OpenLog(n.home.Path(exchange.LogFile), n.cfg.Data.Log, n.log); err != nil {
		return err
	}
	if err := n.openPayments(); err != nil {
		return err
	}
	self := casefile.DID(n.home.Keys.Peer())
	clock := func() int64 { return at(n.client) }
	sign := func(r casefile.Receipt) (casefile.Receipt, error) { return r.Sign(n.home.Keys.node) }
	n.holder, err = exchange.NewHolder(n.cfg.Data.Holder, exchange.HolderDeps{
		Self: self, Domain: n.domain, Book: n.book, Authority: authority{n}, Sign: sign, Clock: clock, Keep: n.keepAnswer, Asked: n.asked,
		Till: n.till, Debts: n.till, Log: n.log, Metrics: n.deps.Metrics,
	})
	if err != nil {
		return err
	}
	n.desk, err = exchange.NewDesk(n.cfg.Data.Desk, exchange.DeskDeps{
		Self: self, Domain: n.domain, Book: n.book, Sign: sign, Finder: finder{n}, Sharer: sharer{n}, Dial: n.dialData, Blobs: n.blobs, Clock: clock,
		Blame: n.blameHolder, Purse: n.purse, Log: n.log, Metrics: n.deps.Metrics,
	})
	return err
}

// profile is what this node announces. Only the cards that it announces are kept from being evicted.
func (n *Node) profile() p2p.Profile {
	if err := n.blobs.Unpin(n.home.Keys.Peer()); err != nil {
		n.log.Warn("cards of former sources stay pinned", "err", err)
	}
	p := p2p.Profile{Authority: n.home.Keys.Authority.Address().String(), ModelFamily: n.chair.Family, Dimension: n.chair.Dimension, Version: version()}
	for _, card := range n.book.Cards() {
		hash, err := n.keepCard(card)
		if err != nil {
			n.log.Warn("a source is not announced", "source", card.Name, "err", err)
			continue
		}
		if len(p.Sources) == maxAnnounced {
			n.log.Warn("there is room for 32 sources in an announcement; the rest is found by the DHT and on request", "source", card.Name)
			break
		}
		p.Sources = append(p.Sources, p2p.Source{Kind: "tool", Name: card.Name, SchemaHash: hex.EncodeToString(hash[:])})
	}
	return p
}

// keepCard makes the card of a source content that peers can get.
func (n *Node) keepCard(card datasource.Card) (voting.Hash, error) {
	raw, err := card.Encode()
	if err != nil {
		return voting.Hash{}, err
	}
	hash, err := n.blobs.Put(raw)
	if err != nil {
		return voting.Hash{}, err
	}
	return hash, n.blobs.Pin(n.home.Keys.Peer(), hash)
}

// offerSources tells the network what is here, whenever that changes.
func (n *Node) offerSources(ctx context.Context) error {
	for {
		for _, card := range n.book.Cards() {
			if err := n.host.Provide(ctx, sourceKey(card.Name)); err != nil {
				n.log.Debug("source not provided", "source", card.Name, "err", err)
			}
		}
		for name, err := range n.book.Broken() {
			n.log.Warn("a source file cannot be used", "source", name, "err", err)
		}
		n.spawn(ctx, n.adviseSeller)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(provideEvery):
		case <-n.book.Changes():
			if err := n.host.Registry().Announce(n.profile()); err != nil {
				return fmt.Errorf("node: announcing sources: %w", err)
			}
		}
	}
}

// keepAnswer keeps what this node answers as a holder, for the case file. A promise about retention binds: then there is no content.
func (n *Node) keepAnswer(_ context.Context, k exchange.Kept) error {
	task := voting.Key(k.Receipt.Case)
	var hashes []voting.Hash
	for _, content := range [][]byte{k.Request, k.Response, k.Terms} {
		if content == nil {
			continue
		}
		hash, err := n.blobs.Put(content)
		if err != nil {
			return err
		}
		hashes = append(hashes, hash)
	}
	if err := n.blobs.Pin(task, hashes...); err != nil {
		return err
	}
	if c := n.docket.find(task); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.given) < maxGiven {
			c.given = append(c.given, k.Receipt)
		}
	}
	return nil
}

// maxGiven bounds the answers of this node that a case file names: an actor has 256 events in a case.
const maxGiven = 128
