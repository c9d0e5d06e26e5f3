package proof

import (
	"context"
	"encoding/json"
	"slices"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/sandbox"
)

// Came is what a calculation or a call came to.
type Came struct {
	Value json.RawMessage // nil: none
	Why   string          // there is none
}

// Compute evaluates an expression in JavaScript with the global values task and result. It has the
// fuel of a counterexample. An error says that it could not be run, or that ctx ended.
func (p *Prover) Compute(ctx context.Context, expression string, papers Papers) (Came, error) {
	engine, err := p.open(ctx)
	if err != nil {
		return Came{}, err
	}
	const function = "calculation"
	got, err := engine.Call(ctx, sandbox.Call{Source: "function " + function + "(task, result) { return (" + expression + "\n); }", Function: function,
		Args: []json.RawMessage{papers.Task, papers.Result}, Fuel: counterFuel})
	return Came{got.Value, short(got.Why)}, err
}

// Call makes a call of the program at a place of a result, in the language of Counterexample. Its
// errors are those of Run.
func (p *Prover) Call(ctx context.Context, task casefile.Task, pointer string, c ground.Counterexample, result []byte) (Came, error) {
	value, err := at(result, pointer)
	if err != nil {
		return Came{}, err
	}
	engine, err := p.open(ctx)
	if err != nil {
		return Came{}, err
	}
	source, why := written(value)
	if why != "" {
		return Came{Why: why}, nil
	}
	var got sandbox.Returned
	switch {
	case len(c.Tables) > 0:
		got, err = engine.Query(ctx, sandbox.TableQuery{Source: source, Tables: c.Tables, Fuel: counterFuel})
	case inPython(task, pointer):
		var all []sandbox.Returned
		all, _, err = engine.Python(ctx, sandbox.PythonCalls{Source: source, Fuel: counterPythonFuel, Calls: []sandbox.PythonCall{{Function: c.Function, Args: c.Args}}})
		if err == nil {
			got = all[0]
		}
	default:
		got, err = engine.Call(ctx, sandbox.Call{Source: source, Function: c.Function, Args: c.Args, Fuel: counterFuel})
	}
	return Came{got.Value, short(got.Why)}, err
}

// inPython reports whether a check that stands open in the task says that the program at a place is
// in Python.
func inPython(task casefile.Task, pointer string) bool {
	return slices.ContainsFunc(task.Expected, func(k casefile.Check) bool { return k.Sealed == nil && k.Path == pointer && k.Python() })
}
