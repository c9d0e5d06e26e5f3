package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/p2p"
	"ojud/voting"
)

// Requests of the blob stream (protocol section 9).
const (
	blobGet = 1
	blobPut = 2
)

// answerBlob serves content by hash, and takes content that a task names.
func (n *Node) answerBlob(ctx context.Context, from peer.ID, raw []byte) ([]byte, error) {
	switch {
	case len(raw) == 1+32 && raw[0] == blobGet:
		return n.serveBlob(voting.Hash(raw[1:]))
	case len(raw) > 1+64 && raw[0] == blobPut:
		return nil, n.takeBlob(ctx, from, voting.Hash(raw[1:33]), voting.Key(raw[33:65]), raw[65:])
	}
	return nil, p2p.Fail(p2p.ErrBadRequest, "want 0x01 ‖ hash, or 0x02 ‖ hash ‖ task ‖ content")
}

func (n *Node) serveBlob(hash voting.Hash) ([]byte, error) {
	if n.withheld(hash) {
		return nil, p2p.ErrNotFound
	}
	content, err := n.blobs.Blob(hash)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, p2p.ErrNotFound
	}
	return content, err
}

// withheld reports whether content must not be shown yet: an own opinion while others can still commit. An opinion is short, and
// somebody who guesses it could ask for its hash to learn how this judge will vote.
func (n *Node) withheld(hash voting.Hash) bool {
	round, own := n.docket.opinion(hash)
	if !own {
		return false
	}
	view := n.view.Load()
	now, known := n.client.Clock().Last()
	if view == nil || !known {
		return true
	}
	c, ok := view.Case(round.task)
	return !ok || c.Live() && c.Round == round.number && !c.CommitsOver(now.Unix)
}

// takeBlob keeps content that a live task names. Whoever puts it need not be known: the hash on the chain vouches for it.
func (n *Node) takeBlob(ctx context.Context, from peer.ID, hash voting.Hash, task voting.Key, content []byte) error {
	if casefile.HashOf(content) != hash {
		return p2p.Fail(p2p.ErrBadRequest, "content does not have that hash")
	}
	if n.blobs.Has(hash) {
		return nil
	}
	if !n.puts.spend(from, len(content)) {
		return p2p.Fail(p2p.ErrBusy, "too much content from one peer, try another node")
	}
	terms, _, err := n.client.Task(ctx, address(task))
	if errors.Is(err, ledger.ErrNotFound) {
		return p2p.Fail(p2p.ErrNotFound, "no such task, or not confirmed yet")
	}
	if err != nil {
		return p2p.Fail(p2p.ErrBusy, "the chain does not answer here, try another node")
	}
	if terms.Status >= program.Complete || !n.names(terms, hash) {
		return p2p.Fail(p2p.ErrRefused, "the task does not name this content, or is over")
	}
	if err := n.blobs.PutAs(hash, content); err != nil {
		return err
	}
	if err := n.blobs.Pin(task, hash); err != nil {
		return err
	}
	n.provide(hash)
	return nil
}

// names reports whether a task, or a pleading of it that is here, names content.
func (n *Node) names(t *program.Task, hash voting.Hash) bool {
	for _, h := range []voting.Hash{t.TaskHash, t.ResultHash, t.ObjectionHash, t.CounterHash} {
		if h == hash {
			return true
		}
	}
	for _, h := range []voting.Hash{t.ObjectionHash, t.CounterHash} {
		for _, e := range n.exhibits(h) {
			if voting.Hash(e.SHA256) == hash {
				return true
			}
		}
	}
	return false
}

// exhibits are what a pleading that is here names.
func (n *Node) exhibits(pleading voting.Hash) []casefile.Exhibit {
	if pleading.IsZero() {
		return nil
	}
	raw, err := n.blobs.Blob(pleading)
	if err != nil {
		return nil // not here: then nothing is known to be named by it
	}
	doc, err := casefile.ParseObjection(raw)
	if err != nil {
		return nil // the party's fault, for judges to weigh
	}
	return doc.Value.Evidence
}

// provide tells the DHT that content is here. It is a help for others, no duty: who finds no record asks the seats.
func (n *Node) provide(hash voting.Hash) {
	n.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), n.cfg.Sync.Timeout)
		defer cancel()
		if err := n.host.Provide(ctx, hash[:]); err != nil {
			n.log.Debug("not provided", "hash", hash, "err", err)
		}
	})
}

// allowance bounds what each peer may put here in an hour.
type allowance struct {
	most int

	mu    sync.Mutex
	since time.Time
	spent map[peer.ID]int
}

func newAllowance(most int) *allowance { return &allowance{most: most, spent: map[peer.ID]int{}} }

// maxSpenders bounds the peers remembered; beyond it nobody new may put anything until the hour is over.
const maxSpenders = 4096

// spend reports whether a peer may put so many bytes more.
func (a *allowance) spend(p peer.ID, bytes int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.since) > time.Hour {
		a.since, a.spent = time.Now(), map[peer.ID]int{}
	}
	if _, known := a.spent[p]; !known && len(a.spent) >= maxSpenders || a.spent[p]+bytes > a.most {
		return false
	}
	a.spent[p] += bytes
	return true
}
