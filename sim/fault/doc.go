// Package fault is the vocabulary of faults: one name and one sentence for each thing that can go
// wrong in a court.
//
// Four laboratories cause faults: voting/votetest simulates machines, node/sim simulates whole
// nodes on fake time, test/process runs real processes on one machine, and `ojud devnet` shows
// faults to people. All of them take their names from here, so that a name means the same
// everywhere. docs/faults.md shows which laboratory can cause which fault, and by which option; a
// test holds that page to this list, and a test in each laboratory holds the list to the
// laboratory.
package fault
