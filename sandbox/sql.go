package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// VersionSQL names the rules by which programs in SQL run, as Version does for JavaScript.
const VersionSQL = "ojud-sql-2"

// The limits of SQL.
const (
	maxColumns = 256     // of a table
	maxCell    = 8 << 20 // bytes of a value
	maxMissing = 32      // columns that a query names and no row has
)

// documents are the tables of a program, in the order in which a missing column is added to them.
var documents = []string{"value", "result", "task"}

// column is how a member of a row has to be called so that it is a column.
var column = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// SQL runs a program in SQL: one query, whose first row is its answer. Each input is a table: the
// items of an array, or one row. It is a parameter of the same name, too, as JSON. An error says
// that the program cannot be run at all, or that ctx ended.
func (e *Engine) SQL(ctx context.Context, s Script) (Run, error) {
	if err := runnable(s.Source); err != nil {
		return Run{}, err
	}
	inputs := map[string]json.RawMessage{}
	size := 0
	for _, name := range documents {
		if inputs[name] = s.Inputs[name]; inputs[name] == nil {
			inputs[name] = json.RawMessage("null")
		}
		size += len(inputs[name])
	}
	if size > maxInput {
		return Run{}, fmt.Errorf("the inputs of the check program have %d bytes; at most %d are allowed", size, maxInput)
	}
	run := Run{Said: None}
	used, err := e.database(ctx, MaxFuel, func(d *database) {
		d.hidden = map[string]bool{}
		for _, name := range documents {
			if plain := d.load(name, inputs[name]); !plain {
				d.open = append(d.open, name)
			}
		}
		query := d.query(s.Source)
		for _, name := range documents {
			if at := d.call("sqlite3_bind_parameter_index", query, d.text(":"+name)); at != 0 {
				d.bind(query, at, inputs[name])
			}
		}
		run.Said, run.Why = d.answer(query)
		if d.why != "" {
			run.Said, run.Why = None, d.why
		}
	})
	run.Fuel = used
	return run, err
}

// TableQuery is a query on tables.
type TableQuery struct {
	Source string
	Tables map[string]json.RawMessage // arrays of objects
	Fuel   int64                      // that it may use, at most MaxFuel
}

// Query returns the rows of a query as an array of arrays. An error says that it cannot be run at
// all, or that ctx ended.
func (e *Engine) Query(ctx context.Context, q TableQuery) (Returned, error) {
	var out Returned
	used, err := e.database(ctx, min(q.Fuel, MaxFuel), func(d *database) {
		for _, name := range slices.Sorted(maps.Keys(q.Tables)) {
			d.load(name, q.Tables[name])
		}
		rows := d.rows(d.query(q.Source))
		if out.Why = d.why; out.Why == "" {
			out.Value = rows
		}
	})
	out.Fuel = used
	return out, err
}

// database is one run of SQLite. After a fault, why is set, and nothing more happens.
type database struct {
	ctx  context.Context
	p    *process
	db   uint64
	why  string
	room uint64   // for a pointer that SQLite writes
	open []string // tables whose rows are objects, so that a member may be missing

	hidden map[string]bool // members that are no columns, in small letters; nil: any table is trusted
}

// database opens a database in memory, and has it used.
func (e *Engine) database(ctx context.Context, fuel int64, use func(*database)) (used int64, err error) {
	m, err := e.own(ctx, SQLite, func() ([]byte, error) { return sqlite(), nil })
	if err != nil {
		return 0, fmt.Errorf("SQLite: %w", err)
	}
	p := &process{fuel: fuel}
	if err := e.start(ctx, m, p); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, e.stop(ctx, p)) }()
	d := &database{ctx: ctx, p: p}
	d.begin()
	use(d)
	return p.used(), context.Cause(ctx)
}

// fail keeps the first fault.
func (d *database) fail(format string, args ...any) {
	if d.why == "" {
		d.why = cut(fmt.Sprintf(format, args...))
	}
}

