// Package parallel runs more tests side by side than there are processors. Go runs one parallel
// test for each processor. That is too few if tests wait most of the time, as whole courts do.
// Their temporary files are in memory, and the garbage collector is lazy.
package parallel

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"ojud/test/lazygc"
	"ojud/test/ramdisk"
)

// Tests are the tests of a package. AtOnce of them run side by side unless -parallel says
// otherwise. They are a goleak.TestingM.
type Tests struct {
	*testing.M
	AtOnce int
}

// Run runs the tests and returns the exit code.
func (t Tests) Run() int {
	if err := os.Setenv(ramdisk.Variable, ramdisk.Dir()); err != nil {
		panic(err)
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", strconv.Itoa(t.AtOnce)); err != nil {
			panic(err)
		}
	}
	return lazygc.Run(t.M)
}
