// Package longtest says which tests run. A plain "go test ./..." takes some minutes, because it
// leaves out the longest tests. "make test" and CI run all.
package longtest

import (
	"flag"
	"os"
	"testing"
)

// Wanted reports whether long tests are wanted. They are with LONG_TESTS=1, which "make test" and
// CI set, and if -run names the tests that run. They are not with -short.
func Wanted() bool {
	return !testing.Short() && (os.Getenv("LONG_TESTS") == "1" || flag.Lookup("test.run").Value.String() != "")
}

// Only skips a test unless long tests are wanted.
func Only(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("NOT RUN: a long test; make test runs it") //nolint:forbidigo // make test and CI skip none (ADR 0197)
	}
}
