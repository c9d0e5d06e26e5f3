package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const rows = `[{"id":"a","amount":100,"paid":true},{"id":"b","amount":18.5,"paid":false,"Note":"late"},{"id":"c","amount":0,"tags":["x","y"]}]`

// queries are programs in SQL with what they say. The fuel that each uses is the same on every
// machine (TestSame).
var queries = []struct {
	name, source string
	said         Said
	why          string
	fuel         int64
}{
	{"a sum", "SELECT sum(amount) = 118.5 FROM value", True, "", 1_155_381},
	{"a reason", "SELECT sum(amount) = 118, 'the rows add up to ' || sum(amount) FROM value", False, "the rows add up to 118.5", 1_168_172},
	{"cannot tell", "SELECT NULL", None, "", 1_135_412},
	{"truth", "SELECT count(*) = 1, group_concat(note) FROM value WHERE paid = 0", True, "late", 1_168_991},
	{"a comment behind", "SELECT 1; -- done\n;  /* and */", True, "", 1_135_926},
	{"documents as JSON", "SELECT (SELECT value ->> '$.tags[1]' FROM json_each(:value) WHERE key = 2) = 'y' AND json_type(:task) = 'object'", True, "", 1_201_649},
	{"two tables", "SELECT count(*) = 0 FROM value v JOIN task t WHERE v.amount > t.most", True, "", 1_169_935},
	{"a column that no row has", "SELECT count(*) = 3 FROM value AS v WHERE v.nowhere IS NULL", True, "", 1_463_640},
	{"a column of the task that it lacks", "SELECT task.nowhere IS NULL FROM task", True, "", 2_044_620},
	{"order", "SELECT group_concat(id, '') = 'cba' FROM (SELECT id FROM value ORDER BY id DESC)", True, "", 1_190_055},
	{"floats", "SELECT 0.1 + 0.2 = 0.30000000000000004, pow(2.1, 3.3) || ' ' || sin(1e22) || ' ' || exp(1.5)", True, "11.5697419502415 -0.852200849767189 4.48168907033806", 1_188_958},
	{"a window", "SELECT max(n) = 3 FROM (SELECT row_number() OVER (ORDER BY amount) AS n FROM value)", True, "", 1_236_020},
	{"a date", "SELECT date('2026-02-28', '+1 day') = '2026-03-01'", True, "", 1_148_985},
	{"recursion", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT sum(i) = 500500 FROM n", True, "", 4_521_581},
	{"a number", "SELECT 42", None, "the check program failed: its first column is neither 1 nor 0 nor NULL", 1_135_455},
	{"a text", "SELECT 'true'", None, "the check program failed: its first column is neither 1 nor 0 nor NULL", 1_135_767},
	{"a blob", "SELECT x'31'", None, "the check program failed: its first column is neither 1 nor 0 nor NULL", 1_135_582},
	{"no row", "SELECT 1 WHERE 0", None, "the check program failed: it returns no row; write a query that returns one, such as SELECT count(*) = 0 FROM value WHERE …", 1_136_900},
	{"two rows", "SELECT 1 FROM value", None, "the check program failed: it returns more than one row; write a query that returns one", 1_142_184},
	{"three columns", "SELECT 1, 2, 3", None, "the check program failed: its row has 3 columns; write one, or two with a reason", 1_140_129},
	{"two statements", "SELECT 1; SELECT 0", None, "the check program failed: it has more than one statement", 1_141_487},
	{"a comment alone", "-- nothing", None, "the check program failed: it has no query", 1_125_084},
	{"a syntax error", "SELEC 1", None, "the check program failed: near \"SELEC\": syntax error", 1_126_377},
	{"no such table", "SELECT 1 FROM nowhere", None, "the check program failed: no such table: nowhere", 1_134_183},
	{"the clock", "SELECT datetime('now') > '2000'", None, "the check program failed: a check program has no clock", 1_143_918},
	{"the clock as a word", "SELECT CURRENT_TIMESTAMP > '2000'", None, "the check program failed: a check program has no clock", 1_142_188},
	{"the time zone", "SELECT datetime('2026-01-01', 'localtime') > '2000'", None, "the check program failed: a check program has no time zone", 1_148_385},
	{"random numbers", "SELECT random() IS NOT NULL", None, "the check program failed: a check program has no random numbers", 1_131_701},
	{"a random blob", "SELECT hex(randomblob(4)) <> ''", None, "the check program failed: a check program has no random numbers", 1_134_493},
	{"another database", "ATTACH '/etc/passwd' AS p", None, "the check program failed: a check program has no other databases", 1_127_122},
	{"a pragma", "PRAGMA temp_store_directory = '/tmp'", None, "the check program failed: a check program has no pragmas", 1_126_952},
	{"a pragma as a table", "SELECT count(*) FROM pragma_database_list", None, "the check program failed: a check program has no pragmas", 1_172_604},
	{"a file", "VACUUM INTO '/tmp/pwned.db'", None, "the check program failed: a check program has no other databases", 1_136_766},
	{"a change", "DELETE FROM value", None, "the check program failed: a check program has no statements that change something", 1_127_268},
	{"a table of its own", "CREATE TABLE t(x)", None, "the check program failed: a check program has no statements that change something", 1_126_569},
	{"an extension", "SELECT load_extension('x')", None, "the check program failed: no such function: load_extension", 1_134_141},
	{"a file as a function", "SELECT readfile('/etc/passwd')", None, "the check program failed: no such function: readfile", 1_134_108},
	{"a loop", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", None, "the check program did not get to its end: out of fuel", MaxFuel},
	{"a large blob", "SELECT length(zeroblob(1000000000)) > 0", None, "the check program failed: string or blob too big", 1_148_943},
	{"a large text", "SELECT length(printf('%.*c', 1000000000, 'x')) > 0", None, "", 4_042_430},
	{"all memory", "WITH RECURSIVE n(s) AS (SELECT zeroblob(4000000) UNION ALL SELECT zeroblob(4000000 - length(s) % 7) FROM n) SELECT count(*) FROM (SELECT s FROM n ORDER BY s)", None, "the check program failed: it used too much memory", 369_385_725},
	{"nested source", "SELECT " + strings.Repeat("(", 20_000), None, "the check program failed: incomplete input", 4_313_923},
	{"nested JSON", "SELECT json_valid('" + strings.Repeat("[", 30_000) + "')", None, "the check program did not get to its end: calls too deep", 2_455_373},
	{"a pattern bomb", "SELECT '" + strings.Repeat("a", 3_000) + "' LIKE '" + strings.Repeat("%a", 2_000) + "b'", None, "the check program did not get to its end: calls too deep", 1_778_742},
	{"many unions", "SELECT 1" + strings.Repeat(" UNION SELECT 1", 2_000), None, "the check program failed: too many terms in compound SELECT", 14_356_126},
	{"members of few rows", "SELECT count(*) = 3 AND sum(json_array_length(tags)) = 2 FROM value", True, "", 1_171_681},
	{"members inside", "SELECT json_extract(:result, '$.rows[2].tags[0]') = 'x' AND (SELECT count(*) FROM result) = 1", True, "", 1_179_910},
	{"a text like SQL", "SELECT count(*) = 0 FROM value WHERE id = '''; DROP TABLE value; --'", True, "", 1_159_424},
	{"a pattern that goes back", "SELECT '" + strings.Repeat("a", 200) + "' REGEXP '^(a|a)*$'", True, "", 1_296_763},
	{"a long reason", "SELECT 0, printf('%.*c', 100000, 'x')", False, strings.Repeat("x", 500), 1_235_139},
	{"a zero byte and half a character", "SELECT 0, 'a' || char(0) || CAST(x'ff' AS TEXT) || '<b>'", False, "a\x00\ufffd<b>", 1_155_784},
}

func inputs() map[string]json.RawMessage {
	return map[string]json.RawMessage{"task": json.RawMessage(`{"most":200}`), "result": json.RawMessage(`{"rows":` + rows + `}`), "value": json.RawMessage(rows)}
}

func TestSQL(t *testing.T) {
	e := openEngine(t)
	for _, s := range queries {
		t.Run(s.name, func(t *testing.T) {
			run, err := e.SQL(t.Context(), Script{Source: s.source, Inputs: inputs()})
			if err != nil {
				t.Fatal(err)
			}
			if run.Said != s.said || run.Why != s.why {
				t.Errorf("it says %s, %q", run.Said, run.Why)
			}
			if run.Fuel != s.fuel {
				t.Errorf("FUEL %q %d", s.name, run.Fuel)
			}
		})
	}
}

// TestAttackHiddenColumn: where the schema is open, a worker adds a member that differs in capital
// letters from the one that a program reads, or so many that this one is no column. The program saw
// the other one, or NULL, and said true. It says none now. Members that it does not name may
// differ.
func TestAttackHiddenColumn(t *testing.T) {
	e := openEngine(t)
	var many strings.Builder
	for i := range maxColumns {
		fmt.Fprintf(&many, `"a%03d":1,`, i)
	}
	const dear = "SELECT count(*) = 0, 'too dear' FROM value WHERE price > 100"
	for _, c := range []struct {
		name, source, value string
		said                Said
		why                 string
	}{
		{"the dear one", dear, `[{"price":999}]`, False, "too dear"},
		{"capitals after it", dear, `[{"price":999,"PRICE":1}]`, None, "differ in capital letters only"},
		{"capitals before it", dear, `[{"price":1,"Price":999}]`, None, "differ in capital letters only"},
		{"in another row", dear, `[{"price":999},{"PRICE":1}]`, None, "differ in capital letters only"},
		{"in capitals alone", dear, `[{"PRICE":999}]`, False, "too dear"},
		{"many members", dear, `[{` + many.String() + `"price":999}]`, None, "more than 256 members"},
		{"many members of another row", dear, `[{` + strings.TrimSuffix(many.String(), ",") + `},{"price":999}]`, None, "more than 256 members"},
		{"others differ", dear, `[{"price":999,"n":1,"N":2}]`, False, "too dear"},
		{"all differ", "SELECT count(*) = 1 FROM value", `[{"n":1,"N":2}]`, True, ""},
		{"it is left out", dear, `[{"cost":999}]`, True, "too dear"},
	} {
		run, err := e.SQL(t.Context(), Script{Source: c.source, Inputs: map[string]json.RawMessage{"value": json.RawMessage(c.value)}})
		if err != nil || run.Said != c.said || !strings.Contains(run.Why, c.why) {
			t.Errorf("%s: %+v, %v", c.name, run, err)
		}
	}
	// A creator's own tables are as they were.
	got, err := e.Query(t.Context(), TableQuery{Source: "SELECT price FROM t", Tables: map[string]json.RawMessage{"t": json.RawMessage(`[{"price":1,"PRICE":2}]`)}, Fuel: MaxFuel})
	if err != nil || string(got.Value) != "[[2]]" {
		t.Errorf("%s %s, %v", got.Value, got.Why, err)
	}
}
