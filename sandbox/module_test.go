package sandbox

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// These functions write modules as bytes.

func number(v int) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func vector(items ...string) string { return string(number(len(items))) + strings.Join(items, "") }

func text(s string) string { return string(number(len(s))) + s }

func section(id byte, body string) string { return string(id) + text(body) }

const head = "\x00asm\x01\x00\x00\x00"

// writes is a module with the memory of some pages and one function, _start. It may call fd_write
// as 0, random_get as 1 and proc_exit as 2.
func writes(pages int, code string) string {
	types := section(1, vector("\x60\x04\x7f\x7f\x7f\x7f\x01\x7f", "\x60\x02\x7f\x7f\x01\x7f", "\x60\x01\x7f\x00", "\x60\x00\x00"))
	wasi := func(name string, kind byte) string {
		return text("wasi_snapshot_preview1") + text(name) + "\x00" + string(kind)
	}
	imports := section(2, vector(wasi("fd_write", 0), wasi("random_get", 1), wasi("proc_exit", 2)))
	body := "\x01\x02\x7f" + code + "\x0b"
	return head + types + imports + section(3, vector("\x03")) + section(5, vector("\x00"+string(number(pages)))) +
		section(7, vector(text("_start")+"\x00\x03", text("memory")+"\x02\x00")) + section(10, vector(text(body)))
}

// The instructions of the modules below.
const (
	loop, br0, end1, drop = "\x03\x40", "\x0c\x00", "\x0b", "\x1a"
	callWrite, callRandom = "\x10\x00", "\x10\x01"
	callExit, callSelf    = "\x10\x02", "\x10\x03"
)

func i32(v int32) string {
	out := []byte{0x41}
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return string(append(out, b))
		}
		out = append(out, b|0x80)
	}
}

// store writes a number to the memory.
func store(at, v int32) string { return i32(at) + i32(v) + "\x36\x02\x00" }

