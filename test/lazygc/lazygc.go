// Package lazygc makes the garbage collector lazier, because it takes a fifth to a third of the
// processor time of tests that compute.
package lazygc

import (
	"os"
	"runtime/debug"
	"testing"
)

// percent is Go's GOGC in these tests. Go's own value is 100.
const percent = 400

// Run runs the tests of a package and returns the exit code. GOGC in the environment wins.
func Run(m *testing.M) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	return m.Run()
}
