package casefile

import (
	"slices"

	"ojud/casefile/demand"
	"ojud/casefile/runs"
)

// Runs reports whether an interpreter is run for a check: on code, or only to parse it.
func (k Check) Runs() bool { return k.Executes() || k.InEngine() }

// Executes reports whether code is executed for a check.
func (k Check) Executes() bool { return k.Program != nil || k.Tests != nil }

// Python reports whether a check needs CPython, which not every machine has.
func (k Check) Python() bool {
	return k.Tests != nil && len(k.Tests.Python) > 0 || k.Parses != nil && *k.Parses == demand.Python
}

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
	rest, kinds := k, 0
	for _, is := range []bool{k.Program != nil, k.Tests != nil, k.Sealed != nil, k.InEngine()} {
		if is {
			kinds++
		}
	}
	if k.InEngine() {
		rest.Parses = nil
	}
	if k.Data != nil || k.Each != nil || rest.compares() || kinds > 1 {
		c.fail(path, "has a program, tests, a seal or code that an interpreter parses, and something else; make two checks of it, without data or each")
	}
	if k.Program != nil {
		c.problem(path+".program", k.Program.Problem)
	}
	if k.Tests != nil {
		c.problem(path+".tests", k.Tests.Problem)
	}
}

// problem reports what is wrong with a part of a document.
func (c *checker) problem(path string, part func() (field, problem string)) {
	if field, problem := part(); field != "" {
		c.fail(join(path, field), "%s", problem)
	} else if problem != "" {
		c.fail(path, "%s", problem)
	}
}