func TestHostileModules(t *testing.T) {
	e := openEngine(t)
	print64 := store(0, 16) + store(4, 64) + loop + i32(1) + i32(0) + i32(1) + i32(8) + callWrite + drop + br0 + end1
	for _, c := range []struct {
		name, module string
		how          end
		code         uint32
		output       int
	}{
		{"nothing", writes(1, ""), returned, 0, 0},
		{"a loop", writes(1, loop+br0+end1), fuelOut, 0, 0},
		{"recursion", writes(1, callSelf), tooDeep, 0, 0},
		{"recursion in a loop", writes(1, loop+callSelf+br0+end1), tooDeep, 0, 0},
		{"an exit", writes(1, i32(7)+callExit), exited, 7, 0},
		{"an exit that seems to be an error", writes(1, i32(-1)+callExit), exited, 1<<32 - 1, 0},
		{"unreachable", writes(1, "\x00"), trapped, 0, 0},
		{"a division by zero", writes(1, i32(1)+i32(0)+"\x6d"+drop), trapped, 0, 0},
		{"a read outside its memory", writes(1, i32(-1)+"\x28\x02\x00"+drop), trapped, 0, 0},
		{"memory in a loop", writes(1, loop+i32(1)+"\x40\x00"+drop+br0+end1), fuelOut, 0, 0},
		{"all memory at once", writes(1, i32(20_000)+"\x40\x00"+drop), returned, 0, 0},
		{"all memory at once in a loop", writes(1, loop+i32(65_535)+"\x40\x00"+drop+br0+end1), fuelOut, 0, 0},
		{"gigabytes of output", writes(1, print64), tooLong, 0, 960},
		{"64 MiB of random numbers in a loop", writes(maxPages, loop+i32(0)+i32(maxPages*pageBytes-1)+callRandom+drop+br0+end1), fuelOut, 0, 0},
		{"64 MiB to standard error in a loop", writes(maxPages, store(0, 0)+store(4, maxPages*pageBytes-1)+loop+i32(2)+i32(0)+i32(1)+i32(8)+callWrite+drop+br0+end1), fuelOut, 0, 0},
		{"64 MiB filled in a loop", writes(maxPages, loop+i32(0)+i32(1)+i32(maxPages*pageBytes-1)+"\xfc\x0b\x00"+br0+end1), fuelOut, 0, 0},
		{"64 MiB moved in a loop", writes(maxPages, loop+i32(0)+i32(1)+i32(maxPages*pageBytes-2)+"\xfc\x0a\x00\x00"+br0+end1), fuelOut, 0, 0},
		{"vectors outside its memory", writes(1, loop+i32(1)+i32(-8)+i32(4_000)+i32(8)+callWrite+drop+br0+end1), fuelOut, 0, 0},
		{"a return from blocks", writes(1, loop+"\x02\x40"+"\x0f"+end1+br0+end1), returned, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			metered, err := e.meter(t.Context(), []byte(c.module), nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := e.build(t.Context(), metered)
			if err != nil {
				t.Fatal(err)
			}
			p := &process{fuel: 200_000_000, most: 1_000}
			if err := e.start(t.Context(), m, p); err != nil {
				t.Fatal(err)
			}
			_, how, code := p.call(t.Context(), "_start")
			if how != c.how || code != c.code || len(p.output) != c.output {
				t.Errorf("it ended as %s with %d and %d bytes of output", how, code, len(p.output))
			}
			if size := p.module.Memory().Size(); size > maxPages*pageBytes {
				t.Errorf("it has %d bytes of memory", size)
			}
			if err := e.stop(t.Context(), p); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRefusedModules(t *testing.T) {
	e := openEngine(t)
	import1 := func(module, name, rest string) string {
		return head + section(1, vector("\x60\x00\x00")) + section(2, vector(text(module)+text(name)+rest)) + section(3, vector("\x00")) + section(10, vector(text("\x00\x0b")))
	}
	with := func(sections ...string) string {
		return head + section(1, vector("\x60\x00\x00")) + strings.Join(sections, "") + section(10, vector(text("\x00\x0b")))
	}
	function := section(3, vector("\x00"))
	for want, module := range map[string]string{
		"the module is not valid":                           "\x00asm",
		"the module has no function":                        head,
		"at most 33554432 are allowed":                      head + strings.Repeat("\x00", 64<<20),
		"is no function":                                    import1("env", "memory", "\x02\x00\x01"),
		"start section":                                     with(function, section(8, "\x00")),
		"a table has 2000000 elements; at most 1048576 are": with(function, section(4, vector("\x70\x00"+string(number(2_000_000))))),
		"the name of a counter":                             with(function, section(7, vector(text("ojud.fuel")+"\x00\x00"))),
		"table.grow":                                        head + section(1, vector("\x60\x00\x00")) + function + section(4, vector("\x70\x00\x01")) + section(10, vector(text("\x00\xd0\x70"+i32(1)+"\xfc\x0f\x00"+drop+end1))),
		"over limit of 1024 pages":                          writes(maxPages+1, ""),
	} {
		_, err := e.meter(t.Context(), []byte(module), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
}

// TestStored: a second engine finds what the first compiled, and runs it as the first.
func TestStored(t *testing.T) {
	dir := t.TempDir()
	var all []int64
	for range 2 {
		e, err := openIn(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		run, err := e.JavaScript(t.Context(), Script{Source: "true"})
		if err != nil || run.Said != True {
			t.Fatal(run, err)
		}
		all = append(all, run.Fuel)
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if all[0] != all[1] {
		t.Errorf("fuel: %v", all)
	}
}

// TestDamagedCache: what a disk or a stranger did to compiled modules costs no run. Each of these
// made every check program fail before.
func TestDamagedCache(t *testing.T) {
	longtest.Only(t)
	home := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	run := func(what string) {
		t.Helper()
		e, err := Open(t.Context())
		if err != nil {
			t.Fatal(what, err)
		}
		if r, err := e.JavaScript(t.Context(), Script{Source: "true"}); err != nil || r.Said != True {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Error(what, err)
		}
	}
	run("an empty cache")
	var files []string
	if err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		damaged := bytes.Clone(raw)
		damaged[len(damaged)/2] ^= 1
		for what, content := range map[string][]byte{"nothing": {}, "half": raw[:len(raw)/2], "another bit": damaged} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
			run(what)
		}
	}
	t.Logf("%d files", len(files))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "file"))
	t.Setenv("HOME", filepath.Join(home, "file"))
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run("a cache that cannot be")
}
