package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// VersionWASI names the rules by which modules of strangers run, as Version does for JavaScript.
const VersionWASI = "ojud-wasi-1"

// The limits of a module of a stranger. It is interpreted, because nothing bounds how long a
// compiler takes: one of 900 kB took more than eight minutes. So it has less fuel.
const (
	MaxModule     = 256 << 10 // bytes
	MaxModuleFuel = 100_000_000
)

// stranger is the module of a stranger that ran last.
type stranger struct {
	hash [sha256.Size]byte
	module
}

// Module runs a module of a stranger: a command of WASI preview 1. It reads its inputs as one JSON
// object from its standard input, and writes what it says as JSON: true, false, null, or one of
// them with a reason. An error says that it cannot be run at all, or that ctx ended. A module that
// is not allowed says none, and why.
func (e *Engine) Module(ctx context.Context, raw []byte, inputs map[string]json.RawMessage) (run Run, err error) {
	run.Said = None
	input, err := plainJSON(inputs)
	switch {
	case err != nil:
		return run, fmt.Errorf("the inputs of the check program: %w", err)
	case len(input) > maxInput:
		return run, fmt.Errorf("the inputs of the check program have %d bytes; at most %d are allowed", len(input), maxInput)
	case len(raw) > MaxModule:
		run.Why = fmt.Sprintf("the module has %d bytes; at most %d are allowed", len(raw), MaxModule)
		return run, nil
	}
	e.single.Lock()
	defer e.single.Unlock()
	m, err := e.foreign(ctx, raw)
	var bad badModule
	switch {
	case errors.As(err, &bad):
		run.Why = cut(bad.why)
		return run, nil
	case err != nil:
		return run, err
	}
	p := &process{args: []string{"check"}, input: []byte(input), fuel: MaxModuleFuel, most: 4 * maxWhy}
	if err := e.start(ctx, m, p); err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, e.stop(ctx, p)) }()
	_, how, code := p.call(ctx, "_start")
	if err := context.Cause(ctx); err != nil {
		return run, err // it is not the program's fault
	}
	run.Fuel = p.used()
	switch {
	case how == exited && code != 0:
		run.Why = fmt.Sprintf("the check program failed: exit status %d", code)
	case how != returned && how != exited:
		run.Why = "the check program did not get to its end: " + string(how)
	default:
		run.Said, run.Why = spoken(p.output)
	}
	return run, nil
}

const hint = "the check program failed: it writes neither true, false or null, nor one of them with a reason: [false, \"why\"]"

// spoken reads what a module wrote.
func spoken(output []byte) (Said, string) {
	truth, why := json.RawMessage(output), ""
	var pair []json.RawMessage
	if json.Unmarshal(output, &pair) == nil && len(pair) == 2 {
		if json.Unmarshal(pair[1], &why) != nil || pair[1][0] != '"' {
			return None, hint
		}
		truth = pair[0]
	}
	said, known := map[string]Said{"true": True, "false": False, "null": None}[strings.TrimSpace(string(truth))]
	if !known {
		return None, hint
	}
	return said, cut(why)
}

// foreign prepares a module of a stranger, unless it ran last. The caller holds single.
func (e *Engine) foreign(ctx context.Context, raw []byte) (module, error) {
	sum := sha256.Sum256(raw)
	if e.last != nil && e.last.hash == sum {
		return e.last.module, nil
	}
	metered, err := e.meter(ctx, raw, command)
	if err != nil {
		return module{}, err
	}
	m := module{in: e.checker}
	if m.code, err = e.checker.CompileModule(ctx, metered); err != nil {
		return module{}, fmt.Errorf("the metered module is not valid: %w", err)
	}
	if e.last != nil {
		err = e.last.code.Close(ctx)
	}
	e.last = &stranger{sum, m}
	return m, err
}
