package proof

import (
	"context"
	"encoding/json"
	"strings"

	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/sandbox"
)

// counterFuel is what one counterexample may use, so that all of a pleading use no more than one
// check program.
const counterFuel = sandbox.MaxFuel / ground.MaxCounterexamples

// Counterexample makes the call of ground i of a pleading, which is of the kind returns, and says
// whether the program in the result returns what the ground expects. It says none if the result is
// no program in JavaScript, because it may be one in another language. The errors are those of Run.
func (p *Prover) Counterexample(ctx context.Context, pleading string, i int, g ground.Ground, result []byte) (runs.Run, error) {
	value, err := at(result, g.Pointer)
	if err != nil {
		return runs.Run{}, err
	}
	engine, err := p.open(ctx)
	if err != nil {
		return runs.Run{}, err
	}
	call := runs.TestCall{Function: g.Counterexample.Function, Args: g.Counterexample.Args, Returns: g.Expected}
	ran, err := tested(ctx, engine, []runs.TestCall{call}, value, counterFuel)
	if err != nil {
		return runs.Run{}, err
	}
	var source string
	switch {
	case json.Unmarshal(value, &source) != nil, strings.Contains(ran.Why, " fails: SyntaxError"):
		ran.Said, ran.Why = sandbox.None, "it is no program in JavaScript: "+short(ran.Why)
	case ran.Said == sandbox.True:
		ran.Why = short(g.Counterexample.String()) + " returns " + short(string(g.Expected))
	}
	return record(runs.GroundAt(pleading, i), sandbox.Version, sandbox.QuickJS, ran), nil
}
