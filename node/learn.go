package node

import (
	"context"
	"fmt"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

// learn has the judge keep what it thought of a case that has ended, if it has a memory. Who testifies how a case ended knows all that it takes; if the
// node ends in between, it testifies again, and learns what it has not. A memory that cannot be written is no reason to be silent about the case.
func (n *Node) learn(ctx context.Context, h history) {
	for _, own := range n.docket.own(h.task) {
		if err := n.learnFrom(ctx, h, own); err != nil {
			n.log.Warn("nothing was learned from a case that has ended", "case", address(h.task), "err", err, "next", "ojud doctor")
		}
	}
}

func (n *Node) learnFrom(ctx context.Context, h history, own voting.Hash) error {
	settled, _, err := last(h, func(*program.RoundSettled) bool { return true })
	if err != nil {
		return err
	}
	opinion, err := n.Opinion(own)
	if err != nil {
		return err
	}
	raw, err := n.blobs.Blob(h.terms.TaskHash)
	if err != nil {
		return fmt.Errorf("node: the task: %w", err)
	}
	task, err := casefile.ParseTask(raw)
	if err != nil {
		return fmt.Errorf("node: the task: %w", err)
	}
	return n.chair.Learn(ctx, task.Value, opinion, casefile.Verdict(settled.Verdict), settled.At)
}
