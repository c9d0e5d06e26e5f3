package proof

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/sandbox"
)

// counterFuel is what one counterexample may use, so that all of a pleading use no more than one
// check program. CPython takes half a billion steps to start and to import a module, so that one in
// Python may use more.
const (
	counterFuel       = sandbox.MaxFuel / ground.MaxCounterexamples
	counterPythonFuel = sandbox.MaxPythonFuel / 2
)

// Counterexample makes the call of ground i of a pleading, which is of the kind returns, and says
// whether the program in the result returns what the ground expects. The program is in Python if a
// check that stands open in the task says so of its place, and in JavaScript otherwise. Sealed
// checks do not count, because not everybody has what opens them. It says none if that is no
// program in JavaScript, because it may be one in another language. The errors are those of Run.
func (p *Prover) Counterexample(ctx context.Context, task casefile.Task, pleading string, i int, g ground.Ground, result []byte) (runs.Run, error) {
	value, err := at(result, g.Pointer)
	if err != nil {
		return runs.Run{}, err
	}
	engine, err := p.open(ctx)
	if err != nil {
		return runs.Run{}, err
	}
	calls := []runs.TestCall{{Function: g.Counterexample.Function, Args: g.Counterexample.Args, Returns: g.Expected}}
	python := slices.ContainsFunc(task.Expected, func(k casefile.Check) bool { return k.Sealed == nil && k.Path == g.Pointer && k.Python() })
	rules, module := sandbox.Version, sandbox.QuickJS
	var ran sandbox.Run
	if python {
		rules, module = sandbox.VersionPython, sandbox.CPython
		ran, err = called(ctx, engine, calls, value, counterPythonFuel)
	} else {
		ran, err = tested(ctx, engine, calls, value, counterFuel)
	}
	if err != nil {
		return runs.Run{}, err
	}
	var source string
	switch {
	case python && json.Unmarshal(value, &source) != nil:
		ran.Said = sandbox.None
	case json.Unmarshal(value, &source) != nil, !python && strings.Contains(ran.Why, " fails: SyntaxError"):
		ran.Said, ran.Why = sandbox.None, "it is no program in JavaScript: "+short(ran.Why)
	case ran.Said == sandbox.True:
		ran.Why = short(g.Counterexample.String()) + " returns " + short(string(g.Expected))
	}
	return record(runs.GroundAt(pleading, i), rules, module, ran), nil
}
