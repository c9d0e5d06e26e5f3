package casefile

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// CheckProgram is a small program that decides a point of a task (protocol section 2).
type CheckProgram struct {
	JavaScript string `json:"javascript"`
}

// Tests are calls of functions of a program that is the result (protocol section 2).
type Tests struct {
	JavaScript []TestCall `json:"javascript"`
}

// TestCall is a call, and what it has to return.
type TestCall struct {
	Function string            `json:"function"`
	Args     []json.RawMessage `json:"args"`
	Returns  json.RawMessage   `json:"returns"`
}

// Runs reports whether code is run for a check.
func (k Check) Runs() bool { return k.Program != nil || k.Tests != nil }

// Run is a run of a check program on the result of a case. Everyone who repeats it gets the same.
type Run struct {
	Expected uint8  `json:"expected"` // which of the task's checks
	Engine   string `json:"engine"`   // the rules by which it ran, such as ojud-wasm-1
	Module   Digest `json:"module"`   // what interpreted it
	Said     Said   `json:"said"`
	Why      string `json:"why,omitempty"`
	Fuel     uint64 `json:"fuel"`
}

// Said is what a check program says of a result.
type Said string

// What a check program can say. None decides nothing: it cannot tell, or did not get to its end.
const (
	SaidTrue  Said = "true"
	SaidFalse Said = "false"
	SaidNone  Said = "none"
)

// The limits of a check program and its run.
const (
	maxProgram = 32 << 10 // bytes
	maxRunWhy  = 600      // bytes
	maxEngine  = 64       // bytes
	maxCalls   = 32
	maxArgs    = 16
)

// Outcome is how a finding of the run must end.
func (r Run) Outcome() CheckOutcome {
	return map[Said]CheckOutcome{SaidTrue: Pass, SaidFalse: Fail, SaidNone: Unknown}[r.Said]
}

// function is how a function is named.
var function = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]{0,63}$`)

// validateRuns checks a check that runs code.
func (k Check) validateRuns(c *checker, path string) {
	if k.Data != nil || k.Each != nil || k.compares() || k.Program != nil && k.Tests != nil {
		c.fail(path, "has a program or tests, and something else; make two checks of it, and a program takes no data")
	}
	if k.Program != nil {
		c.text(path+".program.javascript", k.Program.JavaScript, 1, maxProgram)
		return
	}
	calls := k.Tests.JavaScript
	if len(calls) == 0 {
		c.fail(path+".tests.javascript", "is empty; write at least one call")
	}
	c.count(path+".tests.javascript", len(calls), maxCalls, "calls")
	for i, call := range calls {
		at := fmt.Sprintf("%s.tests.javascript[%d]", path, i)
		if !function.MatchString(call.Function) {
			c.fail(at+".function", "%.70q is not the name of a function", call.Function)
		}
		c.count(at+".args", len(call.Args), maxArgs, "arguments")
	}
}

func (r *Run) validate(c *checker, path string) {
	if r.Expected >= maxChecks {
		c.fail(path+".expected", "is %d; a task has at most %d checks", r.Expected, maxChecks)
	}
	c.plain(path+".engine", r.Engine, maxEngine)
	c.text(path+".why", r.Why, 0, maxRunWhy)
	if r.Outcome() == "" {
		c.fail(path+".said", "%.20q is none of true, false, none", string(r.Said))
	}
	const most = 1 << 53
	if r.Fuel > most {
		c.fail(path+".fuel", "is %d; at most 2^53 is allowed", r.Fuel)
	}
}

const _ = uint8(maxChecks) // an index of a check is a byte
