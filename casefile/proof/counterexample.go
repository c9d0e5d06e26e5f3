package proof

import (
	"context"
	"encoding/json"
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
// program in JavaScript, because it may be one in another language. With tables it runs the query
// in the result instead. The errors are those of Run.
func (p *Prover) Counterexample(ctx context.Context, task casefile.Task, pleading string, i int, g ground.Ground, result []byte) (runs.Run, error) {
	value, err := at(result, g.Pointer)
	if err != nil {
		return runs.Run{}, err
	}
	engine, err := p.open(ctx)
	if err != nil {
		return runs.Run{}, err
	}
	if tables := g.Counterexample.Tables; len(tables) > 0 {
		return p.byTables(ctx, engine, runs.GroundAt(pleading, i), g, value)
	}
	calls := []runs.TestCall{{Function: g.Counterexample.Function, Args: g.Counterexample.Args, Returns: g.Expected}}
	python := inPython(task, g.Pointer)
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

// byTables runs the query in a result on the tables of a counterexample, and says whether it
// returns the rows that the ground expects, in any order unless the counterexample says otherwise.
func (p *Prover) byTables(ctx context.Context, engine *sandbox.Engine, of string, g ground.Ground, value json.RawMessage) (runs.Run, error) {
	q := runs.TestQuery{Tables: g.Counterexample.Tables, Ordered: g.Counterexample.Ordered}
	if err := json.Unmarshal(g.Expected, &q.Returns); err != nil {
		return runs.Run{}, err // the ground was checked when it was read
	}
	ran, err := queried(ctx, engine, []runs.TestQuery{q}, value, counterFuel)
	if err != nil {
		return runs.Run{}, err
	}
	var source string
	switch {
	case json.Unmarshal(value, &source) != nil, strings.Contains(ran.Why, ": syntax error"):
		ran.Said, ran.Why = sandbox.None, "it is no query in SQL: "+short(ran.Why)
	case ran.Said == sandbox.True:
		ran.Why = short(g.Counterexample.String()) + " gives " + short(string(g.Expected))
	}
	return record(of, sandbox.VersionSQL, sandbox.SQLite, ran), nil
}
