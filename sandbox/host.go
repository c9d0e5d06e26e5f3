package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// The host gives programs the functions of WASI preview 1. They are all here, rather than those of
// the library, because each must be priced: one that fills 64 MiB at the price of a call would run
// for hours. There are no files, no environment, and no sockets. A clock begins at a fixed time and
// goes on by a millisecond with each reading; random numbers are the same in each run.

// Interpreters have functions of their own, which no module of a stranger may import.
const wasi, interpreterHost = "wasi_snapshot_preview1", "env"

// The error numbers of WASI that the host returns.
const (
	success, errBadFile, errFault, errInvalid, errNoSys, errPipe = 0, 8, 21, 28, 52, 70
)

const (
	began      = 1_640_995_200_000_000_000 // nanoseconds: the first day of 2022
	tick       = 1_000_000
	bytesOfOne = 8 // bytes that the host reads or writes at the price of an instruction
	maxVectors = 1_024
)

type processKey struct{}

// hosted is a function of the host on the parameters of a call. Its result is an error number.
type hosted func(p *process, mem api.Memory, params []uint64) uint32

// function is a function of the host with its parameters: i is an i32, I an i64.
type function struct {
	name, params string
	do           hosted
}

// wasiFunctions are those of preview 1. Those without code answer that they do not exist.
var wasiFunctions = []function{
	{"args_get", "ii", argsGet}, {"args_sizes_get", "ii", argsSizes},
	{"environ_get", "ii", nothing}, {"environ_sizes_get", "ii", environSizes},
	{"clock_res_get", "ii", clockRes}, {"clock_time_get", "iIi", clockTime},
	{"fd_advise", "iIIi", badFile}, {"fd_allocate", "iII", badFile}, {"fd_close", "i", closeFile}, {"fd_datasync", "i", badFile},
	{"fd_fdstat_get", "ii", fileState}, {"fd_fdstat_set_flags", "ii", badFile}, {"fd_fdstat_set_rights", "iII", badFile},
	{"fd_filestat_get", "ii", pipeState}, {"fd_filestat_set_size", "iI", badFile}, {"fd_filestat_set_times", "iIIi", badFile},
	{"fd_pread", "iiiIi", badFile}, {"fd_prestat_get", "ii", badFile}, {"fd_prestat_dir_name", "iii", badFile},
	{"fd_pwrite", "iiiIi", badFile}, {"fd_read", "iiii", read}, {"fd_readdir", "iiiIi", badFile}, {"fd_renumber", "ii", badFile},
	{"fd_seek", "iIii", seek}, {"fd_sync", "i", badFile}, {"fd_tell", "ii", badFile}, {"fd_write", "iiii", write},
	{"path_create_directory", "iii", badFile}, {"path_filestat_get", "iiiii", badFile}, {"path_filestat_set_times", "iiiiIIi", badFile},
	{"path_link", "iiiiiii", badFile}, {"path_open", "iiiiiIIii", badFile}, {"path_readlink", "iiiiii", badFile},
	{"path_remove_directory", "iii", badFile}, {"path_rename", "iiiiii", badFile}, {"path_symlink", "iiiii", badFile},
	{"path_unlink_file", "iii", badFile}, {"poll_oneoff", "iiii", nil}, {"proc_raise", "i", nil}, {"random_get", "ii", random},
	{"sched_yield", "", nothing}, {"sock_accept", "iii", nil}, {"sock_recv", "iiiiii", nil}, {"sock_send", "iiiii", nil}, {"sock_shutdown", "ii", nil},
}

