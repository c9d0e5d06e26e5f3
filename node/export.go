package node

import (
	"context"
	"errors"

	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/voting"
)

// Export writes the case file of a task as this node has it. Missing lists content that is named but not here. A case that is over
// and no longer followed is taken from the store. casefile.ErrNoCase: this node knows nothing of the case.
func (n *Node) Export(ctx context.Context, task voting.Key) (file []byte, missing []voting.Hash, err error) {
	log, err := n.record(task)
	if err != nil {
		return nil, nil, err
	}
	if terms, err := n.terms(ctx, task); err == nil {
		n.gatherOnce(ctx, task, []voting.Hash{terms.TaskHash, terms.ResultHash, terms.ObjectionHash, terms.CounterHash})
	}
	return casefile.Export(log, n.blobs, verify.Panels(n.past.seen()), n.home.Keys.node, at(n.client))
}

// record is the log of a task's case: from the docket, or from the store if it was forgotten or is not loaded yet.
func (n *Node) record(task voting.Key) (*casefile.Log, error) {
	c := n.docket.find(task)
	if c != nil && len(c.log.Events()) > 0 {
		return c.log, nil
	}
	log, err := casefile.Archive(n.domain, task, n.journal.Events(), n.blobs)
	if c != nil && c.seen() && errors.Is(err, casefile.ErrNoCase) {
		return c.log, nil // nothing was said in it yet
	}
	return log, err
}

// gatherOnce fetches what is not here; what nobody has stays missing.
func (n *Node) gatherOnce(ctx context.Context, task voting.Key, hashes []voting.Hash) {
	for _, h := range hashes {
		if _, err := n.fetch(ctx, h, n.seatPeers(task)); err != nil {
			n.log.Info("content of the case is not to be had", "case", address(task), "hash", h, "err", err)
		}
	}
}
