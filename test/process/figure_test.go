//go:build unix

package process

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ojud/p2p/p2ptest/floor"
)

// busyness starts to measure how much of the processors other programs use. others returns the
// result.
func busyness(t *testing.T) (others func() string) {
	t.Helper()
	machine := floor.ReadMachine(t)
	return func() string { return machine.Foreign(t) }
}

// restarts reports P10 of a finished storm: the time from the start of a killed judge's process to
// its first vote. Its floor opens the databases that the kills left, with bare Badger, and connects
// a bare host to as many hosts as there are judges.
func (c *laboratory) restarts(k *storm, others string) {
	c.t.Helper()
	if *coldTo == "" || len(k.votes) == 0 {
		return
	}
	var bare []time.Duration
	for _, s := range c.seats {
		bare = append(bare, floor.Reopen(c.t, filepath.Join(s.image(), "journal", "db"), len(c.seats), "/ip4/127.0.0.1/tcp/0"))
	}
	slices.Sort(bare)
	middle, late := percentile(k.votes, 50), percentile(k.votes, 99)
	lowest := bare[len(bare)/2]
	floor.Tell(c.t, *coldTo, floor.Figure{
		ID: "P10", What: fmt.Sprintf("from the start of a killed judge's process to its first vote, %d judges, %d kills, %d with a vote; its node is open after %s", len(c.seats)+1, k.kills, len(k.votes), percentile(k.opened, 50)),
		Here: fmt.Sprintf("%s (p99 %s)", middle, late), Floor: fmt.Sprintf("%s (Badger and links)", lowest.Round(time.Millisecond)), Ratio: middle.Seconds() / lowest.Seconds(),
		Goal: "≤ 0.5 s, p99 ≤ 1.5 s", Met: middle <= 500*time.Millisecond && late <= 1500*time.Millisecond, Others: others,
		Why: "a node that has just started signs nothing for an eighth of the commit time, here 1 s, so that a copy of it elsewhere can answer (ADR 0013); and one process starts, a case has to be there to vote in, and others are killed meanwhile",
	})
}