// provide gives a runtime the functions of the host.
func provide(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(wasi)
	for _, f := range wasiFunctions {
		do := f.do
		if do == nil {
			do = func(*process, api.Memory, []uint64) uint32 { return errNoSys }
		}
		params := parameters(f.params)
		call := func(ctx context.Context, m api.Module, stack []uint64) {
			answer := uint32(errFault)
			if p, mem := ctx.Value(processKey{}).(*process), m.Memory(); mem != nil {
				answer = do(p, mem, stack)
			}
			stack[0] = uint64(answer)
		}
		if len(params) == 0 { // the result needs a place
			b.NewFunctionBuilder().WithFunc(func() uint32 { return success }).Export(f.name)
			continue
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), params, []api.ValueType{api.ValueTypeI32}).Export(f.name)
	}
	b.NewFunctionBuilder().WithFunc(func(code uint32) { panic(sys.NewExitError(code)) }).Export("proc_exit")
	if _, err := b.Instantiate(ctx); err != nil {
		return fmt.Errorf("the functions of WASI: %w", err)
	}
	// QuickJS asks its host for functions that a program was given; programs are given none.
	proxy := func(uint32, uint64, uint32, uint32) uint64 { panic(sys.NewExitError(1)) }
	b = r.NewHostModuleBuilder(interpreterHost)
	b.NewFunctionBuilder().WithFunc(proxy).Export("jsFunctionProxy")
	provideSQLite(b)
	_, err := b.Instantiate(ctx)
	return err
}

// parameters are the types of the parameters of a function: i is an i32, I an i64.
func parameters(letters string) []api.ValueType {
	out := make([]api.ValueType, len(letters))
	for i, c := range letters {
		out[i] = api.ValueTypeI32
		if c == 'I' {
			out[i] = api.ValueTypeI64
		}
	}
	return out
}

// command reports why a module of a stranger is no command that may run here.
func command(m wazero.CompiledModule) error {
	for _, f := range m.ImportedFunctions() {
		module, name, _ := f.Import()
		at := slices.IndexFunc(wasiFunctions, func(w function) bool { return w.name == name })
		if module != wasi || at < 0 && name != "proc_exit" {
			return badModule{why: fmt.Sprintf("the module imports %.60q from %.60q; only WASI preview 1 is there", name, module)}
		}
		params, results := []api.ValueType{api.ValueTypeI32}, []api.ValueType(nil)
		if at >= 0 {
			params, results = parameters(wasiFunctions[at].params), []api.ValueType{api.ValueTypeI32}
		}
		if !slices.Equal(f.ParamTypes(), params) || !slices.Equal(f.ResultTypes(), results) {
			return badModule{why: fmt.Sprintf("the module imports %.60q with other parameters than it has", name)}
		}
	}
	start := m.ExportedFunctions()["_start"]
	if start == nil || len(start.ParamTypes()) > 0 || len(start.ResultTypes()) > 0 {
		return badModule{why: "the module exports no function _start; compile a command of WASI"}
	}
	return nil
}

// pay takes fuel for bytes that the host reads or writes. It reports whether there was enough; if
// not, the next instruction of the module traps.
func (p *process) pay(bytes uint64) bool {
	left := int64(p.left.Get()) - int64(bytes/bytesOfOne)
	p.left.Set(uint64(left))
	return left >= 0
}

func badFile(*process, api.Memory, []uint64) uint32 { return errBadFile }
func nothing(*process, api.Memory, []uint64) uint32 { return success }

// put writes numbers of 32 bits into the memory of a program.
func put(mem api.Memory, places ...uint64) uint32 {
	for i := 0; i < len(places); i += 2 {
		if !mem.WriteUint32Le(uint32(places[i]), uint32(places[i+1])) {
			return errFault
		}
	}
	return success
}

func argsSizes(p *process, mem api.Memory, v []uint64) uint32 {
	return put(mem, v[0], uint64(len(p.args)), v[1], uint64(len(strings.Join(p.args, "\x00"))+min(1, len(p.args))))
}

func argsGet(p *process, mem api.Memory, v []uint64) uint32 {
	list, text := uint32(v[0]), uint32(v[1])
	for _, arg := range p.args {
		if !mem.WriteUint32Le(list, text) || !mem.WriteString(text, arg+"\x00") {
			return errFault
		}
		list, text = list+4, text+uint32(len(arg))+1
	}
	return success
}

func environSizes(_ *process, mem api.Memory, v []uint64) uint32 { return put(mem, v[0], 0, v[1], 0) }

func clockRes(_ *process, mem api.Memory, v []uint64) uint32 {
	if !mem.WriteUint64Le(uint32(v[1]), tick) {
		return errFault
	}
	return success
}

