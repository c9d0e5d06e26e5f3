package evidence

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"ojud/datasource"
	"ojud/ledger/journal/blob"
	"ojud/p2p/directory"
	"ojud/voting"
)

// provideEvery is the interval at which the DHT is told of this node's sources. Its records live
// for two days.
const provideEvery = 10 * time.Hour

// maxAnnounced bounds the sources of an announcement (p2p).
const maxAnnounced = 32

// profile returns the announcement of this node. Only the announced cards are pinned, so that they
// are not evicted.
func (e *Evidence) profile() directory.Profile {
	if err := e.d.Blobs.Unpin(voting.Key(e.self)); err != nil {
		e.d.Log.Warn("cards of former sources stay pinned", "err", err)
	}
	e.d.Blobs.Rate(voting.Key(e.self), blob.Merit{Rank: blob.Own})
	p := e.d.Profile
	for _, card := range e.d.Book.Cards() {
		hash, err := e.keepCard(card)
		if err != nil {
			e.d.Log.Warn("a source is not announced", "source", card.Name, "err", err)
			continue
		}
		if len(p.Sources) == maxAnnounced {
			e.d.Log.Warn("an announcement holds 32 sources; others are found in the DHT and by calls", "source", card.Name)
			break
		}
		p.Sources = append(p.Sources, directory.Source{Kind: "tool", Name: card.Name, SchemaHash: hex.EncodeToString(hash[:])})
	}
	return p
}

// keepCard stores the card of a source as content that peers can get.
func (e *Evidence) keepCard(card datasource.Card) (voting.Hash, error) {
	raw, err := card.Encode()
	if err != nil {
		return voting.Hash{}, err
	}
	return e.d.Blobs.KeepOwn(voting.Key(e.self), raw)
}

// announceSources tells the network of this node's sources, whenever they change, until ctx ends.
func (e *Evidence) announceSources(ctx context.Context) error {
	for {
		for _, card := range e.d.Book.Cards() {
			if err := e.d.Host.Provide(ctx, SourceKey(card.Name)); err != nil {
				e.d.Log.Debug("source not provided", "source", card.Name, "err", err)
			}
		}
		for name, err := range e.d.Book.Broken() {
			e.d.Log.Warn("a source file cannot be used", "source", name, "err", err)
		}
		e.d.Work.Spawn(ctx, e.warnSeller)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(provideEvery):
		case <-e.d.Book.Changes():
			if err := e.d.Host.Directory().Announce(e.profile()); err != nil {
				return fmt.Errorf("evidence: announcing sources: %w", err)
			}
		}
	}
}
