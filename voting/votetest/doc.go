// Package votetest runs whole rounds of many voting.Machines against a model of the chain, on
// simulated time.
//
// Run is a seeded discrete-event simulation: one queue of events, one source of random numbers, no
// goroutines, no clock, so that one seed gives one trace and a failure found once can be run again.
// Its parts are the Chain (the accounts of protocol section 4 that matter to a case, with lamports
// that must add up), a network with latency, loss, duplication and partitions, nodes that execute
// effects as the real shell does and crash between any two of them, judges with scripted opinions,
// and adversaries. After every transaction and at the end the properties that the court promises
// are checked; see referee.go for the list.
//
// Script drives one machine, text in and text out, for the scenarios under voting/testdata.
//
// NaiveSettle and its companions are a second, slow implementation of the settlement with math/big,
// written from protocol section 6 alone, against which the real one is tested.
//
// The package is for tests and may be imported by nothing else.
package votetest
