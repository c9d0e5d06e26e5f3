//go:build race

package court_test

// Under the race detector everything takes about ten times as long, and the simulation has no
// concurrency to find races in.
const (
	fewSeeds  = 40
	bigPanels = 0
)
