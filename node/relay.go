package node

import (
	"context"
	"fmt"
	"time"

	"ojud/node/why"
	"ojud/voting"
)

const (
	// blindAfter is how long a node sees no block before it goes by what the other seats prove of the chain.
	blindAfter = 10 * time.Second
	// blindEvery is how often it looks.
	blindEvery = 3 * time.Second
)

// seal is the sealed opening for those whom this node asks to commit for it.
func (n *Node) seal(task voting.Key, round uint8, o voting.Opening) []byte {
	sealed, err := n.home.Keys.seal(n.domain, task, round, o)
	if err != nil {
		n.log.Error("the opening is not sealed: it is lost if this disk is", "case", address(task), "round", round, "err", err)
		return nil
	}
	return sealed
}

// plead asks the others to bring the own commitment to the chain (ADR 0019).
func (n *Node) plead(ctx context.Context, own voting.Relay, e voting.Announce) error {
	n.log.Warn("the own commitment does not get to the chain: the other judges are asked to bring it there", "case", address(own.Task), "round", own.Round)
	n.metrics.pleas.Inc()
	if err := n.note(own.Task, why.Entry{Round: own.Round, Deed: why.Pleaded, What: voting.OpCommit.String()}); err != nil {
		return err
	}
	return n.announceCommit(ctx, own.Task, e)
}

// blind reports for how long no block has been seen, if it is too long.
func (n *Node) blind() (since time.Duration, yes bool) {
	since = n.client.Clock().Age()
	return since, since >= blindAfter
}

// grope tells the machine, as long as it is so, that this node does not see the chain.
func (n *Node) grope(ctx context.Context) error {
	for wait(ctx, blindEvery) {
		if _, yes := n.blind(); yes {
			n.offer(func(at int64) voting.Event { return voting.Tick{At: at, Blind: true} })
		}
	}
	return nil
}

// blindness says in words for people that the node does not see the chain; empty: it does.
func (n *Node) blindness() string {
	since, yes := n.blind()
	if !yes {
		return ""
	}
	return fmt.Sprintf("chain: no block was seen for %s; in rounds that this node has seen drawn the other judges carry its votes, new cases it does not see; "+
		"see whether the RPC node is up: ojud doctor", since.Truncate(time.Second))
}
