package node

import "ojud/voting"

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

// restore takes the own votes of the journal, so that their opinions stay withheld after a restart.
func (d *docket) restore(records []voting.Record) {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			d.withhold(c.Opening.Opinion, c.Task, c.Round)
		}
	}
}
