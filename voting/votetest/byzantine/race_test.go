//go:build race

package byzantine_test

// Under the race detector everything takes about ten times as long, and the simulation has no
// concurrency to find races in.
const panelRounds = 4
