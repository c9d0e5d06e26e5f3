//go:build plain

package verify

import (
	"encoding/json"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/golden"
	"ojud/voting"
)

// runner runs nothing: see errNoEngine.
type runner struct{}

func newRunner() runner { return runner{} }

func (runner) end() error { return nil }

func (runner) program(casefile.Task, int, []byte, []byte, map[voting.Hash][]byte) (runs.Run, error, error) {
	return runs.Run{}, nil, errNoEngine
}

func (runner) counterexample(casefile.Task, string, int, ground.Ground, []byte) (runs.Run, error, error) {
	return runs.Run{}, nil, errNoEngine
}

func (runner) proposal(runs.Proposed, []byte, []byte, []byte, []byte) (runs.Proposed, string, error) {
	return runs.Proposed{}, "", errNoEngine
}

// demanded makes nothing, unless the task demands nothing: see errNoEngine.
func demanded(task casefile.Doc[casefile.Task], _ []byte) ([]demand, papers, error) {
	if len(task.Value.Expected) > 0 {
		return nil, papers{}, errNoEngine
	}
	return nil, papers{}, nil
}

// papers make nothing: see errNoEngine.
type papers struct{}

func (papers) question(casefile.Lookup) (json.RawMessage, error) { return nil, errNoEngine }

func (papers) answered(casefile.Check, []byte) (casefile.CheckOutcome, string) {
	return casefile.Unknown, errNoEngine.Error()
}

// again makes nothing: see errNoEngine.
func again(golden.Leaf) (why string, untrue bool, err error) { return "", false, errNoEngine }
