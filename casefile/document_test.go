package casefile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ojud/casefile"
)

// The example task of seed 000, as it stands there.
const seedTask = `{ "instruction": [ "You should make a ASCII drawing of eleptiger" ], "input_data": [ { "eleptiger": "eleptiger is a fusion of elephant + tiger" } ], "pda": [ "PDA_ADDRESS" ], "output_schema": { "ascii_painting": "string" } }`

func TestSeedTask(t *testing.T) {
	doc, err := casefile.ParseTask([]byte(seedTask))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"input_data":[{"eleptiger":"eleptiger is a fusion of elephant + tiger"}],"instruction":["You should make a ASCII drawing of eleptiger"],"output_schema":{"ascii_painting":"string"},"pda":["PDA_ADDRESS"]}`
	if string(doc.Raw) != want {
		t.Errorf("canonical form %s", doc.Raw)
	}
	if doc.Hash != casefile.HashOf([]byte(want)) || doc.Value.Instruction[0] != "You should make a ASCII drawing of eleptiger" {
		t.Errorf("%+v", doc)
	}
}

func TestDocumentErrors(t *testing.T) {
	task := func(raw string) error { _, err := casefile.ParseTask([]byte(raw)); return err }
	objection := func(raw string) error { _, err := casefile.ParseObjection([]byte(raw)); return err }
	opinion := func(raw string) error { _, err := casefile.ParseOpinion([]byte(raw)); return err }
	checks := func(check string) string {
		return `{"instruction":["x"],"output_schema":{},"expected":[` + check + `]}`
	}
	for _, c := range []struct {
		parse     func(string) error
		raw, want string
	}{
		{task, `{"instructions":["x"],"output_schema":{}}`, `task file: field "instructions": unknown; did you mean "instruction"?`},
		{task, `{"Instruction":["x"],"output_schema":{}}`, `task file: field "Instruction": unknown; did you mean "instruction"?`},
		{task, `{"price":1,"instruction":["x"],"output_schema":{}}`, `task file: field "price": unknown; the fields here are instruction, input_data, pda, output_schema, data_sources, expected`},
		{task, `{"output_schema":{}}`, `task file: field "instruction": missing`},
		{task, `{"instruction":[],"output_schema":{}}`, `task file: field "instruction": is empty; write at least one string of instructions`},
		{task, `{"instruction":"x","output_schema":{}}`, `task file: field "instruction": is a string; an array is needed`},
		{task, `{"instruction":["x",7],"output_schema":{}}`, `task file: field "instruction[1]": is the number 7; a string is needed`},
		{task, `{"instruction":["x"],"output_schema":null}`, `task file: field "output_schema": is not an object; give a JSON Schema or the short form, such as {"text":"string"}`},
		{task, `{"instruction":["x"],"output_schema":{},"pda":null}`, `task file: field "pda": is null; leave it out or give it a value`},
		{task, `{"instruction":["x"],"output_schema":{},"pda":[{"data":"11111111111111111111111111111111","sha256":"00"}]}`, `task file: field "pda[0]": has the sha256 "00"; 64 lower-case hex digits are needed`},
		{task, `{"instruction":["x"],"output_schema":{},"pda":["11111111111111111111111111111111",{"data":"11111111111111111111111111111111","sha256":"` + strings.Repeat("00", 32) + `"}]}`, `task file: field "pda[1]": "11111111111111111111111111111111": it stands above with another sha256, or with none; give the address of an agent data account or leave pda out`},
		{task, `{"instruction":["x"],"output_schema":{},"pda":["PDA_ADRESS"]}`, `task file: field "pda[0]": "PDA_ADRESS": no base58 address of 32 bytes`},
		{task, `{"instruction":["x"],"output_schema":{},"data_sources":["Twitter"]}`, `task file: field "data_sources[0]": "Twitter" has the character 'T'; only a-z 0-9 . _ : - are allowed`},
		{task, `[1]`, `task file: is an array; an object is needed`},
		{task, `{"instruction":["` + strings.Repeat("x", 8193) + `"],"output_schema":{}}`, `task file: field "instruction[0]": is 8193 bytes; at most 8192 are allowed, shorten it`},
		{task, checks(`{"path":"/a"}`), `task file: field "expected[0]": checks nothing; add one of count, lines, bytes (also with min_ or max_), sha256, equals, contains`},
		{task, checks(`{"path":"a","lines":1}`), `task file: field "expected[0].path": "a" is no JSON pointer: it begins with / (or is empty, for the whole result), such as /a`},
		{task, checks(`{"path":"/a~2","lines":1}`), `task file: field "expected[0].path": "/a~2" is no JSON pointer: ~ is written ~0 and / inside a name ~1`},
		{task, checks(`{"path":"","lines":-1}`), `task file: field "expected[0].lines": is the number -1; an integer from 0 to 9007199254740991 is needed`},
		{task, checks(`{"path":"","lines":1.5}`), `task file: field "expected[0].lines": is the number 1.5; an integer from 0 to 9007199254740991 is needed`},
		{task, checks(`{"path":"","line":1}`), `task file: field "expected[0].line": unknown; did you mean "lines"?`},
		{task, checks(`{"path":"","contains":""}`), `task file: field "expected[0].contains": is empty; at least 1 byte is needed`},
		{objection, `{"reason":""}`, `objection file: field "reason": is empty; at least 1 byte is needed`},
		{objection, `{"reason":"x","evidence":[{"name":"a","sha256":"00","bytes":1}]}`, `objection file: field "evidence[0].sha256": "00": no SHA-256 in hex: 2 characters; it has 64`},
		{objection, `{"reason":"x","grounds":[{"pointer":"a","kind":"missing"}]}`, `objection file: field "grounds[0].pointer": "a" is no JSON pointer`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"ugly"}]}`, `objection file: field "grounds[0].kind": is "ugly"; the kinds are contains, count, extra, lines, missing, not_contains, order, returns, type, unique, value`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"value"}]}`, `objection file: field "grounds[0].expected": missing; say what should be there`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"missing","expected":1}]}`, `objection file: field "grounds[0].expected": is given; leave it out`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"count","expected":-1}]}`, `objection file: field "grounds[0].expected": is no number`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"lines","expected":"1"}]}`, `objection file: field "grounds[0].expected": is no number`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"type","expected":"list"}]}`, `objection file: field "grounds[0].expected": is no type`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"order","expected":"up"}]}`, `objection file: field "grounds[0].expected": is no order`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"contains","expected":""}]}`, `objection file: field "grounds[0].expected": is no text`},
		{objection, `{"reason":"x","grounds":[{"pointer":"","kind":"value","expected":"` + strings.Repeat("x", 8192) + `"}]}`, `objection file: field "grounds[0].expected": has more than 8192 bytes`},
		{objection, `{"reason":"x","grounds":[` + strings.Repeat(`{"pointer":"","kind":"extra"},`, 16) + `{"pointer":"","kind":"extra"}]}`, `objection file: field "grounds": has 17 grounds; at most 16 are allowed`},
		{opinion, `{"case":1}`, `opinion: field "case": is the number 1; a string is needed`},
	} {
		err := c.parse(c.raw)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.80s\n got %v\nwant %s", c.raw, err, c.want)
		}
	}
}

func TestTaskChecks(t *testing.T) {
	doc, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{"a":"string"},"expected":[{"path":"","equals":null},{"path":"/a~1b","min_lines":0,"contains":"X"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	checks := doc.Value.Expected
	if string(checks[0].Equals) != "null" || *checks[1].MinLines != 0 || *checks[1].Contains != "X" || checks[1].Equals != nil {
		t.Errorf("%+v", checks)
	}
	again, err := casefile.NewTask(doc.Value)
	if err != nil || string(again.Raw) != string(doc.Raw) {
		t.Errorf("written again: %s, %v", again.Raw, err)
	}
}

// What people write with invalid UTF-8 must be refused, not repaired: json.Marshal repairs.
func TestWriteRefusesInvalidUTF8(t *testing.T) {
	task := casefile.Task{Instruction: []string{"\xff"}, OutputSchema: json.RawMessage(`{}`)}
	if _, err := casefile.NewTask(task); err == nil {
		t.Error("taken")
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(seedTask))
	f.Add([]byte(`{"reason":"x","evidence":[{"name":"a","sha256":"` + strings.Repeat("0", 64) + `","bytes":1}]}`))
	f.Add([]byte(`{"instruction":["x"],"output_schema":{},"expected":[{"path":"/a","equals":{},"lines":3}]}`))
	f.Add([]byte(`{"reason":"x","grounds":[{"pointer":"/a","kind":"value","expected":{"b":[null]},"found":1.5}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if d, err := casefile.ParseTask(raw); err == nil {
			if _, err := casefile.NewTask(d.Value); err != nil {
				t.Fatal(err)
			}
		}
		for _, parse := range []func([]byte) error{
			func(b []byte) error { _, err := casefile.ParseObjection(b); return err },
			func(b []byte) error { _, err := casefile.ParseCounterObjection(b); return err },
			func(b []byte) error { _, err := casefile.ParseResult(b); return err },
		} {
			if err := parse(raw); err != nil && err.Error() == "" {
				t.Fatal(fmt.Errorf("silent error"))
			}
		}
	})
}

func FuzzOpinion(f *testing.F) {
	f.Add([]byte(`{"case":"11111111111111111111111111111111","choice":"accept","data_accessed":[],"findings":[{"check":"a","detail":"","evidence":[],"outcome":"pass"}],"judge":"11111111111111111111111111111111","model":"code-checks","round":1,"summary":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := casefile.ParseOpinion(raw)
		if err != nil {
			return
		}
		again, err := casefile.NewOpinion(d.Value)
		if err != nil || again.Hash != d.Hash {
			t.Fatalf("%s became %s, %v", d.Raw, again.Raw, err)
		}
	})
}
