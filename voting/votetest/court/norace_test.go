//go:build !race

package court_test

// seeds is how many simulations TestCourt runs: together at least 2,000 rounds.
const (
	seeds     = 750
	bigPanels = 1 // simulations of 28 seats for each adversary
)
