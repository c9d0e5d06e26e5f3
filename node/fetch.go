package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger/journal/blob"
	"ojud/voting"
)

const (
	// fetchPatience is how long a peer may be silent before the next one is asked too: a peer that is gone must not cost a judge the
	// time for its opinion.
	fetchPatience = 250 * time.Millisecond
	// maxFetches bounds the peers that are asked for one content at a time.
	maxFetches = 4
)

// fetch gets content: from here, from the peers that should have it, from those that say so in the DHT, from anybody.
func (n *Node) fetch(ctx context.Context, hash voting.Hash, likely []peer.ID) ([]byte, error) {
	if content, err := n.blobs.Blob(hash); err == nil {
		return content, nil
	}
	asked := map[peer.ID]bool{n.host.ID(): true}
	for _, source := range []func() []peer.ID{
		func() []peer.ID { return n.connectedFirst(likely) },
		func() []peer.ID { return n.providers(ctx, hash) },
		n.host.Peers,
	} {
		var peers []peer.ID
		for _, p := range source() {
			if !asked[p] {
				asked[p] = true
				peers = append(peers, p)
			}
		}
		content, err := hedge(ctx, peers, func(ctx context.Context, p peer.ID) ([]byte, error) { return n.fetchFrom(ctx, p, hash) })
		if err == nil {
			return content, n.blobs.PutAs(hash, content)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("node: content %s: %w", hash, blob.ErrNotFound)
}

// connectedFirst puts the peers to which there is a connection before the others.
func (n *Node) connectedFirst(peers []peer.ID) []peer.ID {
	connected := map[peer.ID]bool{}
	for _, p := range n.host.Peers() {
		connected[p] = true
	}
	out := slices.Clone(peers)
	slices.SortStableFunc(out, func(a, b peer.ID) int {
		switch {
		case connected[a] == connected[b]:
			return 0
		case connected[a]:
			return -1
		}
		return 1
	})
	return out
}

// errNobody: none of the peers had it.
var errNobody = errors.New("node: no peer answered")

// hedge asks peers in their order until one answers: the next one when one has failed, or when nobody has answered for
// fetchPatience, and never more than maxFetches at once.
func hedge(ctx context.Context, peers []peer.ID, ask func(context.Context, peer.ID) ([]byte, error)) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		content []byte
		err     error
	}
	answers := make(chan answer, len(peers))
	patience := time.NewTicker(fetchPatience)
	defer patience.Stop()
	asking := 0
	for next := true; ; next = asking < maxFetches {
		if next && len(peers) > 0 {
			p := peers[0]
			peers = peers[1:]
			asking++
			go func() {
				content, err := ask(ctx, p)
				answers <- answer{content, err}
			}()
		}
		if asking == 0 {
			return nil, errNobody
		}
		select {
		case a := <-answers:
			if a.err == nil {
				return a.content, nil
			}
			asking--
		case <-patience.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (n *Node) providers(ctx context.Context, hash voting.Hash) []peer.ID {
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Sync.Timeout)
	defer cancel()
	infos, err := n.host.FindProviders(ctx, hash[:], 4)
	if err != nil {
		return nil // alone, or out of time: the connected peers are asked next
	}
	out := make([]peer.ID, len(infos))
	for i := range infos {
		out[i] = infos[i].ID
	}
	return out
}

// fetchFrom gets content from one peer and makes sure that it is what was asked for.
func (n *Node) fetchFrom(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, n.cfg.Sync.Timeout)
	defer cancel()
	content, err := n.host.Request(ctx, p, blobStream, append([]byte{blobGet}, hash[:]...))
	if err != nil {
		return nil, err
	}
	if casefile.HashOf(content) != hash {
		n.host.Penalize(p, pointsInvalid, "blob")
		return nil, errors.New("node: content does not have the hash that was asked for")
	}
	return content, nil
}