// call calls a function of SQLite. After a fault it does nothing.
func (d *database) call(name string, params ...uint64) uint64 {
	if d.why != "" {
		return 0
	}
	out, how, _ := d.p.call(d.ctx, name, params...)
	switch {
	case d.p.refused != "":
		d.fail("the check program failed: a check program has no %s", d.p.refused)
	case how != returned:
		d.fail("the check program did not get to its end: %s", how)
	case len(out) == 1:
		return out[0]
	}
	return 0
}

const statusRow, statusDone, statusNoMemory = 100, 101, 7

// check makes a fault of a status that is none of those that are good.
func (d *database) check(status uint64, good ...uint64) {
	if d.why != "" || slices.Contains(append(good, 0), status) {
		return
	}
	text := "error " + strconv.FormatUint(status, 10)
	if said, ok := texts(d.p.module.Memory(), uint32(d.call("sqlite3_errmsg", d.db)), 4*maxWhy); ok && status != statusNoMemory {
		text = strings.ToValidUTF8(said, "\ufffd")
	} else if status&0xff == statusNoMemory {
		text = "it used too much memory"
	}
	d.fail("the check program failed: %s", text)
}

// text writes a text with its final zero byte.
func (d *database) text(s string) uint64 {
	at := d.call("sqlite3_malloc64", uint64(len(s))+1)
	if d.why == "" && at == 0 {
		d.fail("the check program failed: it used too much memory")
		return 0
	}
	return place(d.p, at, s)
}

// pointer is what SQLite wrote into its place.
func (d *database) pointer() uint64 {
	v, _ := d.p.module.Memory().ReadUint32Le(uint32(d.room))
	return uint64(v)
}

func (d *database) begin() {
	const inMemory = 2 | 4 | 0x80 // read, write, create; in memory
	d.room = d.call("sqlite3_malloc64", 8)
	d.check(d.call("sqlite3_open_v2", d.text(":memory:"), d.room, inMemory, 0))
	if d.db = d.pointer(); d.db == 0 {
		d.fail("the check program failed: it used too much memory")
	}
	for limit, most := range []uint64{0: maxCell, 1: MaxSource * 2, 2: maxColumns * 2, 6: 64, 7: 0, 8: 4_096, 10: 8, 11: 0} {
		if most != 0 || limit == 7 || limit == 11 { // attached databases, threads
			d.call("sqlite3_limit", d.db, uint64(limit), most)
		}
	}
	d.do("PRAGMA temp_store = 2")
	d.check(d.call("sqlite3_set_authorizer_go", d.db, 1))
}

// prepare compiles the first statement of a text, and returns it with where the rest begins.
func (d *database) prepare(at, size uint64) (statement, rest, status uint64) {
	status = d.call("sqlite3_prepare_v3", d.db, at, size, 0, d.room, d.room+4)
	if status != 0 || d.why != "" {
		return 0, 0, status
	}
	return d.pointer(), d.tail(), 0
}

// tail is where the statement that was prepared last ends, or where SQLite stopped reading it.
func (d *database) tail() uint64 {
	v, _ := d.p.module.Memory().ReadUint32Le(uint32(d.room + 4))
	return uint64(v)
}

// do executes a statement of the host, with JSON as its parameter.
func (d *database) do(sql string, args ...json.RawMessage) {
	d.p.guarded = false
	statement, _, status := d.prepare(d.text(sql), uint64(len(sql))+1)
	d.check(status)
	for i, raw := range args {
		d.bind(statement, uint64(i)+1, raw)
	}
	d.check(d.call("sqlite3_step", statement), statusRow, statusDone)
	d.call("sqlite3_finalize", statement)
	d.p.guarded = true
}

// bind gives a statement a text.
func (d *database) bind(statement, at uint64, raw json.RawMessage) {
	d.check(d.call("sqlite3_bind_text_go", statement, at, d.text(string(raw)), uint64(len(raw))))
}

