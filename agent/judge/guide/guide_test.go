package guide_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/agent/judge/guide"
	"ojud/casefile"
	"ojud/casefile/proof"
	"ojud/golden/generator"
	"ojud/test/longtest"
	"ojud/voting"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func parse(t *testing.T, raw []byte) casefile.Doc[casefile.Task] {
	t.Helper()
	task, err := casefile.ParseTask(raw)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// propose proposes checks and returns the task with nothing but them.
func propose(t *testing.T, task casefile.Doc[casefile.Task], example []byte) (casefile.Doc[casefile.Task], string) {
	t.Helper()
	doc, err := casefile.NewTask(task.Value)
	if err != nil {
		t.Fatal(err)
	}
	all, err := guide.Propose(t.Context(), &prover, doc.Raw, example)
	if err != nil {
		t.Fatal(err)
	}
	v := task.Value
	v.Expected = nil
	for _, p := range all {
		if p.Because == "" {
			t.Errorf("%+v has no reason", p)
		}
		v.Expected = append(v.Expected, p.Check)
	}
	out, err := casefile.NewTask(v)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v.Expected)
	if err != nil {
		t.Fatal(err)
	}
	return out, string(raw)
}

// prover runs the parsers that the tests need.
var prover proof.Prover

func TestMain(m *testing.M) {
	code := m.Run()
	if err := prover.Close(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// outcomes counts what comes of a task's checks on a result.
func outcomes(t *testing.T, task casefile.Doc[casefile.Task], result []byte) map[casefile.CheckOutcome]int {
	t.Helper()
	papers, err := check.Read(task.Raw, result)
	if err != nil {
		t.Fatal(err)
	}
	out := map[casefile.CheckOutcome]int{}
	for _, m := range check.Every(task.Value, papers) {
		out[m.Outcome]++
	}
	for i, k := range task.Value.Expected {
		if k.Runs() {
			run, err := prover.Run(t.Context(), task.Value, i, proof.Papers{Task: task.Raw, Result: result})
			if errors.Is(err, proof.ErrNoPython) {
				t.Logf("NOT RUN: check %d in Python: %v; make python installs it", i, err)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			out[casefile.OutcomeOf(run.Said)]++
		}
	}
	return out
}

// TestInvoices: for a task without checks and its right result, the guide finds those that a person
// wrote. The wrong result fails some of them.
func TestInvoices(t *testing.T) {
	task := parse(t, read(t, "invoices/invoices.task.json"))
	task.Value.Expected = nil
	good, bad := read(t, "invoices/good.result.json"), read(t, "invoices/bad.result.json")
	made, text := propose(t, task, good)
	for _, want := range []string{
		`{"path":"/invoices","unique":{"by":"/id"}}`, `{"path":"/invoices","sorted":{"by":"/date"}}`,
		`{"path":"/invoices","set":{"relation":"equal","by":"/id","from":"/input_data/0/ids"}}`,
		`{"path":"/invoices","each":"/date","dates":{"min":"0001-01-01","max":"9999-12-31"}}`,
		`{"path":"/invoices","each":"/note","words":{"min":5,"max":30}}`,
		`{"path":"","grounded":{"in":["/input_data"],"what":["numbers"]}}`, `"what":["quotes"]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not propose %s: %s", want, text)
		}
	}
	if right, wrong := outcomes(t, made, good), outcomes(t, made, bad); right[casefile.Pass] != len(made.Value.Expected) || wrong[casefile.Fail] < 2 {
		t.Errorf("right %v, wrong %v", right, wrong)
	}
	if _, text := propose(t, task, nil); !strings.Contains(text, `"unique":{"by":"/id"}`) || !strings.Contains(text, `"from":"/input_data/0/ids"`) || strings.Contains(text, "equal") {
		t.Errorf("without the example: %s", text)
	}
	task.Value.Expected = made.Value.Expected
	if _, text := propose(t, task, good); text != "null" {
		t.Errorf("it proposes what the task has: %s", text)
	}
}

// TestWorks: for the shipped translation and image, the guide finds the demand that a person wrote.
func TestWorks(t *testing.T) {
	for name, want := range map[string]string{
		"translation": `[{"path":"/segments","translation":{"of":"/input_data/0/segments","to":"de"}}`,
		"thumbnail":   `[{"path":"/thumbnail","media":{"not_blank":true}}`,
	} {
		task := parse(t, read(t, name+"/"+name+".task.json"))
		task.Value.Expected = nil
		made, text := propose(t, task, read(t, name+"/good.result.json"))
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
		if wrong := outcomes(t, made, read(t, name+"/bad.result.json")); wrong[casefile.Fail] == 0 {
			t.Errorf("%s: the wrong result fails nothing: %s", name, text)
		}
	}
}

// TestSchemas: formats, names and words of a schema, in both forms, and what proposes nothing.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ schema, instruction, want string }{
		{`{"rows":[{"id":"integer","url":"string"}]}`, "List them.", `[{"path":"/rows","unique":{"by":"/id"}},{"path":"/rows","each":"/url","url":{}}]`},
		{`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"at":{"type":"string","format":"date"}}}}}}`,
			"List them sorted by at, newest first.",
			`[{"path":"/rows","sorted":{"by":"/at","descending":true}},{"path":"/rows","each":"/at","dates":{"min":"0001-01-01","max":"9999-12-31"}}]`},
		{`{"type":"array","items":{"type":"string","format":"uri"}}`, "List them.", `[{"path":"","each":"","url":{}}]`},
		{`{"summary":"string","title":"string"}`, "Write a title. The summary has at most 50 words.", `[{"path":"/summary","words":{"max":50}}]`},
		{`{"summary":"string"}`, "Write 10 to 20 words about owls.", `null`},
		{`{"due_date":"string"}`, "Write it as YYYY-MM-DD.", `[{"path":"/due_date","dates":{"min":"0001-01-01","max":"9999-12-31"}}]`},
		{`{"text":"string"}`, "Use only what the input says.", `[{"path":"","grounded":{"in":["/input_data"],"what":["quotes"]}}]`},
		{`{"code":"string","note":"string"}`, "Write a Go package with Max.", `[{"path":"/code","parses":"go"}]`},
		{`{"code":"string"}`, "Write a Go function Max.", `null`},
		{`{"config_json":"string"}`, "x", `[{"path":"/config_json","parses":"json"}]`},
		{`{"text":"string"}`, "Write a story in German.", `null`}, // no example shows that there is enough to tell
		{`{}`, "x", `null`},
		{`{"a":["any"],"b":{"type":"string"}}`, "x", `null`},
	} {
		task := parse(t, fmt.Appendf(nil, `{"instruction":[%q],"input_data":[{"x":1}],"output_schema":%s}`, c.instruction, c.schema))
		if _, text := propose(t, task, nil); text != c.want {
			t.Errorf("%s, %s: %s, want %s", c.schema, c.instruction, text, c.want)
		}
	}
}

// TestCode: code is proposed by the name of its member, by the instruction, and by how the example
// looks, if its parser takes the example.
func TestCode(t *testing.T) {
	for _, c := range []struct{ schema, instruction, example, want string }{
		{`{"sql":"string"}`, "List the customers.", ``, `[{"path":"/sql","parses":"sql"}]`},
		{`{"code":"string"}`, "Write a function in JavaScript.", ``, `[{"path":"/code","parses":"javascript"}]`},
		{`{"code":"string"}`, "Write a Python function.", ``, `[{"path":"/code","parses":"python"}]`},
		{`{"query":"string"}`, "Write a query for SQLite.", `{"query":"SELECT a FROM b"}`, `[{"path":"/query","parses":"sql"}]`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"function sum(a) {\n  return a\n}"}`, `[{"path":"/answer","parses":"javascript"}]`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"package sum\n\nfunc Sum() {}\n"}`, `[{"path":"/answer","parses":"go"}]`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"[1, 2]"}`, `[{"path":"/answer","parses":"json"}]`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"SELECT sum(a) FROM b"}`, `[{"path":"/answer","parses":"sql"}]`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"With all of them it is 7."}`, `null`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"let me see: it is 7."}`, `null`},
		{`{"answer":"string"}`, "Sum them.", `{"answer":"import them, and add"}`, `null`},
		{`{"code":"string"}`, "Which country code fits?", `{"code":"PT"}`, `null`},
		{`{"code":"string"}`, "Write it in Go or in Python.", ``, `null`},
		{`{"all":[{"sql":"string"}]}`, "List queries.", ``, `null`}, // such a check looks at one text
	} {
		var example []byte
		if c.example != "" {
			example = []byte(c.example)
		}
		task := parse(t, fmt.Appendf(nil, `{"instruction":[%q],"output_schema":%s}`, c.instruction, c.schema))
		if _, text := propose(t, task, example); text != c.want {
			t.Errorf("%s, %s: %s, want %s", c.instruction, c.example, text, c.want)
		}
	}
}

// TestLanguage: the language that the instruction names is proposed if the example is long enough
// and in it.
func TestLanguage(t *testing.T) {
	t.Parallel()
	german := "Der Bericht über die Arbeit des letzten Jahres ist fertig, und wir haben ihn gestern mit der Post an die Leitung der Firma geschickt."
	for _, c := range []struct{ instruction, text, want string }{
		{"Write a story in German.", german, `[{"path":"/text","language":"de"}]`},
		{"Write a story in French.", german, `null`},
		{"Write a story in Summer.", german, `null`},
		{"Write a story in German.", "Guten Tag", `null`},
	} {
		task := parse(t, fmt.Appendf(nil, `{"instruction":[%q],"output_schema":{"text":"string"}}`, c.instruction))
		if _, text := propose(t, task, fmt.Appendf(nil, `{"text":%q}`, c.text)); text != c.want {
			t.Errorf("%s, %s: %s", c.instruction, c.text, text)
		}
	}
}

// TestNothingWrong: on 480 tasks of twelve kinds, a proposal made with the right result as example
// is met by it. One that is made without an example is never failed by the right result.
func TestNothingWrong(t *testing.T) {
	longtest.Only(t)
	proposed := map[bool]int{}
	for i := range 480 {
		kind, shape := generator.ExamKinds()[i%len(generator.ExamKinds())], generator.Shapes()[i/len(generator.ExamKinds())%len(generator.Shapes())]
		d, err := generator.Examine(kind, sha256.Sum256(fmt.Appendf(nil, "guide %d", i)), generator.Design{Answer: voting.Accept, Shape: shape, Support: generator.Words})
		if err != nil {
			t.Fatal(err)
		}
		task := parse(t, d.Task)
		for shown, example := range map[bool][]byte{true: d.Proof.Right, false: nil} {
			made, text := propose(t, task, example)
			ended := outcomes(t, made, d.Proof.Right)
			if proposed[shown] += len(made.Value.Expected); ended[casefile.Fail] > 0 || shown && ended[casefile.Unknown] > 0 {
				t.Errorf("%s, example %t: %v: %s\n%s\n%s", kind, shown, ended, text, d.Task, d.Proof.Right)
			}
		}
	}
	if proposed[true] < 300 || proposed[false] == 0 {
		t.Errorf("proposed: %v", proposed)
	}
	t.Logf("proposed with and without an example: %v", proposed)
}

// TestHonest: what the guide proposes, nothing refuses honest results.
func TestHonest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ task, example, honest string }{
		"a German summary": {`{"instruction":["Fasse den Brief zusammen. Do not invent anything."],"input_data":["Maria Sousa aus Lissabon kaufte drei Boote und segelte los."],"output_schema":{"text":"string"}}`,
			"", `{"text":"Eine Frau, Maria Sousa aus Lissabon, hat mehrere Schiffe erworben und ist aufgebrochen."}`},
		"headings": {`{"instruction":["Write a report with headings. Use only what the input says."],"input_data":["The firm Acme sold 12 boats. Maria Sousa leads it."],"output_schema":{"text":"string"}}`,
			"", `{"text":"# Executive Summary\nThe firm Acme sold 12 boats.\n# Key Findings\nIt is led by Maria Sousa."}`},
		"Persian digits": {`{"instruction":["Translate the text into Persian."],"input_data":[{"texts":["In 2024 we had 35 shops, and all of them were open on the first day of the year for the people of the town."]}],"output_schema":{"texts":["string"]}}`,
			"", `{"texts":["در سال ۲۰۲۴ ما ۳۵ فروشگاه داشتیم و همه آنها در روز اول سال برای مردم شهر باز بودند."]}`},
		"historic dates": {`{"instruction":["List the birth date of each poet as YYYY-MM-DD."],"output_schema":{"poets":[{"name":"string","date":"string"}]}}`,
			"", `{"poets":[{"name":"Goethe","date":"1749-08-28"}]}`},
		"ids of the example": {`{"instruction":["List the orders."],"output_schema":{"orders":[{"no":"string"}]}}`,
			`{"orders":[{"no":"A-101"},{"no":"A-102"},{"no":"A-103"}]}`, `{"orders":[{"no":"A-998"},{"no":"A-999"},{"no":"A-1000"}]}`},
		"dates of the example": {`{"instruction":["List the orders with their date."],"output_schema":{"orders":[{"date":"string"}]}}`,
			`{"orders":[{"date":"2026-12-30"},{"date":"2026-12-31"}]}`, `{"orders":[{"date":"2026-12-31"},{"date":"2027-01-01"}]}`},
		"some of a list": {`{"instruction":["List the boats that are red, written by hand by owner."],"input_data":[{"boats":[{"id":"a"},{"id":"b"}]}],"output_schema":{"boats":[{"id":"string","owner":"string"}]}}`,
			"", `{"boats":[{"id":"b","owner":"Z"},{"id":"a","owner":"A"}]}`},
	} {
		var example []byte
		if c.example != "" {
			example = []byte(c.example)
		}
		made, text := propose(t, parse(t, []byte(c.task)), example)
		if out := outcomes(t, made, []byte(c.honest)); out[casefile.Fail] > 0 {
			t.Errorf("%s: %v of %s", name, out, text)
		}
	}
}

// FuzzPropose: any task and example have proposals that make a task.
func FuzzPropose(f *testing.F) {
	f.Add(`{"rows":[{"id":"string"}]}`, "List by id, at most 5 words in id", `[{"ids":["A-1"]}]`, `{"rows":[{"id":"A-1"},{"id":"A-2"},{"id":"A-3"}]}`)
	f.Add(`{"type":"array","items":{"type":"string","format":"date"}}`, "x", `[]`, `["2026-01-01"]`)
	f.Fuzz(func(t *testing.T, schema, instruction, input, example string) {
		text, err := json.Marshal(instruction)
		if err != nil {
			return
		}
		task, err := casefile.ParseTask(fmt.Appendf(nil, `{"instruction":[%s],"input_data":%s,"output_schema":%s}`, text, input, schema))
		if err != nil {
			return
		}
		propose(t, task, nil)
		if r, err := casefile.ParseResult([]byte(example)); err == nil {
			propose(t, task, r.Raw)
		}
	})
}
