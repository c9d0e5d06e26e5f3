//go:build plain

package verify

import (
	"ojud/casefile"
	"ojud/golden"
)

// newRunner runs nothing: see errNoEngine.
func newRunner() (run func(task casefile.Task, i int, rawTask, rawResult []byte) (casefile.Run, error, error), end func() error) {
	run = func(casefile.Task, int, []byte, []byte) (casefile.Run, error, error) {
		return casefile.Run{}, nil, errNoEngine
	}
	return run, func() error { return nil }
}

// again makes nothing: see errNoEngine.
func again(golden.Leaf) (why string, untrue bool, err error) { return "", false, errNoEngine }
