// Package votetest is the stage on which tests play rounds of voting.Machines: a model of the
// chain, a queue of events on simulated time, and the parts of a node's shell that need no machine.
//
// Its subpackages play on it:
//
//   - court simulates whole courts with crashes, losses, rollbacks and dishonest nodes.
//   - byzantine plays one panel of 28 with judges in one adversary's hand, a thousand rounds a
//     second.
//   - scenario drives one machine, text in and text out, for the files under voting/testdata.
//   - naive is a second, slow implementation of the settlement, which all of them compare with.
//
// The simulations use no goroutine, no clock and no other randomness than that of their seed, so
// that one seed gives one trace, and a failure that was found once can be run again.
//
// The packages are for tests, and nothing else may import them.
package votetest
