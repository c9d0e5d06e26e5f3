//go:build !race

package p2ptest

const raceEnabled = false

// Panel is the number of judges in a test of a whole court.
const Panel = 28
