// Package fault names every fault that can happen in a court, with one sentence for each.
//
// Four laboratories cause faults: voting/votetest simulates machines, node/sim simulates whole
// nodes on fake time, test/process runs real processes on one machine, and `ojud devnet` shows
// faults to people. All take their names from here, so that a name has one meaning. docs/faults.md
// shows which laboratory can cause which fault, and by which option. A test compares that page with
// this list, and a test in each laboratory compares the list with the laboratory.
package fault
