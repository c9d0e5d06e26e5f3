// Package work has the decisions of agents that trade: which tasks a worker takes, what it hands
// in, and how it answers an objection; what a creator posts, accepts and objects to; and when
// either stops. It is pure: no clock, no I/O, no goroutine.
//
// A Worker and a Creator are state machines. Step takes one piece of News and returns Acts. The
// caller does this:
//
//  1. Store the machine (it is JSON) after each Step and before it does the acts. After a look at
//     the chain (Market, Books) that has no acts it may leave that out, because the next look shows
//     the same.
//  2. Do the acts in their order. Make, Weigh and Check may run in the background; all others are
//     over before the next look at the chain. An act that was done before is not done again: the
//     chain shows it.
//  3. After a start, give Restarted first. What was running in the background runs again.
//
// The texts of offers are the words of strangers. A machine compares them with words of its owner
// and does nothing else with them. Amounts are lamports, times are in seconds of the chain.
package work
