package node

import (
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// testifyInjections says what this node's judge found that may be meant to steer it, before the vote that rests on that opinion. An opinion
// that was lost with its disk says nothing.
func (n *Node) testifyInjections(c *dispute, vote casefile.Vote) error {
	raw, err := n.blobs.Blob(voting.Hash(vote.OpinionHash))
	if errors.Is(err, casefile.ErrNoBlob) {
		return nil
	}
	if err != nil {
		return err
	}
	opinion, err := casefile.ParseOpinion(raw)
	if err != nil {
		return fmt.Errorf("node: own opinion of round %d: %w", vote.Round, err)
	}
	_, terms := c.snapshot()
	if terms == nil {
		return fmt.Errorf("%w: the task's account was not seen", errNotYet)
	}
	record, err := n.recorded(c.task, vote.Round)
	if err != nil {
		return err
	}
	papers := casefile.TaskTerms{
		TaskHash: casefile.Digest(terms.TaskHash), ResultHash: casefile.Digest(terms.ResultHash),
		ObjectionHash: casefile.Digest(terms.ObjectionHash), CounterHash: casefile.Digest(terms.CounterHash),
	}
	found, err := casefile.Injections(opinion.Value, papers, proven(record))
	if err != nil || len(found) == 0 {
		return err
	}
	_, err = c.log.Append(n.home.Keys.node, casefile.KindInjection, casefile.InjectionBody{Round: vote.Round, Findings: found}, at(n.client))
	if errors.Is(err, casefile.ErrRepeated) {
		return nil
	}
	return err
}
