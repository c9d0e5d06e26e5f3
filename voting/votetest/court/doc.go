// Package court simulates whole courts on the stage of package votetest.
//
// Run is a seeded simulation: a network with latency, loss, duplication and partitions, nodes that
// execute effects as the real shell does and crash between any two of them, judges with scripted
// opinions, and dishonest nodes. After every transaction and at the end it checks the properties
// that the court promises; see referee for the list.
package court
