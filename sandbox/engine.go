package sandbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
	"golang.org/x/sync/semaphore"

	"ojud/sandbox/meter"
)

// Version names the rules by which programs run: the prices of instructions, the functions of the
// host, and the limits below. A change of any of them is a new version.
const Version = "ojud-wasm-2"

// The limits of every run.
const (
	maxModule = 32 << 20
	maxPages  = 1_024 // of 64 KiB of memory
	maxDepth  = 1_000 // of calls in calls
)

// MaxFuel is how much a program may execute, in the prices of package meter. A processor of 2024
// needs half a second for it.
const MaxFuel = 2_000_000_000

// pageBytes is the size of a page of memory.
const pageBytes = 64 << 10

// end says how a run ended. No text of the library that executes a module is part of it, because
// another version would say something else.
type end string

const (
	returned end = "returned"
	exited   end = "exited"
	trapped  end = "trapped"
	fuelOut  end = "out of fuel"
	tooDeep  end = "calls too deep"
	tooLong  end = "too much output"
)

// Engine compiles modules and runs programs. It is safe for concurrent use.
type Engine struct {
	runtime wazero.Runtime
	checker wazero.Runtime // interprets; says whether a module is valid before it is rewritten
	cache   wazero.CompilationCache
	config  wazero.RuntimeConfig // without the cache
	slots   *semaphore.Weighted

	single sync.Mutex // one module of a stranger runs at a time
	last   *stranger

	building sync.Mutex     // one interpreter is compiled at a time
	alone    wazero.Runtime // without the cache; nil until it is needed

	mu      sync.Mutex
	modules map[string]module // the interpreters by their hash
}

// module is a compiled module with the runtime that has it.
type module struct {
	code wazero.CompiledModule
	in   wazero.Runtime
}

// Open returns an engine. The engines of a person's processes keep compiled modules in the user's
// cache, so that each is compiled once. If there is no such place, or what is there is damaged, the
// engine compiles for itself. Close it.
func Open(ctx context.Context) (*Engine, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return openIn(ctx, "")
	}
	e, err := openIn(ctx, filepath.Join(dir, "ojud", "compiled"))
	if err == nil {
		return e, nil
	}
	alone, bad := openIn(ctx, "")
	if bad != nil {
		return nil, errors.Join(bad, err)
	}
	return alone, nil
}

// openIn returns an engine that keeps compiled modules in a directory, or in memory if dir is
// empty.
func openIn(ctx context.Context, dir string) (*Engine, error) {
	cache := wazero.NewCompilationCache()
	if dir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, fmt.Errorf("the directory of compiled programs: %w", err)
		}
	}
	// A compiled run is over within a second. To let a context end it would cost nine times as
	// much. Where there is no compiler, a run may last a minute, and a context ends it.
	return open(ctx, cache, wazero.NewRuntimeConfig().WithCloseOnContextDone(!compiles()))
}

