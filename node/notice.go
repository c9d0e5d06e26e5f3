package node

import (
	"context"
	"errors"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/p2p"
	"ojud/voting"
)

// Points for what a sender could have known to be wrong (p2p.Host.Penalize).
const (
	pointsInvalid      = 10
	pointsContradicted = 20
)

// validate is the gossip verdict on a message (protocol section 9): package voting decides, this only translates.
func (n *Node) validate(_ context.Context, from, origin peer.ID, data []byte) p2p.Verdict {
	author, err := peerKey(origin)
	if err != nil {
		return p2p.Reject
	}
	err = n.consider(author, data, from == n.host.ID())
	switch voting.Classify(err) {
	case voting.GossipAccept:
		return p2p.Accept
	case voting.GossipReject:
		return p2p.Reject
	default:
		if origin == n.host.ID() && known(err) {
			return p2p.Accept // our own: we know it already, others may not
		}
		n.blame(err)
		return p2p.Ignore
	}
}

// known reports whether a notice was refused only because it is here already.
func known(err error) bool {
	var fault *voting.NoticeError
	return errors.As(err, &fault) && fault.Class == voting.Duplicate
}

// pushed takes a notice from the direct stream.
func (n *Node) pushed(from peer.ID, msg []byte) {
	err := n.consider(voting.Key{}, msg, false)
	if voting.Classify(err) == voting.GossipReject {
		n.host.Penalize(from, pointsInvalid, "notice")
	}
	n.blame(err)
}

// consider checks a notice and hands it to the machine if it is of use. Nothing of the loop's is touched: gossip validates on
// several goroutines.
func (n *Node) consider(origin voting.Key, data []byte, own bool) error {
	notice, err := voting.DecodeNotice(data, casefile.ParseNotice)
	if err != nil {
		return err
	}
	view := n.view.Load()
	if view == nil {
		return &voting.NoticeError{Class: voting.Unknown, Reason: "the chain was not read yet"}
	}
	checked, err := view.Check(origin, notice)
	if checked.Usable() && !own {
		n.heard(notice)
		n.offer(func(at int64) voting.Event { return voting.NoticeReceived{At: at, Notice: checked} })
	}
	n.metrics.notice(err)
	return err
}

// heard tells whoever wants to know what others said.
func (n *Node) heard(notice voting.Notice) {
	if n.deps.Heard != nil {
		n.deps.Heard(notice)
	}
}

// blame penalises the judge that contradicts itself, whoever passed that on.
func (n *Node) blame(err error) {
	var fault *voting.NoticeError
	if !errors.As(err, &fault) || fault.Class != voting.Contradicted {
		return
	}
	if id, err := keyPeer(fault.Author); err == nil {
		n.host.Penalize(id, pointsContradicted, "contradiction")
	}
}

// listen takes what gossip accepted. The validator has handed it to the machine already.
func (n *Node) listen(ctx context.Context) error {
	for {
		if _, err := n.topic.Next(ctx); err != nil {
			return ended(ctx, err)
		}
	}
}
