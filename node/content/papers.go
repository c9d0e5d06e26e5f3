package content

import (
	"context"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/voting"
)

// judgingPart is the part of an opinion's time that is reserved for judging: one in judgingPart.
const judgingPart = 4

// Brief gathers the documents of a case for a judge's opinion, which is due at the deadline. It
// asks peers again and again for missing documents until a quarter of the time is left. A party
// that did not make its document available bears the loss.
func (c *Content) Brief(ctx context.Context, b judge.Brief) (judge.Brief, error) {
	terms, err := c.cases.Terms(ctx, b.Case)
	if err != nil {
		return b, err
	}
	ctx, cancel := context.WithDeadline(ctx, b.Deadline.Add(-time.Until(b.Deadline)/judgingPart))
	defer cancel()
	hashes := documents(terms)
	if err := c.store.Pin(b.Case, hashes...); err != nil {
		return b, err
	}
	content := c.gather(ctx, b.Case, hashes)
	b.Task = judge.Open(terms.TaskHash, content[terms.TaskHash], casefile.ParseTask)
	b.Result = judge.Open(terms.ResultHash, content[terms.ResultHash], casefile.ParseResult)
	b.Objection = judge.Open(terms.ObjectionHash, content[terms.ObjectionHash], casefile.ParseObjection)
	b.Counter = judge.Open(terms.CounterHash, content[terms.CounterHash], casefile.ParseCounterObjection)
	b.Exhibits = c.gatherExhibits(ctx, b.Case, terms)
	return b, nil
}

// gather fetches content of a case until all of it is here or ctx ends.
func (c *Content) gather(ctx context.Context, task voting.Key, hashes []voting.Hash) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for first := true; ; first = false {
		for _, h := range hashes {
			if out[h] != nil {
				continue
			}
			if content, err := c.Fetch(ctx, h, c.cases.SeatPeers(task)); err == nil {
				out[h] = content
			} else if first {
				c.log.Info("a document is not here yet", "case", casefile.Address(task), "hash", h, "err", err)
			}
		}
		if len(out) == len(hashes) || !work.Pause(ctx, c.cfg.Every) {
			return out
		}
	}
}

// gatherExhibits tries once to fetch each exhibit that the pleadings name.
func (c *Content) gatherExhibits(ctx context.Context, task voting.Key, terms *program.Task) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for _, pleading := range []voting.Hash{terms.ObjectionHash, terms.CounterHash} {
		for _, e := range c.exhibits(pleading) {
			if e.Bytes > MaxBlob {
				continue
			}
			if content, err := c.Fetch(ctx, voting.Hash(e.SHA256), c.cases.SeatPeers(task)); err == nil {
				out[voting.Hash(e.SHA256)] = content
			}
		}
	}
	return out
}

// GatherDocuments tries once to fetch each document of a task that is not here, for a case file.
func (c *Content) GatherDocuments(ctx context.Context, task voting.Key) {
	terms, err := c.cases.Terms(ctx, task)
	if err != nil {
		return // the case file shows which documents are missing
	}
	for _, h := range documents(terms) {
		if _, err := c.Fetch(ctx, h, c.cases.SeatPeers(task)); err != nil {
			c.log.Info("a document of the case cannot be fetched", "case", casefile.Address(task), "hash", h, "err", err)
		}
	}
}
