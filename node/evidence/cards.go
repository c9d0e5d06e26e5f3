package evidence

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource/exchange"
	"ojud/node/network"
	"ojud/p2p/directory"
	"ojud/voting"
)

// cardTimeout bounds getting the card of a source. Without its card any JSON counts as an answer of
// a holder.
const cardTimeout = 3 * time.Second

// localContent is the content that is here.
type localContent interface {
	Blob(hash voting.Hash) ([]byte, error)
}

// holderContent gets content from the peer that named it.
type holderContent interface {
	FetchFrom(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error)
}

// cards gets the cards that holders announce.
type cards struct {
	local  localContent
	remote holderContent
	log    *slog.Logger
}

func newCards(local localContent, remote holderContent, log *slog.Logger) cards {
	return cards{local: local, remote: remote, log: log}
}

// candidate makes a candidate of a peer, with the card of its source if it can be fetched.
func (c cards) candidate(ctx context.Context, id peer.ID, card string) (exchange.Candidate, error) {
	key, err := network.KeyOf(id)
	if err != nil {
		return exchange.Candidate{}, err
	}
	found := exchange.Candidate{Peer: casefile.DID(key)}
	raw, err := hex.DecodeString(card)
	if err != nil || len(raw) != len(voting.Hash{}) {
		return found, nil
	}
	if found.Card, err = c.local.Blob(voting.Hash(raw)); err == nil {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, cardTimeout)
	defer cancel()
	// Only the holder is asked, because no other peer needs to have its card.
	if found.Card, err = c.remote.FetchFrom(ctx, id, voting.Hash(raw)); err != nil {
		c.log.Debug("no card", "peer", id, "err", err)
	}
	return found, nil
}

// cardOf returns the hash of the card that a judge announces for a source; empty if it announces
// none.
func cardOf(j directory.Judge, source string) string {
	for _, s := range j.Sources {
		if s.Name == source {
			return s.SchemaHash
		}
	}
	return ""
}
