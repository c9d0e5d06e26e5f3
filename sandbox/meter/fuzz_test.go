package meter

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// maker makes a valid module of the bytes of a fuzzer: three functions of two numbers, which call
// each other, with blocks, loops, jump tables, memory and floats.
type maker struct {
	from []byte
	nest int
	in   int // the function that is made
}

const functions, ownLocals = 3, 4

func (m *maker) byte() byte {
	if len(m.from) == 0 {
		return 0
	}
	b := m.from[0]
	m.from = m.from[1:]
	return b
}

func (m *maker) pick(n int) int { return int(m.byte()) % n }

func uleb(v int) string { return string(binary.AppendUvarint(nil, uint64(v))) }

// value makes code that leaves an i32 on the stack.
func (m *maker) value(depth int) string {
	if depth == 0 || len(m.from) == 0 {
		return "\x41" + string(m.byte()&0x3f)
	}
	depth--
	switch m.pick(13) {
	case 0, 1:
		return "\x20" + string(byte(m.pick(2+ownLocals)))
	case 2, 3:
		return m.value(depth) + m.value(depth) + string([]byte{0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x76, 0x48, 0x6e}[m.pick(10)])
	case 4:
		return m.value(depth) + "\x41\xff\x07\x71\x28\x02\x00" // a load from the first kilobyte
	case 5:
		return m.value(depth) + m.value(depth) + "\x10" + string(byte(m.pick(functions)))
	case 6:
		return m.value(depth) + m.value(depth) + "\x41" + string(byte(m.pick(functions))) + "\x11\x00\x00"
	case 7:
		return m.value(depth) + "\x04\x7f" + m.value(depth) + "\x05" + m.value(depth) + "\x0b"
	case 8: // floats, compared or made an integer again, never seen as bits
		op := []string{"\xa0", "\xa1", "\xa2", "\xa3", "\xa4", "\xa5"}[m.pick(6)]
		return m.value(depth) + "\xb7" + m.value(depth) + "\xb7" + op + "\x9f" + "\xfc\x02"
	case 9:
		return m.value(depth) + m.value(depth) + m.value(depth) + "\x1b"
	case 10:
		return "\x3f\x00"
	case 11: // vectors of floats, compared with zero; TestLanes sees their bits
		narrow := m.pick(2) == 0
		splat, ops := "\xfd\x14", []string{"\xfd\xf0\x01", "\xfd\xf1\x01", "\xfd\xf2\x01", "\xfd\xf3\x01", "\xfd\xf4\x01", "\xfd\xf5\x01"}
		root, less := "\xfd\xef\x01\xfd\x94\x01", "\xfd\x49"
		if narrow {
			splat, ops = "\xb6\xfd\x13", []string{"\xfd\xe4\x01", "\xfd\xe5\x01", "\xfd\xe6\x01", "\xfd\xe7\x01", "\xfd\xe8\x01", "\xfd\xe9\x01"}
			root, less = "\xfd\xe3\x01\xfd\x6a", "\xfd\x43"
		}
		return m.value(depth) + "\xb7" + splat + m.value(depth) + "\xb7" + splat + ops[m.pick(6)] + root + "\xfd\x0c" + strings.Repeat("\x00", 16) + less + "\xfd\x1b" + string(byte(m.pick(4)))
	}
	return m.value(depth) + "\x45"
}

// statement makes code that leaves the stack as it is.
func (m *maker) statement() string {
	if m.nest > 4 || len(m.from) == 0 {
		return "\x01"
	}
	m.nest++
	defer func() { m.nest-- }()
	switch m.pick(10) {
	case 0, 1:
		return m.value(3) + "\x21" + string(byte(m.pick(2+ownLocals)))
	case 2:
		return m.value(2) + "\x41\xff\x07\x71" + m.value(3) + "\x36\x02\x00"
	case 3:
		return "\x02\x40" + m.statements() + "\x0b"
	case 4: // a loop that ends: its own local counts
		counter := string(byte(2 + ownLocals + min(m.nest, 5)))
		return "\x41" + string(byte(m.pick(6))) + "\x21" + counter + "\x03\x40" + m.statements() +
			"\x20" + counter + "\x41\x01\x6b\x22" + counter + "\x41\x00\x4a\x0d\x00\x0b"
	case 5:
		return m.value(2) + "\x04\x40" + m.statements() + "\x05" + m.statements() + "\x0b"
	case 6: // forward only: a block around the jump
		return "\x02\x40" + m.value(2) + "\x0d\x00" + m.statements() + "\x0b"
	case 7:
		return "\x02\x40\x02\x40\x02\x40" + m.value(2) + "\x0e\x02\x00\x01\x02\x0b" + m.statements() + "\x0b" + m.statements() + "\x0b"
	case 8:
		return m.value(2) + "\x04\x40" + m.value(2) + "\x0f\x0b"
	}
	return "\x41" + string(byte(m.pick(64))) + m.value(1) + "\x41" + string(byte(m.pick(64))) + "\xfc\x0b\x00"
}

