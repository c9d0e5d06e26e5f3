package casefile

import (
	"slices"

	"ojud/casefile/runs"
)

// Runs reports whether code is run for a check.
func (k Check) Runs() bool { return k.Program != nil || k.Tests != nil }

// Modules are the hashes of the modules that the checks of a task run, each once.
func (t Task) Modules() (out []Digest) {
	for _, k := range t.Expected {
		var hash Digest
		if k.Program != nil && hash.UnmarshalText([]byte(k.Program.WASI)) == nil && !slices.Contains(out, hash) {
			out = append(out, hash)
		}
	}
	return out
}

// OutcomeOf is how a finding of a run must end.
func OutcomeOf(said runs.Said) CheckOutcome {
	return map[runs.Said]CheckOutcome{runs.True: Pass, runs.False: Fail, runs.None: Unknown}[said]
}

// validateRuns checks a check that runs code.
func (k Check) validateRuns(c *checker, path string) {
	if k.Data != nil || k.Each != nil || k.compares() || k.Program != nil && k.Tests != nil {
		c.fail(path, "has a program or tests, and something else; make two checks of it, and a program takes no data")
	}
	if k.Program != nil {
		c.problem(path+".program", k.Program)
	}
	if k.Tests != nil {
		c.problem(path+".tests", k.Tests)
	}
}

// problem reports what is wrong with a part of a document.
func (c *checker) problem(path string, part interface {
	Problem() (field, problem string)
}) {
	field, problem := part.Problem()
	if field != "" {
		path = join(path, field)
	}
	if problem != "" {
		c.fail(path, "%s", problem)
	}
}