func clockTime(p *process, mem api.Memory, v []uint64) uint32 {
	if uint32(v[0]) > 3 {
		return errInvalid
	}
	if !mem.WriteUint64Le(uint32(v[2]), began+p.ticks*tick) {
		return errFault
	}
	p.ticks++
	return success
}

// random gives the numbers of splitmix64 from a fixed seed.
func random(p *process, mem api.Memory, v []uint64) uint32 {
	n := uint32(v[1])
	if !p.pay(uint64(n)) {
		return errFault
	}
	out, ok := mem.Read(uint32(v[0]), n)
	if !ok {
		return errFault
	}
	for buf := []byte(nil); len(out) > 0; {
		p.seed += 0x9e3779b97f4a7c15
		z := (p.seed ^ p.seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		buf = binary.LittleEndian.AppendUint64(buf[:0], z^z>>31)
		out = out[copy(out, buf):]
	}
	return success
}

func closeFile(_ *process, _ api.Memory, v []uint64) uint32 {
	if uint32(v[0]) > 2 {
		return errBadFile
	}
	return success
}

// seek says that the standard files are pipes.
func seek(_ *process, _ api.Memory, v []uint64) uint32 {
	if uint32(v[0]) > 2 {
		return errBadFile
	}
	return errPipe
}

// fileState describes the three standard files as terminals that may be read or written.
func fileState(_ *process, mem api.Memory, v []uint64) uint32 {
	if uint32(v[0]) > 2 {
		return errBadFile
	}
	state := make([]byte, 24)
	state[0] = 2                                // a character device
	binary.LittleEndian.PutUint64(state[8:], 2) // the right to read
	if uint32(v[0]) > 0 {
		binary.LittleEndian.PutUint64(state[8:], 64) // the right to write
	}
	if !mem.Write(uint32(v[1]), state) {
		return errFault
	}
	return success
}

// pipeState describes a standard file for CPython, which does not start without it.
func pipeState(p *process, mem api.Memory, v []uint64) uint32 {
	if !p.pipes || uint32(v[0]) > 2 {
		return errBadFile
	}
	state := make([]byte, 64)
	state[16] = 2 // a character device
	if !mem.Write(uint32(v[1]), state) {
		return errFault
	}
	return success
}

// vectors calls see with each part of memory that a list of vectors names, and stops if see does.
func vectors(mem api.Memory, list, many uint32, see func([]byte) bool) uint32 {
	if many > maxVectors {
		return errInvalid
	}
	for i := range many {
		at, ok := mem.ReadUint32Le(list + 8*i)
		n, there := mem.ReadUint32Le(list + 8*i + 4)
		part, within := mem.Read(at, n)
		if !ok || !there || !within {
			return errFault
		}
		if !see(part) {
			break
		}
	}
	return success
}

func read(p *process, mem api.Memory, v []uint64) uint32 {
	if uint32(v[0]) != 0 {
		return errBadFile
	}
	var done uint32
	answer := vectors(mem, uint32(v[1]), uint32(v[2]), func(part []byte) bool {
		n := copy(part, p.input)
		if !p.pay(uint64(n)) {
			return false
		}
		p.input = p.input[n:]
		done += uint32(n)
		return n == len(part)
	})
	if answer != success {
		return answer
	}
	return put(mem, v[3], uint64(done))
}

// write keeps what goes to standard output, and drops what goes to standard error. Too much of it
// ends the run.
func write(p *process, mem api.Memory, v []uint64) uint32 {
	file := uint32(v[0])
	if file != 1 && file != 2 {
		return errBadFile
	}
	var done uint32
	answer := vectors(mem, uint32(v[1]), uint32(v[2]), func(part []byte) bool {
		if !p.pay(uint64(len(part))) {
			return false
		}
		if file == 1 {
			if len(part) > p.most-len(p.output) {
				p.long = true
				panic(sys.NewExitError(1))
			}
			p.output = append(p.output, part...)
		}
		done += uint32(len(part))
		return true
	})
	if answer != success {
		return answer
	}
	return put(mem, v[3], uint64(done))
}