func (m *maker) statements() (code string) {
	for range m.pick(4) {
		code += m.statement()
	}
	return code
}

func (m *maker) module() []byte {
	var bodies []string
	for m.in = range functions {
		code := "\x01" + uleb(ownLocals+6) + "\x7f" + m.statements() + m.statements() + m.value(3) + "\x0b"
		bodies = append(bodies, uleb(len(code))+code)
	}
	section := func(id byte, body string) string { return string(id) + uleb(len(body)) + body }
	return []byte(magic + section(1, "\x01\x60\x02\x7f\x7f\x01\x7f") + section(3, "\x03\x00\x00\x00") + section(4, "\x01\x70\x00\x03") +
		section(5, "\x01\x01\x01\x01") + section(7, "\x02\x03run\x00\x00\x03mem\x02\x00") + section(9, "\x01\x00\x41\x00\x0b\x03\x00\x01\x02") +
		section(10, uleb(functions)+strings.Join(bodies, "")))
}

// seen is what a run shows from outside.
type seen struct {
	result uint64
	memory []byte
	failed bool
	fuel   int64
	depth  int32
}

func play(ctx context.Context, t testing.TB, r wazero.Runtime, raw []byte, metered bool) (s seen) {
	t.Helper()
	m, err := r.InstantiateWithConfig(ctx, raw, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		t.Fatalf("%v\n%x", err, raw)
	}
	var fuel, depth api.MutableGlobal
	if metered {
		fuel, depth = m.ExportedGlobal(Fuel).(api.MutableGlobal), m.ExportedGlobal(Depth).(api.MutableGlobal)
		fuel.Set(200_000)
		depth.Set(100)
	}
	out, err := m.ExportedFunction("run").Call(ctx, 3, 1<<31)
	if err == nil {
		s.result = out[0]
	}
	s.failed = err != nil
	all, _ := m.Memory().Read(0, m.Memory().Size())
	s.memory = bytes.Clone(all)
	if metered {
		s.fuel, s.depth = int64(fuel.Get()), api.DecodeI32(depth.Get())
	}
	if err := m.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzMetered compares a module with itself after it was rewritten: it computes the same if the
// fuel and the depth suffice, and a compiler and an interpreter use the same of both.
func FuzzMetered(f *testing.F) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(true)
	compiled := wazero.NewRuntimeWithConfig(ctx, config)
	interpreted := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	f.Cleanup(func() {
		if compiled.Close(ctx) != nil || interpreted.Close(ctx) != nil {
			f.Error("a runtime does not close")
		}
	})
	for i := range 200 {
		seed := make([]byte, 400)
		for j := range seed {
			seed[j] = byte((i*7919 + j*j*31 + i*j*17) >> (i % 3))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, from []byte) {
		raw := (&maker{from: from[:min(len(from), 2_000)]}).module()
		metered, err := Rewrite(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, other := play(ctx, t, compiled, metered, true), play(ctx, t, interpreted, metered, true)
		if got.fuel != other.fuel || got.depth != other.depth || got.failed != other.failed || got.result != other.result || !bytes.Equal(got.memory, other.memory) {
			t.Fatalf("compiled: result %d failed %v fuel %d depth %d; interpreted: result %d failed %v fuel %d depth %d\n%x",
				got.result, got.failed, got.fuel, got.depth, other.result, other.failed, other.fuel, other.depth, raw)
		}
		if got.fuel < 0 || got.depth < 0 {
			return // the original may run for long
		}
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		want := play(limited, t, compiled, raw, false)
		if want.failed != got.failed || want.result != got.result || !bytes.Equal(want.memory, got.memory) {
			t.Fatalf("metered: result %d failed %v; original: result %d failed %v\n%x", got.result, got.failed, want.result, want.failed, raw)
		}
		if got.depth != 100 && !got.failed {
			t.Fatalf("after the return the depth is %d\n%x", got.depth, raw)
		}
	})
}

// FuzzRewrite: no bytes make the rewriter panic or take long, and a valid module that it accepts is
// valid afterwards.
func FuzzRewrite(f *testing.F) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(16))
	f.Cleanup(func() {
		if err := r.Close(ctx); err != nil {
			f.Error(err)
		}
	})
	f.Add([]byte(magic))
	for i := range 20 {
		f.Add((&maker{from: bytes.Repeat([]byte(fmt.Sprint(i, "!b3z0")), 30)}).module())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		metered, err := Rewrite(raw)
		if err != nil {
			return
		}
		valid, err := r.CompileModule(ctx, raw)
		if err != nil {
			return
		}
		again, err := r.CompileModule(ctx, metered)
		if err != nil {
			t.Fatalf("%v\n%x", err, raw)
		}
		if valid.Close(ctx) != nil || again.Close(ctx) != nil {
			t.Fatal("a module does not close")
		}
	})
}

