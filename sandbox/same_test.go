package sandbox

import (
	"encoding/json"
	"flag"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"ojud/test/longtest"
)

var (
	// all has every program of the tables run, which takes minutes where they are interpreted.
	all = flag.Bool("all", false, "run every program of the tables")
	// slow has CPython interpreted, which takes five seconds for each program.
	slow = flag.Bool("python", false, "interpret some programs in Python, too")
)

// sample is a program with what it says, and how much it uses, on every machine.
type sample struct {
	kind, name string
	python     bool
	want       Run
	run        func(*Engine) (Run, error)
}

// few reports whether a program is run without the flag: some of each table, and floats, whose NaN
// machines make differently.
func few(i int, name string) bool {
	return *all || i%6 == 0 || slices.Contains([]string{"floats", "NaN", "recursion", "endless recursion"}, name)
}

// samples are the programs that take little enough where they are interpreted.
func samples(t *testing.T, python bool) (out []sample) {
	const most = 50_000_000
	add := func(i int, kind, name string, want Run, run func(*Engine) (Run, error)) {
		if few(i, name) {
			out = append(out, sample{kind, name, strings.HasSuffix(strings.ToLower(kind), "python"), want, run})
		}
	}
	for i, s := range scripts {
		if s.fuel <= most {
			add(i, "JavaScript", s.name, Run{s.said, s.why, s.fuel}, func(e *Engine) (Run, error) {
				return e.JavaScript(t.Context(), Script{Source: s.source, Inputs: map[string]json.RawMessage{"result": json.RawMessage(result)}})
			})
		}
	}
	for i, c := range returns {
		add(i, "call", c.name, Run{Said(c.value), c.why, c.fuel}, func(e *Engine) (Run, error) {
			got := callJavaScript(t, e, c.source, c.arg)
			return Run{Said(got.Value), got.Why, got.Fuel}, nil
		})
	}
	for i, s := range queries {
		if s.fuel <= most {
			add(i, "SQL", s.name, Run{s.said, s.why, s.fuel}, func(e *Engine) (Run, error) {
				return e.SQL(t.Context(), Script{Source: s.source, Inputs: inputs()})
			})
		}
	}
	for i, c := range parses {
		add(i, "parse "+string(c.language), c.name, Run{c.said, c.why, c.fuel}, func(e *Engine) (Run, error) {
			return e.Parse(t.Context(), c.language, c.text)
		})
	}
	for i, m := range []struct {
		name, code string
		want       Run
	}{
		{"an answer", says(`[false, "line 7"]`), Run{False, "line 7", 1_064}},
		{"recursion", writes(1, callSelf), Run{None, "the check program did not get to its end: calls too deep", 5_000}},
		{"a loop", writes(1, loop+br0+end1), Run{None, "the check program did not get to its end: out of fuel", MaxModuleFuel}},
	} {
		if m.want.Fuel > most && !*all {
			continue
		}
		add(6*i, "WASI", m.name, m.want, func(e *Engine) (Run, error) { return e.Module(t.Context(), []byte(m.code), nil) })
	}
	if !python {
		return out
	}
	for i, c := range calls {
		add(i+1, "Python", c.name, Run{Said(c.value), c.why, c.fuel}, func(e *Engine) (Run, error) {
			got := callF(t, e, c.source, c.arg)
			return Run{Said(got.Value), got.Why, got.Fuel}, nil
		})
	}
	for i, c := range pythonParses {
		add(i+1, "parse python", c.name, Run{c.said, c.why, c.fuel}, func(e *Engine) (Run, error) { return e.Parse(t.Context(), Python, c.text) })
	}
	return out
}

// TestSame: programs say the same and use the same fuel, compiled and interpreted, on this machine
// and on any other, because the tables say what. `make machines` runs it on four.
func TestSame(t *testing.T) {
	longtest.Only(t)
	_, err := PythonHere()
	if err != nil {
		t.Logf("NOT RUN: the programs in Python: %v", err)
	}
	interpreted, bad := open(t.Context(), wazero.NewCompilationCache(), wazero.NewRuntimeConfigInterpreter())
	if bad != nil {
		t.Fatal(bad)
	}
	t.Cleanup(func() {
		if err := interpreted.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	engines := []struct {
		how string
		*Engine
	}{{"interpreted", interpreted}}
	if compiles() {
		engines = append(engines, struct {
			how string
			*Engine
		}{"compiled", openEngine(t)})
	}
	list := samples(t, err == nil)
	for _, e := range engines {
		begun, made := time.Now(), 0
		for _, s := range list {
			if s.python && e.how == "interpreted" && !*slow && !*all {
				continue
			}
			made++
			if got, err := s.run(e.Engine); err != nil || got != s.want {
				t.Errorf("%s %s: %+v instead of %+v, %v", s.kind, s.name, got, s.want, err)
			}
		}
		t.Logf("%s/%s, %s: %d programs, %s", runtime.GOOS, runtime.GOARCH, e.how, made, time.Since(begun).Round(time.Second/10))
	}
	// The control: the comparison finds a program that says something else.
	s := list[0]
	s.want.Fuel++
	if got, err := s.run(interpreted); err != nil || got == s.want {
		t.Errorf("another amount of fuel is not seen: %+v, %v", got, err)
	}
}