// compiles reports whether there is a compiler for this machine. Otherwise modules are interpreted.
func compiles() bool { return runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" }

func open(ctx context.Context, cache wazero.CompilationCache, config wazero.RuntimeConfig) (*Engine, error) {
	limited := func(c wazero.RuntimeConfig) wazero.RuntimeConfig {
		return c.WithMemoryLimitPages(maxPages).WithDebugInfoEnabled(false)
	}
	e := &Engine{
		runtime: wazero.NewRuntimeWithConfig(ctx, limited(config).WithCompilationCache(cache)),
		checker: wazero.NewRuntimeWithConfig(ctx, limited(wazero.NewRuntimeConfigInterpreter().WithCloseOnContextDone(true))),
		cache:   cache,
		config:  limited(config),
		slots:   semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
		modules: map[string]module{},
	}
	if err := errors.Join(provide(ctx, e.runtime), provide(ctx, e.checker)); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// Close ends the engine. No run may be under way.
func (e *Engine) Close(ctx context.Context) error {
	err := errors.Join(e.runtime.Close(ctx), e.checker.Close(ctx))
	if e.alone != nil {
		err = errors.Join(err, e.alone.Close(ctx))
	}
	return errors.Join(err, e.cache.Close(ctx))
}

// own compiles an interpreter that is known by its hash, once. Read gets its bytes.
func (e *Engine) own(ctx context.Context, hash string, read func() ([]byte, error)) (module, error) {
	known := func() (module, bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		m, ok := e.modules[hash]
		return m, ok
	}
	if m, ok := known(); ok {
		return m, nil
	}
	e.building.Lock()
	defer e.building.Unlock()
	if m, ok := known(); ok {
		return m, nil
	}
	raw, err := read()
	if err != nil {
		return module{}, err
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != hash {
		return module{}, fmt.Errorf("this is another module: its SHA-256 is %x instead of %s", sum, hash)
	}
	metered, err := meter.Rewrite(raw) // the hash says that it is valid
	if err != nil {
		return module{}, fmt.Errorf("the module cannot be metered: %w", err)
	}
	m, err := e.build(ctx, metered)
	if err != nil {
		return module{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modules[hash] = m
	return m, nil
}

// build compiles a metered module. The caller holds building.
func (e *Engine) build(ctx context.Context, metered []byte) (m module, err error) {
	m.in = e.runtime
	if m.code, err = e.runtime.CompileModule(ctx, metered); err == nil {
		return m, nil
	}
	if m, err = e.compileAlone(ctx, metered); err != nil {
		return module{}, fmt.Errorf("the metered module is not valid: %w", err)
	}
	return m, nil
}

// badModule says why a module is not run. Why is the same on every machine, and no library wrote
// it.
type badModule struct {
	why string
	err error // what a library says
}

func (b badModule) Error() string {
	if b.err == nil {
		return b.why
	}
	return b.why + ": " + b.err.Error()
}

// meter checks and rewrites a module. May says what it may import. If the module is at fault, the
// error is a badModule.
func (e *Engine) meter(ctx context.Context, raw []byte, may func(wazero.CompiledModule) error) ([]byte, error) {
	if len(raw) > maxModule {
		return nil, badModule{why: fmt.Sprintf("the module has %d bytes; at most %d are allowed", len(raw), maxModule)}
	}
	checked, err := e.checker.CompileModule(ctx, raw)
	if err != nil {
		return nil, badModule{"the module is not valid", err}
	}
	if may != nil {
		err = may(checked)
	}
	if err := errors.Join(err, checked.Close(ctx)); err != nil {
		return nil, err
	}
	metered, err := meter.Rewrite(raw)
	if err != nil {
		return nil, badModule{why: "the module cannot be metered: " + err.Error()}
	}
	return metered, nil
}

// compileAlone compiles a module without the cache, in which something may be damaged.
func (e *Engine) compileAlone(ctx context.Context, metered []byte) (m module, err error) {
	if e.alone == nil {
		alone := wazero.NewRuntimeWithConfig(ctx, e.config)
		if err := provide(ctx, alone); err != nil {
			return module{}, errors.Join(err, alone.Close(ctx))
		}
		e.alone = alone
	}
	m.in = e.alone
	m.code, err = e.alone.CompileModule(ctx, metered)
	return m, err
}

// process is one run of a module.
type process struct {
	args    []string
	input   []byte // what it reads from its standard input
	fuel    int64
	most    int // bytes of output
	module  api.Module
	output  []byte
	long    bool
	ticks   uint64 // readings of its clock
	guarded bool   // a query of a stranger is prepared
	parsing bool   // it is not executed
	pipes   bool   // its standard files have a state
	deep    int32  // its calls; 0: maxDepth
	refused string // what it asked for, and no program has
	seed    uint64 // of its random numbers
	depth   api.MutableGlobal
	left    api.MutableGlobal
}

// start makes an instance of a module, which has executed nothing yet.
func (e *Engine) start(ctx context.Context, m module, p *process) error {
	if err := e.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	instance, err := m.in.InstantiateModule(ctx, m.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		e.slots.Release(1)
		return fmt.Errorf("the module cannot be started: %w", err)
	}
	p.module = instance
	p.left, p.depth = counter(instance, meter.Fuel), counter(instance, meter.Depth)
	p.left.Set(uint64(p.fuel))
	p.depth.Set(api.EncodeI32(cmp.Or(p.deep, maxDepth)))
	return nil
}

// counter returns a counter of a rewritten module, which always has it.
func counter(m api.Module, name string) api.MutableGlobal {
	return m.ExportedGlobal(name).(api.MutableGlobal)
}

// stop ends the instance.
func (e *Engine) stop(ctx context.Context, p *process) error {
	defer e.slots.Release(1)
	return p.module.Close(ctx)
}

// used is the fuel that was used.
func (p *process) used() int64 { return p.fuel - max(0, int64(p.left.Get())) }

// call calls a function that the module exports. After an end that is not returned, the instance
// must not be called again.
func (p *process) call(ctx context.Context, name string, params ...uint64) ([]uint64, end, uint32) {
	f := p.module.ExportedFunction(name)
	if f == nil || len(f.Definition().ParamTypes()) != len(params) {
		return nil, trapped, 0
	}
	out, err := f.Call(context.WithValue(ctx, processKey{}, p), params...)
	how, code := p.ended(err)
	return out, how, code
}

// ended says how a call ended. The counters come first: they say the same on every machine.
func (p *process) ended(err error) (end, uint32) {
	var exit *sys.ExitError
	switch {
	case int64(p.left.Get()) < 0:
		return fuelOut, 0
	case api.DecodeI32(p.depth.Get()) < 0:
		return tooDeep, 0
	case p.long:
		return tooLong, 0
	case errors.As(err, &exit):
		return exited, exit.ExitCode()
	case err != nil:
		return trapped, 0
	}
	return returned, 0
}
