package node

import (
	"fmt"

	"ojud/casefile"
	"ojud/voting"
)

// roundOf names a round of a case.
type roundOf struct {
	task   voting.Key
	number uint8
}

// withhold notes an own opinion, which is not served before the commits of its round are over.
func (d *docket) withhold(hash voting.Hash, task voting.Key, round uint8) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opinions[hash] = roundOf{task, round}
}

// opinion reports whether content is an own opinion, and of which round.
func (d *docket) opinion(hash voting.Hash) (roundOf, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, ok := d.opinions[hash]
	return r, ok
}

// own are the own opinions of a case.
func (d *docket) own(task voting.Key) (out []voting.Hash) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for hash, r := range d.opinions {
		if r.task == task {
			out = append(out, hash)
		}
	}
	return out
}

// Opinion is an opinion that is kept here: the node's own, or one that was revealed. The error is of the store, or of what is no opinion.
func (n *Node) Opinion(hash voting.Hash) (casefile.Opinion, error) {
	raw, err := n.blobs.Blob(hash)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("node: opinion: %w", err)
	}
	doc, err := casefile.ParseOpinion(raw)
	if err != nil {
		return casefile.Opinion{}, fmt.Errorf("node: opinion: %w", err)
	}
	return doc.Value, nil
}

// restore takes the own votes of the journal, so that their opinions stay withheld after a restart.
func (d *docket) restore(records []voting.Record) {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			d.withhold(c.Opening.Opinion, c.Task, c.Round)
		}
	}
}
