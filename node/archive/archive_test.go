package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/node/archive/parquet"
	"ojud/test/npmtest"
	"ojud/voting"
)

// caseFile plays a case and returns its file.
func caseFile(t testing.TB, s casetest.Script) []byte {
	t.Helper()
	file, err := casetest.File(s)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// simple is a case of seven seats that accept.
func simple(t testing.TB, id uint64) []byte {
	t.Helper()
	return caseFile(t, casetest.Script{Name: "simple", ID: id, Judges: 7, Panel: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
}

// asking is a case whose judges ask others for data, and one of whose seats is silent.
func asking(t testing.TB) []byte {
	t.Helper()
	return caseFile(t, casetest.Script{Name: "asking", ID: 3, Judges: 28, Rounds: []casetest.Plan{func(seat int) casetest.Act {
		if seat == 3 {
			return casetest.Act{Silent: true}
		}
		return casetest.Act{Choice: voting.Reject, Ask: seat < 2, Holders: 2, Family: "code", Dimension: "facts"}
	}}})
}

// appealed is a case whose second panel decides otherwise.
func appealed(t testing.TB) []byte {
	t.Helper()
	return caseFile(t, casetest.Script{Name: "appealed", ID: 4, Judges: 40, Panel: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}, Appeal: []casetest.Plan{casetest.All(voting.Reject)}})
}

// put adds files in one run, and returns how many were new.
func put(t *testing.T, dir string, files ...[]byte) (added int) {
	t.Helper()
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		fresh, err := a.Add(file)
		if err != nil {
			t.Fatal(err)
		}
		if fresh {
			added++
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return added
}

// ask has DuckDB answer queries, in which FOLDER is the archive's. It returns nil if DuckDB cannot
// run here.
func ask(t *testing.T, dir string, queries ...string) [][][]string {
	t.Helper()
	for i := range queries {
		queries[i] = strings.ReplaceAll(queries[i], "FOLDER", dir)
	}
	out := npmtest.Run(t, "testdata/duckdb", "query.mjs", queries...)
	if out == nil {
		return nil
	}
	var answers [][][]string
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return answers
}

// TestDuckDB: DuckDB reads back of three cases, from two runs, what their files say, and the
// columns are those of docs/archive.md.
func TestDuckDB(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "court")
	files := [][]byte{simple(t, 1), asking(t), appealed(t)}
	if n := put(t, dir, files[:2]...); n != 2 {
		t.Fatal(n, "were added")
	}
	if n := put(t, dir, files...); n != 1 {
		t.Fatal(n, "were added")
	}
	if n := put(t, dir, files...); n != 0 {
		t.Fatal(n, "were added")
	}
	documented, err := os.ReadFile("../../docs/archive.md")
	if err != nil {
		t.Fatal(err)
	}
	queries := []string{
		`select task, network, verdict, outcome, rounds, reward, appealed, task_sha256, epoch(ended_at) from 'FOLDER/part-*/cases.parquet' order by 1`,
		`select task, round, seat, judge, node, weight, choice, result, slashed, earned, appeal, opinion_sha256 from 'FOLDER/part-*/seats.parquet' order by 1, 2, 3`,
		`select task, number, kind, paid_to, amount, tx from 'FOLDER/part-*/payments.parquet' order by 1, 2`,
		`select task, round, judge, source, holder, request_sha256, response_sha256, price, epoch(answered_at) from 'FOLDER/part-*/evidence.parquet' order by 1, 3, 5`,
		`select count(distinct model is null), count(*) filter (opinion_sha256 is null and voted_at is null and summary is null) from 'FOLDER/part-*/seats.parquet'`,
	}
	for _, table := range []string{"cases", "seats", "payments", "evidence"} {
		queries = append(queries, "describe from 'FOLDER/part-000001/"+table+".parquet'")
	}
	examples := 0
	for block := range strings.SplitSeq(string(documented), "```sql\n") {
		query, _, found := strings.Cut(block, "```")
		if found && strings.HasPrefix(query, "select") {
			queries = append(queries, strings.ReplaceAll(query, "court/part-*", "FOLDER/part-*"))
			examples++
		}
	}
	if examples < 3 {
		t.Errorf("docs/archive.md has %d queries", examples)
	}
	answers := ask(t, dir, queries...)
	if answers == nil {
		return
	}
	var cases, seats, payments, evidence [][]string
	silent := 0
	for _, file := range files {
		r, err := reading.File(file)
		if err != nil {
			t.Fatal(err)
		}
		report := verify.File(file)
		task := r.Case.String()
		outcome, err := r.Outcome.Value.Outcome.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, []string{task, r.Network.String(), voting.Verdict(report.Verdict).String(), string(outcome), fmt.Sprint(report.Rounds),
			fmt.Sprint(uint64(r.Open.Value.Task.Reward)), fmt.Sprint(r.Outcome.Value.Finish != nil && r.Outcome.Value.Finish.Appeal != nil),
			r.Open.Value.Task.TaskHash.String(), fmt.Sprint(r.Outcome.Value.At)})
		for i, p := range r.Outcome.Value.Payments {
			kind, err := p.Kind.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			tx, err := p.Tx.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			to := p.To.String()
			if p.To == (casefile.Address{}) {
				to = ""
			}
			payments = append(payments, []string{task, fmt.Sprint(i + 1), string(kind), to, fmt.Sprint(uint64(p.Amount)), string(tx)})
		}
		final := 0
		for _, round := range r.Rounds {
			if round.Draw == nil {
				continue
			}
			for i, seat := range round.Settle.Value.Seats {
				slashed, earned := seat.Slashed, seat.Earned
				if f := r.Outcome.Value.Finish; f != nil { // each level has one round
					slashed, earned = f.Seats[final].Slashed, f.Seats[final].Earned
					final++
				}
				var peer, weight string
				for k, c := range round.Draw.Value.Candidates {
					if c.Index == round.Draw.Value.Seats[i] {
						peer = c.Peer.String()
						weight = fmt.Sprint(uint64(round.Draw.Value.Candidates[k].Weight))
					}
				}
				if w := round.Draw.Value.Weights; len(w) == len(round.Draw.Value.Seats) {
					weight = fmt.Sprint(uint64(w[i]))
				}
				opinion := ""
				for _, c := range round.Draw.Value.Candidates {
					if c.Judge == seat.Judge {
						if v := r.Said(c.Peer, round.Draw.Value.Round).Vote; v != nil {
							opinion = v.OpinionHash.String()
						} else {
							silent++
						}
						for _, heard := range r.Said(c.Peer, round.Draw.Value.Round).Heard {
							for _, receipt := range heard.Receipts {
								evidence = append(evidence, []string{task, fmt.Sprint(round.Draw.Value.Round), seat.Judge.String(), receipt.Source, receipt.Holder.String(),
									receipt.Request.String(), receipt.Response.String(), fmt.Sprint(uint64(receipt.Price)), fmt.Sprint(receipt.At)})
							}
						}
					}
				}
				seats = append(seats, []string{task, fmt.Sprint(round.Draw.Value.Round), fmt.Sprint(i + 1), seat.Judge.String(), peer, weight,
					voting.Choice(seat.Choice).String(), voting.Result(seat.Result).String(), fmt.Sprint(uint64(slashed)), fmt.Sprint(uint64(earned)),
					fmt.Sprint(round.Draw.Value.Round > r.Open.Value.Rules.Timing().MaxRounds), opinion})
			}
		}
	}
	if len(evidence) < 4 || silent != 1 || len(seats) < 7+28+14 {
		t.Fatalf("the cases are too simple: %d answers, %d silent, %d seats", len(evidence), silent, len(seats))
	}
	for i, want := range [][][]string{cases, seats, payments, evidence} {
		missing := map[string]int{}
		for _, row := range want {
			missing[strings.Join(row, "|")]++
		}
		for _, row := range answers[i] {
			missing[strings.Join(row, "|")]--
		}
		for row, n := range missing {
			if n != 0 {
				t.Errorf("query %d: %+d: %s", i, -n, row)
			}
		}
	}
	if got := answers[4][0]; got[1] != "1" {
		t.Errorf("seats without a vote: %v", got)
	}
	for i, table := range []string{"cases", "seats", "payments", "evidence"} {
		for _, column := range answers[5+i] {
			if row := fmt.Sprintf("| `%s` | %s |", column[0], column[1]); !strings.Contains(section(string(documented), table), row) {
				t.Errorf("docs/archive.md does not say %s of the table %s", row, table)
			}
		}
		if rows := strings.Count(section(string(documented), table), "\n| `"); rows != len(answers[5+i]) {
			t.Errorf("docs/archive.md has %d columns of the table %s, which has %d", rows, table, len(answers[5+i]))
		}
	}
	for i, answer := range answers[9:] {
		if len(answer) == 0 {
			t.Errorf("query %d of docs/archive.md finds nothing", i+1)
		}
	}
}

// section returns what a page says under the heading of a table.
func section(page, table string) string {
	_, rest, _ := strings.Cut(page, "### `"+table+"`\n")
	text, _, _ := strings.Cut(rest, "\n#")
	return text
}

// TestCrash: what a crash leaves of a part is removed, and the next run adds its cases. Two
// processes cannot write, and what is not an archive is not touched.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := simple(t, 1), simple(t, 2)
	put(t, dir, one)
	before, err := os.ReadFile(filepath.Join(dir, "part-000001", "cases.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	// The second run dies when everything is written and the part has not its name yet.
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Error("two have it open: ", err)
	}
	if _, err := a.Add(two); err != nil {
		t.Fatal(err)
	}
	if err := a.write(filepath.Join(dir, "new-000002")); err != nil {
		t.Fatal(err)
	}
	if err := a.lock.Release(); err != nil {
		t.Fatal(err)
	}
	if seen, err := filepath.Glob(filepath.Join(dir, "part-*", "cases.parquet")); err != nil || len(seen) != 1 {
		t.Error("a reader sees half a part: ", seen, err)
	}
	if n := put(t, dir, one, two); n != 1 {
		t.Error(n, "were added")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"lock", "part-000001", "part-000002"}; !reflect.DeepEqual(names, want) {
		t.Error(names)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "part-000001", "cases.parquet")); err != nil || string(after) != string(before) {
		t.Error("a part changed: ", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), `"mine.txt" is no part of an archive`) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "part-000001", listName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "cases.json is missing") {
		t.Error(err)
	}
}

