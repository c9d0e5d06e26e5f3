package node

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/datasource"
	"ojud/datasource/exchange"
	"ojud/voting"
)

// lookout knows who has a source without asking on the data topic, where only seats of live rounds may: from announcements and the DHT.
type lookout struct {
	n    *Node
	only *casefile.DID // nobody else; nil: whoever has it
}

var _ exchange.Finder = lookout{}

// Holders implements exchange.Finder.
func (l lookout) Holders(ctx context.Context, source string) <-chan exchange.Candidate {
	out := make(chan exchange.Candidate)
	l.n.tasks.Go(func() {
		defer close(out)
		var looking sync.WaitGroup
		defer looking.Wait()
		room := make(chan struct{}, lookAtOnce)
		for id, card := range l.all(ctx, source) {
			room <- struct{}{}
			looking.Go(func() {
				defer func() { <-room }()
				l.look(ctx, id, card, out)
			})
		}
	})
	return out
}

// lookAtOnce bounds the candidates whose cards are fetched at the same time.
const lookAtOnce = 4

// look makes a candidate of a peer and sends it.
func (l lookout) look(ctx context.Context, id peer.ID, card string, out chan<- exchange.Candidate) {
	c, err := l.n.candidate(ctx, id, card)
	if err != nil {
		l.n.log.Debug("no candidate", "peer", id, "err", err)
		return
	}
	select {
	case out <- c:
	case <-ctx.Done():
	}
}

// all are those who are said to have the source, with the hashes of their cards as far as they announce them.
func (l lookout) all(ctx context.Context, source string) iter.Seq2[peer.ID, string] {
	return func(yield func(peer.ID, string) bool) {
		if l.only != nil {
			if id, err := keyPeer(voting.Key(*l.only)); err == nil { // its card, whatever else it announces
				j, _ := l.n.host.Registry().Judge(id)
				yield(id, cardOf(j, source))
			}
			return
		}
		seen := map[peer.ID]bool{l.n.host.ID(): true}
		for _, j := range l.n.host.Registry().Holders(source) {
			if seen[j.ID] = true; !yield(j.ID, cardOf(j, source)) {
				return
			}
		}
		infos, err := l.n.host.FindProviders(ctx, sourceKey(source), maxProviders)
		if err != nil {
			l.n.log.Debug("holders in the DHT", "source", source, "err", err)
		}
		for _, info := range infos {
			if !seen[info.ID] && !yield(info.ID, "") {
				return
			}
		}
	}
}

// listTime bounds looking for all who have a source.
const listTime = 15 * time.Second

// Holdings lists who is said to have a source, those whose cards are known first. Cards are as their holders show them.
func (n *Node) Holdings(ctx context.Context, source string) []Holding {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	out := []Holding{}
	for c := range (lookout{n: n}).Holders(ctx, source) {
		h := Holding{Holder: c.Peer, Judge: n.judgeOf(c.Peer)}
		if card, _, err := datasource.ParseCard(c.Card); err == nil && card.Name == source {
			hash := casefile.Digest(casefile.HashOf(c.Card))
			h.Card, h.Hash = &card, &hash
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b Holding) int {
		if (a.Card == nil) != (b.Card == nil) {
			if a.Card != nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Holder.String(), b.Holder.String())
	})
	return out
}
