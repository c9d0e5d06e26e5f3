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

// demanded makes nothing, unless the task demands nothing: see errNoEngine.
func demanded(task casefile.Doc[casefile.Task], _ []byte) ([]demand, error) {
	if len(task.Value.Expected) > 0 {
		return nil, errNoEngine
	}
	return nil, nil
}

// again makes nothing: see errNoEngine.
func again(golden.Leaf) (why string, untrue bool, err error) { return "", false, errNoEngine }
