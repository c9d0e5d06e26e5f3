package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/p2p"
	"ojud/voting"
)

// The names of topics and streams (protocol section 9).
const (
	roundsTopic = "rounds"
	dataTopic   = "data"
	voteStream  = "vote"
	caseStream  = "case"
	blobStream  = "blob"
)

// openNetwork starts the host and serves every protocol of the court.
func (n *Node) openNetwork(ctx context.Context) (err error) {
	// The host ends with Close: were it to end with ctx, what still runs would find it closed.
	n.host, err = p2p.New(context.WithoutCancel(ctx), n.cfg.P2P, n.home.Keys.Identity, p2p.Deps{
		Logger: n.log, Metrics: n.deps.Metrics, Topics: []string{roundsTopic, dataTopic}, Admit: n.admit, Staked: n.staked, OnPeer: n.onPeer, OnTwin: n.onTwin, Libp2p: n.deps.Libp2p, Now: n.deps.Now,
	})
	if err != nil {
		return err
	}
	if n.topic, err = n.host.Join(roundsTopic, n.validate); err != nil {
		return err
	}
	n.courier = Courier(post{n})
	if n.deps.Courier != nil {
		n.courier = n.deps.Courier(n.courier)
	}
	if err := n.host.HandlePush(voteStream, n.pushed); err != nil {
		return err
	}
	if err := n.host.Handle(caseStream, caseLimits(n.cfg.Sync), n.answerCase); err != nil {
		return err
	}
	if err := n.host.Handle(blobStream, blobLimits(n.cfg.Sync), n.answerBlob); err != nil {
		return err
	}
	if err := n.openTalks(); err != nil {
		return err
	}
	return n.host.Registry().Announce(n.profile())
}

func caseLimits(s Sync) p2p.Limits {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = maxCatchUp, maxCatchUp, s.Timeout
	l.RatePerPeer, l.Burst = 20, 100
	return l
}

func blobLimits(s Sync) p2p.Limits {
	l := p2p.DefaultLimits()
	l.MaxRequest, l.MaxResponse, l.Timeout = 1+32+32+maxBlob, maxBlob, s.Timeout
	l.RatePerPeer, l.Burst = 50, 400
	return l
}

// admit says whether the registry keeps an announcement: of judges on the Roster, with the node key that the Roster binds to the
// authority. Before the Roster is known all are kept; Registry.Prune asks again.
func (n *Node) admit(a p2p.Announcement) bool {
	book := n.roster.Load()
	if book == nil {
		return true
	}
	bound, onRoster := book.peers[a.Authority]
	return !onRoster || bound == a.Peer
}

// staked says whether an announcement is that of a judge on the Roster.
func (n *Node) staked(a p2p.Announcement) bool {
	book := n.roster.Load()
	return book != nil && book.peers[a.Authority] == a.Peer
}

// onPeer asks a new neighbour for what it has.
func (n *Node) onPeer(e p2p.PeerEvent) {
	if !e.Connected {
		return
	}
	key, err := peerKey(e.Peer)
	if err != nil {
		return // a peer without an Ed25519 key cannot be a judge
	}
	n.offer(func(at int64) voting.Event { return voting.PeerConnected{At: at, Peer: key} })
}

// post is the honest courier.
type post struct{ n *Node }

// Push sends a notice directly.
func (p post) Push(to []voting.Key, notice voting.Notice) error {
	ids := make([]peer.ID, 0, len(to))
	for _, k := range to {
		id, err := keyPeer(k)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return p.n.host.Push(voteStream, ids, notice.Encode())
}

// Publish gossips a notice.
func (p post) Publish(notice voting.Notice) error {
	return p.n.topic.Publish(context.Background(), notice.Encode())
}

// announce pushes a notice to the seats, and a little later to everybody: what reached a seat directly is a duplicate there by
// then, and is not passed on by it twice.
func (n *Node) announce(ctx context.Context, e voting.Announce) error {
	if err := n.courier.Push(e.To, e.Notice); err != nil && !errors.Is(err, p2p.ErrClosed) {
		return fmt.Errorf("node: push %s: %w", e.Notice, err)
	}
	n.spawn(ctx, func(ctx context.Context) error {
		if !wait(ctx, n.cfg.Sync.GossipAfter) {
			return nil
		}
		// The round may have ended meanwhile; our own validator then refuses, and nobody wants the notice any more.
		if err := n.courier.Publish(e.Notice); err != nil {
			n.log.Debug("not gossiped", "notice", e.Notice, "err", err)
		}
		return nil
	})
	return nil
}

// wait waits and reports whether ctx lives on.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
