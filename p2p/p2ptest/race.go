//go:build race

package p2ptest

const raceEnabled = true

// Panel is the number of judges in a test of a whole court: fewer under the race
// detector, which looks for something else and is ten times slower.
const Panel = 12
