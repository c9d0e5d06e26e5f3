package node

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

// paperMargin is the part of the time for an opinion that is kept for judging: papers are sought until a quarter is left.
const paperMargin = 4

// brief gathers the papers of a case. Peers are asked again and again for what is missing until a quarter of the time is left:
// the party that should have made a paper available bears its loss.
func (n *Node) brief(ctx context.Context, task voting.Key, round uint8, deadline time.Time) (judge.Brief, error) {
	b := judge.Brief{Case: task, Round: round, Judge: n.home.Keys.Judge(), Deadline: deadline, Evidence: judge.NoSources{}}
	terms, err := n.terms(ctx, task)
	if err != nil {
		return b, err
	}
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/paperMargin))
	defer cancel()
	hashes := []voting.Hash{terms.TaskHash, terms.ResultHash, terms.ObjectionHash, terms.CounterHash}
	if err := n.blobs.Pin(task, hashes...); err != nil {
		return b, err
	}
	content := n.gather(ctx, task, hashes)
	b.Task = judge.Open(terms.TaskHash, content[terms.TaskHash], casefile.ParseTask)
	b.Result = judge.Open(terms.ResultHash, content[terms.ResultHash], casefile.ParseResult)
	b.Objection = judge.Open(terms.ObjectionHash, content[terms.ObjectionHash], casefile.ParseObjection)
	b.Counter = judge.Open(terms.CounterHash, content[terms.CounterHash], casefile.ParseCounterObjection)
	b.Exhibits = n.gatherExhibits(ctx, task, terms)
	return b, nil
}

// terms is the task of a case, from the latest look or else from the chain.
func (n *Node) terms(ctx context.Context, task voting.Key) (*program.Task, error) {
	if c := n.docket.find(task); c != nil {
		if _, terms := c.snapshot(); terms != nil {
			return terms, nil
		}
	}
	terms, _, err := n.client.Task(ctx, address(task))
	return terms, err
}

// gather fetches content until all is here or ctx ends.
func (n *Node) gather(ctx context.Context, task voting.Key, hashes []voting.Hash) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for first := true; ; first = false {
		for _, h := range hashes {
			if out[h] != nil {
				continue
			}
			if content, err := n.fetch(ctx, h, n.seatPeers(task)); err == nil {
				out[h] = content
			} else if first {
				n.log.Info("a paper is not here yet", "case", address(task), "hash", h, "err", err)
			}
		}
		if len(out) == len(hashes) || !wait(ctx, n.cfg.Sync.Every) {
			return out
		}
	}
}

// gatherExhibits fetches once what the pleadings name.
func (n *Node) gatherExhibits(ctx context.Context, task voting.Key, terms *program.Task) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for _, pleading := range []voting.Hash{terms.ObjectionHash, terms.CounterHash} {
		for _, e := range n.exhibits(pleading) {
			if e.Bytes > maxBlob {
				continue
			}
			if content, err := n.fetch(ctx, voting.Hash(e.SHA256), n.seatPeers(task)); err == nil {
				out[voting.Hash(e.SHA256)] = content
			}
		}
	}
	return out
}

// seatPeers are the nodes that sit in a case, without this one.
func (n *Node) seatPeers(task voting.Key) []peer.ID {
	c := n.docket.find(task)
	if c == nil {
		return nil
	}
	look, _ := c.snapshot()
	var out []peer.ID
	for _, s := range look.Seats {
		if id, err := keyPeer(s.Peer); err == nil && id != n.host.ID() {
			out = append(out, id)
		}
	}
	return out
}
