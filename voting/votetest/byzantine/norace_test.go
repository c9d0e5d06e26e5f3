//go:build !race

package byzantine_test

const panelRounds = 20 // of TestRounds