// TestUnverified: a file that does not verify is not added, and leaves nothing behind.
func TestUnverified(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"{}", strings.Replace(string(simple(t, 1)), `"exported_at": 1`, `"exported_at": 2`, 1)} {
		if added, err := a.Add([]byte(file)); added || !errors.Is(err, ErrUnverified) {
			t.Error(added, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if parts, err := filepath.Glob(filepath.Join(dir, "*-*")); err != nil || len(parts) != 0 {
		t.Error(parts, err)
	}
}

// TestOddTimes: a receipt whose holder writes an impossible time keeps its case in the archive.
func TestOddTimes(t *testing.T) {
	t.Parallel()
	for _, fetched := range []int64{1, 1 << 53} {
		file := caseFile(t, casetest.Script{Name: "odd", ID: 5, Judges: 28, Rounds: []casetest.Plan{func(seat int) casetest.Act {
			return casetest.Act{Choice: voting.Reject, Ask: seat < 2, Holders: 2, Fetched: fetched}
		}}})
		if n := put(t, t.TempDir(), file); n != 1 {
			t.Errorf("a fetch at %d: %d cases added", fetched, n)
		}
	}
}

// TestForeignFolder: a folder of something else is left as it is, and a hidden file is no harm.
func TestForeignFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), `"a.py" is no part`) {
		t.Error(err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	if err := os.Rename(filepath.Join(dir, "a.py"), filepath.Join(dir, ".DS_Store")); err != nil {
		t.Fatal(err)
	}
	if n := put(t, dir, simple(t, 1)); n != 1 {
		t.Error(n)
	}
}

// TestFull: a run with many cases writes several parts, and what is full is on the disk before the
// end.
func TestFull(t *testing.T) {
	t.Parallel()
	a, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range partCases - 1 {
		a.wait = append(a.wait, fmt.Sprint(i))
	}
	if _, err := a.Add(simple(t, 1)); err != nil || len(a.wait) != 0 || a.last != 1 {
		t.Error(err, len(a.wait), a.last)
	}
	a.last = 999_999
	if _, err := a.Add(simple(t, 2)); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err == nil || !strings.Contains(err.Error(), "is full") {
		t.Error(err)
	}
}

// TestTable: values that do not fit their column are refused, and a table of every kind with
// nothing, one row, and runs of nulls is read back.
func TestTable(t *testing.T) {
	t.Parallel()
	columns := []parquet.Column{
		{Name: "text", Optional: true}, {Name: "amount", Kind: parquet.Amount}, {Name: "small", Kind: parquet.Small, Optional: true},
		{Name: "time", Kind: parquet.Time}, {Name: "truth", Kind: parquet.Truth, Optional: true},
	}
	for words, row := range map[string][]any{
		"a row of 1":                  {"x"},
		"t.amount: int 1":             {nil, 1, nil, int64(0), nil},
		"t.amount: <nil>":             {nil, nil, nil, int64(0), nil},
		"t.time: int64 -1":            {nil, uint64(0), nil, int64(-1), nil},
		"t.text: uint64":              {uint64(1), uint64(1), nil, int64(0), nil},
		"t.truth: string true":        {nil, uint64(0), nil, int64(0), "true"},
		"t.time: int64 9223372036854": {nil, uint64(0), nil, int64(1<<63 - 1), nil},
	} {
		if err := parquet.New("t", columns...).Add(row...); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v; wanted %q", err, words)
		}
	}
	dir := t.TempDir()
	for rows := range map[int]bool{0: true, 1: true, 1000: true} {
		table := parquet.New("t", columns...)
		for i := range rows {
			row := []any{nil, math.MaxUint64 - uint64(i), nil, int64(i), nil}
			if i%7 == 0 || i > 500 {
				row[0], row[2], row[4] = strings.Repeat("ä", i%5), int32(-i), i%3 == 0
			}
			if err := table.Add(row...); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := table.File("1")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(rows)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := `from read_parquet('FOLDER/1000')`
	answers := ask(t, dir, `select count(*) from read_parquet('FOLDER/0')`, `select * replace (epoch(time) as time) from read_parquet('FOLDER/1')`,
		`select count(*), count(text), count(small), count(truth), max(amount), min(amount), sum(small), count(*) filter (truth), sum(length(text)), max(epoch(time)) `+all,
		`select text, amount, small, epoch(time), truth `+all+` where epoch(time) in (6, 14, 999) order by 4`,
		`select decode(key), decode(value) from parquet_kv_metadata('FOLDER/1')`)
	if answers == nil {
		return
	}
	there, sum, truths, letters := 0, 0, 0, 0
	for i := range 1000 {
		if i%7 == 0 || i > 500 {
			there, sum, letters = there+1, sum-i, letters+i%5
			if i%3 == 0 {
				truths++
			}
		}
	}
	want := [][][]string{
		{{"0"}},
		{{"", "18446744073709551615", "0", "0", "true"}},
		{{"1000", fmt.Sprint(there), fmt.Sprint(there), fmt.Sprint(there), "18446744073709551615", "18446744073709550616", fmt.Sprint(sum), fmt.Sprint(truths), fmt.Sprint(letters), "999"}},
		{{"", "18446744073709551609", "", "6", ""}, {"ääää", "18446744073709551601", "-14", "14", "false"}, {"ääää", "18446744073709550616", "-999", "999", "true"}},
		{{"ojud.schema", "1"}},
	}
	for i := range want {
		if !reflect.DeepEqual(answers[i], want[i]) {
			t.Errorf("query %d: %v; wanted %v", i, answers[i], want[i])
		}
	}
}

// FuzzList: whatever is read as the list of a part names cases by their addresses.
func FuzzList(f *testing.F) {
	f.Add([]byte(`{"schema":"1","cases":["11111111111111111111111111111111"]}`))
	f.Add([]byte(`{"schema":"2"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := parseList(raw)
		if err == nil && l.Schema != schema {
			t.Error(l)
		}
	})
}
