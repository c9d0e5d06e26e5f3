package casefile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile/demand"
	"ojud/casefile/pin"
	"ojud/casefile/runs"
	"ojud/schema/pointer"
)

// Task is a creator's request for work (protocol section 2; the object of seed 000).
type Task struct {
	Instruction  []string          `json:"instruction"`
	InputData    []json.RawMessage `json:"input_data,omitempty"`
	PDA          []pin.Data        `json:"pda,omitempty"`
	OutputSchema json.RawMessage   `json:"output_schema"`
	DataSources  []string          `json:"data_sources,omitempty"`
	Expected     []Check           `json:"expected,omitempty"`
}

// Check is one thing that code can decide. A nil field is not checked (protocol section 2).
type Check struct {
	Path     string             `json:"path"` // JSON pointer into the result, or into the source's answer
	Data     *Lookup            `json:"data,omitempty"`
	Count    *uint64            `json:"count,omitempty"`
	MinCount *uint64            `json:"min_count,omitempty"`
	MaxCount *uint64            `json:"max_count,omitempty"`
	Lines    *uint64            `json:"lines,omitempty"`
	MinLines *uint64            `json:"min_lines,omitempty"`
	MaxLines *uint64            `json:"max_lines,omitempty"`
	Bytes    *uint64            `json:"bytes,omitempty"`
	MinBytes *uint64            `json:"min_bytes,omitempty"`
	MaxBytes *uint64            `json:"max_bytes,omitempty"`
	SHA256   *Digest            `json:"sha256,omitempty"`
	Equals   json.RawMessage    `json:"equals,omitempty"` // any JSON, null too; empty when not checked
	Contains *string            `json:"contains,omitempty"`
	Program  *runs.CheckProgram `json:"program,omitempty"`
	Tests    *runs.Tests        `json:"tests,omitempty"`
	Sealed   *Digest            `json:"sealed,omitempty"`  // of a program or tests that are shown in a dispute: package casefile/sealed
	Rework   uint8              `json:"rework,omitempty"`  // of a sealed check: which result it is for, the first being 0
	Settles  []int              `json:"settles,omitempty"` // indexes of the instructions that are met if this check passes
	demand.Demands
}

// The limits of a task.
const (
	maxInstructions = 64
	maxInstruction  = 8192 // bytes
	maxInputs       = 256
	maxSources      = 16
	maxChecks       = 64
	maxPrograms     = 8 // each may take half a second
)

// ParseTask reads a task. Errors name the field, the limit and what would be right.
func ParseTask(raw []byte) (Doc[Task], error) { return read[Task]("task file", raw, MaxDocument) }

// NewTask validates t and gives its canonical form.
func NewTask(t Task) (Doc[Task], error) { return write("task file", t, MaxDocument) }

func (t Task) validate(document string) error {
	c := &checker{document: document}
	if len(t.Instruction) == 0 {
		c.fail("instruction", "is empty; write at least one string of instructions")
	}
	c.count("instruction", len(t.Instruction), maxInstructions, "strings")
	for i, s := range t.Instruction {
		c.text(fmt.Sprintf("instruction[%d]", i), s, 1, maxInstruction)
	}
	c.count("input_data", len(t.InputData), maxInputs, "items")
	c.count("pda", len(t.PDA), pin.Max, "addresses")
	for i, d := range t.PDA {
		if _, err := ParseAddress(d.Account); d.Problem(err, t.PDA[:i]) != nil {
			c.fail(fmt.Sprintf("pda[%d]", i), "%.60q: %v; give the address of an agent data account or leave pda out", d.Account, d.Problem(err, t.PDA[:i]))
		}
	}
	if len(t.OutputSchema) == 0 || t.OutputSchema[0] != '{' {
		c.fail("output_schema", `is not an object; give a JSON Schema or the short form, such as {"text":"string"}`)
	}
	c.count("data_sources", len(t.DataSources), maxSources, "names")
	for i, s := range t.DataSources {
		c.name(fmt.Sprintf("data_sources[%d]", i), s)
	}
	c.count("expected", len(t.Expected), maxChecks, "checks")
	programs, cost := 0, 0
	for i, check := range t.Expected {
		path := fmt.Sprintf("expected[%d]", i)
		check.validate(c, path)
		cost += check.Cost()
		if check.Runs() || check.Sealed != nil {
			programs++
		}
		if slices.ContainsFunc(check.Settles, func(n int) bool { return n < 0 || n >= len(t.Instruction) }) {
			c.fail(path+".settles", "is %v; write indexes of the %d instructions, from 0 on", check.Settles[:min(len(check.Settles), 8)], len(t.Instruction))
		}
		if check.Data != nil && !slices.Contains(t.DataSources, check.Data.Source) {
			c.fail(path+".data.data_source", "%q is not among the task's data_sources; name it there", check.Data.Source)
		}
	}
	c.count("expected", programs, maxPrograms, "programs and tests")
	c.count("expected", cost, demand.MaxCost, "ms of work, as protocol section 2 prices its checks (make fewer of the dear ones, such as not_contains)")
	return c.err
}

// bounds are the numbers of a check by their names.
func (k Check) bounds() map[string]*uint64 {
	return map[string]*uint64{
		"count": k.Count, "min_count": k.MinCount, "max_count": k.MaxCount,
		"lines": k.Lines, "min_lines": k.MinLines, "max_lines": k.MaxLines,
		"bytes": k.Bytes, "min_bytes": k.MinBytes, "max_bytes": k.MaxBytes,
	}
}

// compares reports whether a check demands anything of a value without running code.
func (k Check) compares() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(k.bounds())), func(n *uint64) bool { return n != nil }) || k.SHA256 != nil || len(k.Equals) > 0 || k.Contains != nil || k.Given()
}

func (k Check) validate(c *checker, path string) {
	if err := pointer.Validate(k.Path); err != nil {
		c.fail(path+".path", "%v", err)
	}
	if k.Rework > 0 && k.Sealed == nil {
		c.fail(path+".rework", "stands in a check that is not sealed; only a sealed check is for one result")
	}
	if k.Runs() || k.Sealed != nil {
		k.validateRuns(c, path)
		return
	}
	for name, n := range k.bounds() {
		if n != nil && *n > 1<<53 {
			c.fail(join(path, name), "is %d; at most 2^53 is allowed", *n)
		}
	}
	if !k.compares() {
		c.fail(path, "checks nothing; add one of count, lines, bytes (also with min_ or max_), sha256, equals, contains, program, tests, sealed, %s", demand.All())
	}
	if field, problem := k.Problem(k.Data != nil); problem != "" {
		c.fail(join(path, field), "%s", problem)
	}
	if k.Contains != nil {
		c.text(path+".contains", *k.Contains, 1, maxInstruction)
	}
	if k.Data != nil {
		k.Data.validate(c, path+".data")
	}
}