// TestMultipleResults: the block around a function has the function's results.
func TestMultipleResults(t *testing.T) {
	// run(n) = n == 0 ? (7, 8) : run(n - 1)
	code := "\x00\x20\x00\x45\x04\x01\x41\x07\x42\x08\x0f\x05\x20\x00\x41\x01\x6b\x10\x00\x0b\x0b"
	types := "\x02\x60\x01\x7f\x02\x7f\x7e\x60\x00\x02\x7f\x7e"
	raw := []byte(magic + "\x01" + uleb(len(types)) + types + "\x03\x02\x01\x00" + "\x07\x07\x01\x03run\x00\x00" +
		"\x0a" + uleb(len(code)+1+len(uleb(len(code)))) + "\x01" + uleb(len(code)) + code)
	metered, err := Rewrite(raw)
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntime(t.Context())
	m, err := r.Instantiate(t.Context(), metered)
	if err != nil {
		t.Fatal(err)
	}
	fuel, depth := m.ExportedGlobal(Fuel).(api.MutableGlobal), m.ExportedGlobal(Depth).(api.MutableGlobal)
	fuel.Set(10_000)
	depth.Set(50)
	out, err := m.ExportedFunction("run").Call(t.Context(), 49)
	if err != nil || len(out) != 2 || out[0] != 7 || out[1] != 8 || depth.Get() != 50 {
		t.Errorf("%v, %v, depth %d", out, err, depth.Get())
	}
	if _, err := m.ExportedFunction("run").Call(t.Context(), 50); err == nil || api.DecodeI32(depth.Get()) >= 0 {
		t.Errorf("deeper than 50: %v", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestLanes: each vector instruction that may make a NaN makes the canonical one, compiled and
// interpreted, and the other lanes stay as they are.
func TestLanes(t *testing.T) {
	vector := func(bits ...uint64) string {
		return "\xfd\x0c" + string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, bits[0]), bits[1]))
	}
	const nan32, nan64 = 0x7fc00000, 0x7ff8000000000000
	narrow := []string{
		vector(0x7fa00001_40800000, 0xbf800000_ffc00123), // 4, a signalling NaN, a negative NaN, -1
		vector(0x7f800000_00000000, 0x80000000_ff800000), // 0, infinities, -0
	}
	wide := []string{vector(0x7ff4000000000001, 0x4010000000000000), vector(0xfff8000000000123, 0xbff0000000000000), vector(0xfff0000000000000, 0)}
	for kind := uint64(0x5e); kind <= 0xf5; kind++ {
		of := lane(kind)
		if of == 0 {
			continue
		}
		op := "\xfd" + uleb(int(kind))
		operands := wide
		if of == f32 && kind != 0x5e || kind == 0x5f {
			operands = narrow
		}
		for _, a := range operands {
			for _, b := range operands {
				code := a + op
				if binary := kind >= 0xe4 && kind <= 0xe9 || kind >= 0xf0; binary {
					code = a + b + op
				}
				code = "\x00\x41\x00" + code + "\xfd\x0b\x00\x00\x41\x00\x0b"
				raw := []byte(magic + "\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f" + "\x03\x02\x01\x00" + "\x05\x03\x01\x00\x01" +
					"\x07\x07\x01\x03run\x00\x00" + "\x0a" + uleb(len(code)+1+len(uleb(len(code)))) + "\x01" + uleb(len(code)) + code)
				metered, err := Rewrite(raw)
				if err != nil {
					t.Fatal(err)
				}
				var all [2][]byte
				for i, config := range []wazero.RuntimeConfig{wazero.NewRuntimeConfig(), wazero.NewRuntimeConfigInterpreter()} {
					r := wazero.NewRuntimeWithConfig(t.Context(), config)
					all[i] = play(t.Context(), t, r, metered, true).memory[:16]
					if err := r.Close(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if !bytes.Equal(all[0], all[1]) {
					t.Errorf("0xfd %#x: compiled %x, interpreted %x", kind, all[0], all[1])
				}
				for i := range 4 {
					if bits := binary.LittleEndian.Uint32(all[0][4*i:]); of == f32 && bits&0x7fffffff > 0x7f800000 && bits != nan32 {
						t.Errorf("0xfd %#x makes the NaN %#x", kind, bits)
					}
				}
				for i := range 2 {
					if bits := binary.LittleEndian.Uint64(all[0][8*i:]); of == f64 && bits<<1 > 0x7ff0000000000000<<1 && bits != nan64 {
						t.Errorf("0xfd %#x makes the NaN %#x", kind, bits)
					}
				}
			}
		}
	}
}
