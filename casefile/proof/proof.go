// Package proof runs the check programs of a task on a result, for judges, for parties before they
// act, and for everyone who verifies a case file.
package proof

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/casefile/runs"
	"ojud/sandbox"
	"ojud/schema"
	"ojud/schema/pointer"
	"ojud/voting"
)

// Prover runs check programs. It compiles what interprets them when it runs the first one. It is
// safe for concurrent use. The zero value is ready.
type Prover struct {
	mu     sync.Mutex
	engine *sandbox.Engine
}

// Close ends the prover. No run may be under way.
func (p *Prover) Close(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine == nil {
		return nil
	}
	err := p.engine.Close(ctx)
	p.engine = nil
	return err
}

func (p *Prover) open(ctx context.Context) (*sandbox.Engine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.engine != nil {
		return p.engine, nil
	}
	engine, err := sandbox.Open(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("check programs cannot be run: %w", err)
	}
	p.engine = engine
	return engine, nil
}

// Papers are what check programs look at, as canonical JSON, and the modules that the task names.
type Papers struct {
	Task, Result []byte
	Modules      map[voting.Hash][]byte
}

// ModulesOf are modules by their hashes.
func ModulesOf(all ...[]byte) map[voting.Hash][]byte {
	out := map[voting.Hash][]byte{}
	for _, raw := range all {
		out[casefile.HashOf(raw)] = raw
	}
	return out
}

// ErrModule is the error if a module that a task names is not among the papers.
type ErrModule struct{ hash casefile.Digest }

func (e ErrModule) Error() string {
	return fmt.Sprintf("the module %s is not here, so that the check program cannot be run", e.hash)
}

// module is the module that a check runs.
func (p Papers) module(program *runs.CheckProgram) ([]byte, error) {
	var hash casefile.Digest
	if err := hash.UnmarshalText([]byte(program.WASI)); err != nil {
		return nil, err
	}
	raw := p.Modules[voting.Hash(hash)]
	if sha256.Sum256(raw) != hash {
		return nil, ErrModule{hash}
	}
	return raw, nil
}

// ErrNoPython is the error if a check needs CPython, and this machine does not have it.
var ErrNoPython = sandbox.ErrNoPython

// Run runs the check program or the tests of the task's check i, or parses the code there. ErrPlace
// says that nothing stands at its path in the result. Another error says nothing about the result:
// the program could not be run, or ctx ended.
func (p *Prover) Run(ctx context.Context, task casefile.Task, i int, papers Papers) (runs.Run, error) {
	k := task.Expected[i]
	value, err := at(papers.Result, k.Path)
	if err != nil {
		return runs.Run{}, err
	}
	engine, err := p.open(ctx)
	if err != nil {
		return runs.Run{}, err
	}
	rules, module := sandbox.Version, sandbox.QuickJS
	inputs := map[string]json.RawMessage{"task": papers.Task, "result": papers.Result, "value": value}
	var ran sandbox.Run
	switch {
	case k.Tests != nil && len(k.Tests.SQL) > 0:
		rules, module = sandbox.VersionSQL, sandbox.SQLite
		ran, err = queried(ctx, engine, k.Tests.SQL, value, sandbox.MaxFuel)
	case k.Tests != nil && len(k.Tests.Python) > 0:
		rules, module = sandbox.VersionPython, sandbox.CPython
		ran, err = called(ctx, engine, k.Tests.Python, value, sandbox.MaxPythonFuel)
	case k.Tests != nil:
		ran, err = tested(ctx, engine, k.Tests.JavaScript, value, sandbox.MaxFuel)
	case k.InEngine():
		language := sandbox.Language(*k.Parses)
		rules, module = sandbox.VersionParse, sandbox.Parsers()[language]
		ran, err = grammatical(ctx, engine, language, value)
	case k.Program.WASI != "":
		rules, module = sandbox.VersionWASI, k.Program.WASI
		var raw []byte
		if raw, err = papers.module(k.Program); err == nil {
			ran, err = engine.Module(ctx, raw, inputs)
		}
	case k.Program.SQL != "":
		rules, module = sandbox.VersionSQL, sandbox.SQLite
		ran, err = engine.SQL(ctx, sandbox.Script{Source: k.Program.SQL, Inputs: inputs})
	default:
		ran, err = engine.JavaScript(ctx, sandbox.Script{Source: k.Program.JavaScript, Inputs: inputs})
	}
	if err != nil {
		return runs.Run{}, err
	}
	return record(runs.CheckAt(i), rules, module, ran), nil
}

// record is the record of a run.
func record(of, rules, module string, ran sandbox.Run) runs.Run {
	return runs.Run{Of: of, Engine: rules, Module: module, Said: runs.Said(ran.Said), Why: ran.Why, Fuel: uint64(ran.Fuel)}
}

// ErrPlace is the error if a check's path leads nowhere in a result.
type ErrPlace struct{ err error }

func (e ErrPlace) Error() string { return e.err.Error() }

// at returns the value at a path.
func at(result []byte, path string) (json.RawMessage, error) {
	if path == "" {
		return result, nil
	}
	doc, err := schema.Limits{ValueBytes: casefile.MaxDocument, Depth: canon.MaxDepth, Values: casefile.MaxDocument}.Decode(result)
	if err != nil {
		return nil, ErrPlace{err}
	}
	v, err := pointer.Find(doc, path)
	if err != nil {
		return nil, ErrPlace{err}
	}
	return json.Marshal(v)
}

// There returns an error if nothing stands at a path of a result.
func There(result []byte, path string) error {
	_, err := at(result, path)
	return err
}

// controls are results that say nothing. A check program that says true of all of them looks at no
// result.
var controls = [...]string{`null`, `{}`, `[]`, `""`, `0`}

// Hollow reports whether a check program says true of results that say nothing, too. The path of
// the check is left out, because it leads nowhere there.
func (p *Prover) Hollow(ctx context.Context, task casefile.Task, i int, papers Papers) (bool, error) {
	k := task.Expected[i]
	k.Path = ""
	task.Expected = slices.Clone(task.Expected)
	task.Expected[i] = k
	for _, control := range controls {
		run, err := p.Run(ctx, task, i, Papers{Task: papers.Task, Result: []byte(control), Modules: papers.Modules})
		if err != nil || run.Said != runs.True {
			return false, err
		}
	}
	return true, nil
}
