package sandbox

import (
	"context"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/embed" // has the bytes of SQLite, and nothing else of it runs
)

// sqlite is SQLite as a WebAssembly module. The Go module embeds it, so that go.sum checks it. Its
// host functions are not used: they give a query files, a clock and random numbers.
func sqlite() []byte { return sqlite3.Binary }

// SQLite is the SHA-256 of the module that runs SQL. It is part of the record of a run.
const SQLite = "9189d7287b2b90540d71c0c25ef202d1610a240230ef1e437369e3542c6ef2f2"

// sqliteFunctions are what SQLite imports from its host: name and parameters, and a result of 32
// bits unless there is an exclamation mark. A query gets none of what is not listed in
// sqliteAnswers: to call it ends the run.
const sqliteFunctions = "go_vfs_find i go_full_pathname iiii go_access iiii go_delete iii go_current_time_64 ii go_randomness iii go_sleep ii " +
	"go_busy_timeout ii go_func iiii! go_step iiiii! go_value iiii! go_inverse iiii! go_collation_needed iiii! go_compare iiiii go_destroy i! " +
	"go_progress_handler i go_busy_handler ii go_commit_hook i go_rollback_hook i! go_update_hook iiiiI! go_wal_hook iiii go_authorizer iiiiii " +
	"go_trace iiii go_log iii! go_autovacuum_pages iiiii go_open iiiiii go_localtime iI go_cur_rowid ii go_cur_column iii go_cur_eof i go_cur_next i " +
	"go_cur_filter iiiii go_vtab_best_index ii go_vtab_update iiii go_vtab_rename ii go_vtab_rollback i go_vtab_commit i go_vtab_sync i go_vtab_begin i " +
	"go_vtab_rollback_to ii go_vtab_release ii go_vtab_savepoint ii go_vtab_connect iiiii go_vtab_disconnect i go_cur_open ii go_cur_close i " +
	"go_vtab_create iiiii go_vtab_destroy i go_vtab_find_function iiii go_vtab_integrity iiiii go_close i go_read iiiI go_write iiiI go_truncate iI " +
	"go_sync ii go_file_size ii go_lock ii go_unlock ii go_check_reserved_lock ii go_file_control iii go_sector_size i go_device_characteristics i " +
	"go_shm_map iiiii go_shm_lock iiii go_shm_barrier i! go_shm_unmap ii"

// sqliteAnswers are the functions of the host that a query may need.
var sqliteAnswers = map[string]hosted{
	"go_authorizer":      authorize,
	"go_randomness":      seeded,
	"go_current_time_64": func(p *process, _ api.Memory, _ []uint64) uint32 { return p.refuse("clock") },
	"go_localtime":       func(p *process, _ api.Memory, _ []uint64) uint32 { return p.refuse("time zone") },
}

// provideSQLite adds the functions of SQLite to a module of the host.
func provideSQLite(b wazero.HostModuleBuilder) {
	words := strings.Fields(sqliteFunctions)
	for i := 0; i < len(words); i += 2 {
		name := words[i]
		params, silent := strings.CutSuffix(words[i+1], "!")
		do := sqliteAnswers[name]
		if do == nil {
			do = func(p *process, _ api.Memory, _ []uint64) uint32 {
				return p.refuse("files, and no functions of its own")
			}
		}
		results := []api.ValueType{api.ValueTypeI32}
		if silent {
			results = nil
		}
		call := func(ctx context.Context, m api.Module, stack []uint64) {
			stack[0] = uint64(do(ctx.Value(processKey{}).(*process), m.Memory(), stack))
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(call), parameters(params), results).Export(name)
	}
}

// refuse ends a run that asks for what no program has.
func (p *process) refuse(what string) uint32 {
	p.refused = what
	panic(sys.NewExitError(1))
}

// What a query may do, by the numbers of SQLite's authorizer.
const (
	actRead, actSelect, actFunction, actRecursive = 20, 21, 31, 33
	actPragma, actAttach                          = 19, 24
)

// authorize lets a query read. It may not change, attach or configure anything, nor call a function
// that gives something else each time.
func authorize(p *process, mem api.Memory, v []uint64) uint32 {
	if p.parsing && uint32(v[1]) == actPragma {
		return 1 // it would change how the next statement is read
	}
	if !p.guarded || p.parsing {
		return 0
	}
	switch uint32(v[1]) {
	case actSelect, actRead, actRecursive:
		return 0
	case actFunction:
		switch name, _ := texts(mem, uint32(v[3]), 64); strings.ToLower(name) {
		case "random", "randomblob":
			return p.refuse("random numbers")
		case "load_extension":
			return p.refuse("extensions")
		}
		return 0
	case actPragma:
		return p.refuse("pragmas")
	case actAttach:
		return p.refuse("other databases")
	}
	return p.refuse("statements that change something")
}

// seeded gives SQLite the numbers with which it seeds its own.
func seeded(p *process, mem api.Memory, v []uint64) uint32 {
	if random(p, mem, []uint64{v[2], v[1]}) != success {
		return 0
	}
	return uint32(v[1])
}

// texts reads a text that ends with a zero byte, of so many bytes at most.
func texts(mem api.Memory, at, most uint32) (string, bool) {
	if at == 0 || at >= mem.Size() {
		return "", false
	}
	raw, ok := mem.Read(at, min(most, mem.Size()-at))
	if !ok {
		return "", false
	}
	text, _, ended := strings.Cut(string(raw), "\x00")
	return text, ended
}
