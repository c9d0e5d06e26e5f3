//go:build !race

package court_test

const (
	fewSeeds  = 300 // simulations of TestCourt unless -seeds says otherwise: at least 600 rounds
	bigPanels = 1   // simulations of 28 seats for each adversary
)
