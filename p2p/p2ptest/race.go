//go:build race

package p2ptest

const raceEnabled = true

// Panel is the number of judges in a test of a whole court. It is smaller under the race detector,
// which is ten times slower and looks for races, not for size.
const Panel = 12
