//go:build !race

package votetest_test

// seeds is how many simulations TestCourt runs: together at least 2,000 rounds.
const (
	seeds     = 750
	bigPanels = 1 // simulations of 28 seats for each adversary

	panelRounds, panelCases = 20, 10 // of TestRounds, and of TestRoundsControl for each number of byzantine judges
)