// load makes a table of JSON. A member of a row whose name can be one is a column. Plain says that
// a row is no object.
func (d *database) load(table string, raw json.RawMessage) (plain bool) {
	rows := raw
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		items = []json.RawMessage{raw}
		rows = slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
	}
	names, plain := columnsOf(items, d.hidden)
	var create, read []string
	for _, name := range names {
		otherwise := "NULL"
		if plain && name == "value" {
			otherwise = "value"
		}
		create = append(create, `"`+name+`"`)
		read = append(read, fmt.Sprintf("iif(type = 'object', value ->> '%s', %s)", name, otherwise))
	}
	d.do(fmt.Sprintf(`CREATE TABLE "%s"(%s)`, table, strings.Join(create, ", ")))
	d.do(fmt.Sprintf(`INSERT INTO main."%s" SELECT %s FROM json_each(?1)`, table, strings.Join(read, ", ")), rows)
	return plain
}

// columnsOf are the columns of rows, in order. SQL does not tell capital letters from small ones.
// A row that is no object is in the column value, and so is nothing if there is no other column.
// Members that hide each other, or are too many, are put into hidden instead, if there is one: a
// worker could otherwise have a program read another member than the one that it names.
func columnsOf(items []json.RawMessage, hidden map[string]bool) (names []string, plain bool) {
	seen := map[string]bool{}
	for _, item := range items {
		var members map[string]json.RawMessage
		if len(item) == 0 || item[0] != '{' || json.Unmarshal(item, &members) != nil {
			plain = true
			continue
		}
		for name := range members {
			if column.MatchString(name) {
				seen[name] = true
			}
		}
	}
	if plain || len(seen) == 0 {
		seen["value"] = true
	}
	taken, alike := map[string]bool{}, map[string]int{}
	for name := range seen {
		alike[strings.ToLower(name)]++
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		lower := strings.ToLower(name)
		switch {
		case hidden != nil && (alike[lower] > 1 || len(names) == maxColumns):
			hidden[lower] = true
		case !taken[lower] && len(names) < maxColumns:
			taken[lower] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 { // a table has a column
		names = []string{"hidden members"}
	}
	return names, plain
}

// missing is how SQLite says that there is no such column.
var missing = regexp.MustCompile(`^no such column: (?:.*\.)?([A-Za-z_][A-Za-z0-9_]{0,63})$`)

// query compiles the only statement of a program. A member that no row of an open table has is
// NULL: a worker could otherwise leave it out, so that the program fails and decides nothing.
func (d *database) query(source string) uint64 {
	at := d.text(source)
	added := map[string]int{} // how many open tables have the column by now
	for range maxMissing {
		statement, rest, status := d.prepare(at, uint64(len(source))+1)
		if status != 0 && d.why == "" {
			said, _ := texts(d.p.module.Memory(), uint32(d.call("sqlite3_errmsg", d.db)), 4*maxWhy)
			m := missing.FindStringSubmatch(said)
			if m != nil && d.hidden[strings.ToLower(m[1])] {
				d.fail("the check program failed: the rows have members %q that differ in capital letters only, or more than %d members", m[1], maxColumns)
			}
			if m != nil && added[m[1]] < len(d.open) {
				d.add(d.open[added[m[1]]], m[1])
				added[m[1]]++
				continue
			}
		}
		d.check(status)
		if d.why == "" && statement == 0 {
			d.fail("the check program failed: it has no query")
		}
		if more, _, status := d.prepare(rest, at+uint64(len(source))+1-rest); more != 0 || status != 0 {
			d.fail("the check program failed: it has more than one statement")
		}
		return statement
	}
	d.fail("the check program failed: it names more than %d columns that no row has", maxMissing)
	return 0
}

// add adds a column to a table, unless it has it.
func (d *database) add(table, name string) {
	d.p.guarded = false
	sql := fmt.Sprintf(`ALTER TABLE "%s" ADD COLUMN "%s"`, table, name)
	if statement, _, status := d.prepare(d.text(sql), uint64(len(sql))+1); status == 0 {
		d.check(d.call("sqlite3_step", statement), statusDone)
		d.call("sqlite3_finalize", statement)
	}
	d.p.guarded = true
}
