package check_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge/check"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/schema"
	"ojud/schema/pointer"
)

// What a demand says of a value.
const (
	met     = "met"
	unknown = "code cannot tell"
)

// input is the task that the demands of the tables name.
const input = `[{"rows":[{"id":"a1","amount":1200.5},{"id":"b2","amount":18}],
	"text":"On 31.01.2026 Maria Sousa of Lisbon paid 1,200.50 EUR for three boats. She said: “We will sail to the Azores in May.” Then 2 350 people came."}]`

func decode(t testing.TB, raw string) any {
	t.Helper()
	doc, err := schema.Limits{ValueBytes: casefile.MaxDocument, Depth: canon.MaxDepth, Values: casefile.MaxDocument}.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// made makes the demands of a check on a result, or on the answer of a source.
func made(t testing.TB, demand, result, answer string) (string, error) {
	t.Helper()
	return madeOf(t, input, demand, result, answer)
}

// madeOf is made with an input of the task.
func madeOf(t testing.TB, input, demand, result, answer string) (string, error) {
	t.Helper()
	task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"input_data":` + input + `,"data_sources":["s"],"expected":[` + demand + `]}`))
	if err != nil {
		t.Fatalf("%s: %v", demand, err)
	}
	doc, err := casefile.ParseResult([]byte(result))
	if err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	k := task.Value.Expected[0]
	papers := check.Papers{Task: decode(t, string(task.Raw)), Result: decode(t, string(doc.Raw))}
	from := papers.Result
	if k.Data != nil {
		from = decode(t, answer)
	}
	v, err := pointer.Find(from, k.Path)
	if err != nil {
		return "", err
	}
	found, err := check.Make(k.Demands, v, papers)
	return strings.Join(found, ", "), err
}

// row is a demand on the value v of a result.
type row struct{ demand, v, want string }

func table(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		found, err := made(t, `{"path":"/v",`+r.demand+`}`, `{"v":`+r.v+`}`, "")
		say(t, r.demand+" on "+r.v, r.want, found, err)
	}
}

// say compares what was found with what should be.
func say(t *testing.T, what, want, found string, err error) {
	t.Helper()
	switch {
	case want == met && (err != nil || found == ""):
		t.Errorf("%s: %q, %v; it is met", what, found, err)
	case want == unknown && !errors.Is(err, check.ErrCannotTell):
		t.Errorf("%s: %q, %v; code cannot tell", what, found, err)
	case want != met && want != unknown && (err == nil || errors.Is(err, check.ErrCannotTell) || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: %q, %v; want %q", what, found, err, want)
	}
}

func TestLists(t *testing.T) {
	table(t, []row{
		{`"sorted":{}`, `[1,2,2,10]`, met},
		{`"sorted":{}`, `[1,10,2]`, "the items 1 and 2 are out of order"},
		{`"sorted":{"descending":true}`, `[3,2.5,-1e3]`, met},
		{`"sorted":{"by":"/d"}`, `[{"d":"2026-01-01"},{"d":"2026-02-01"}]`, met},
		{`"sorted":{"by":"/d"}`, `[{"d":"b"},{}]`, "item 1"},
		{`"sorted":{}`, `["a","B"]`, unknown},
		{`"sorted":{}`, `["zebra","école"]`, unknown},
		{`"sorted":{}`, `["a","B","b","a"]`, "the items 2 and 3 are out of order"},
		{`"sorted":{}`, `[1,"2"]`, unknown},
		{`"sorted":{}`, `["9","10","100"]`, unknown}, // by their numbers
		{`"sorted":{}`, `["A-9","A-10"]`, unknown},
		{`"sorted":{}`, `["A-09","A-10","A-9 x"]`, unknown},
		{`"sorted":{}`, `["A-10","A-09"]`, "out of order"},
		{`"sorted":{}`, `["2026-02-01","2026-10-01"]`, met},
		{`"sorted":{}`, `[]`, unknown},
		{`"sorted":{}`, `"ab"`, "only an array"},
		{`"unique":{}`, `[1,2,"1"]`, met},
		{`"unique":{}`, `[{"a":1,"b":2},{"b":2,"a":1.0}]`, "are the same"},
		{`"unique":{}`, `["caf\u00e9","cafe\u0301"]`, "are the same"},
		{`"unique":{"by":"/id"}`, `[{"id":1,"x":1},{"id":1,"x":2}]`, "item 0 and item 1 are the same"},
		{`"unique":{}`, `[]`, unknown},
		{`"set":{"relation":"equal","items":["a",1]}`, `[1,"a"]`, met},
		{`"set":{"relation":"equal","items":["a",1]}`, `[1,"a","b"]`, `item 2 is "\"b\""`},
		{`"set":{"relation":"equal","items":["a",1]}`, `[1]`, "it lacks 1 of 2 items"},
		{`"set":{"relation":"subset","items":["a",1]}`, `[1]`, met},
		{`"set":{"relation":"subset","items":["a",1]}`, `[]`, unknown},
		{`"set":{"relation":"superset","items":["a"]}`, `["b","a"]`, met},
		{`"set":{"relation":"superset","from":"/input_data/0/rows","from_by":"/id","by":"/id"}`, `[{"id":"b2"},{"id":"a1"}]`, met},
		{`"set":{"relation":"superset","from":"/input_data/0/rows","from_by":"/id","by":"/id"}`, `[{"id":"a1"}]`, `such as "\"b2\""`},
		{`"set":{"relation":"superset","from":"/input_data/9","by":"/id"}`, `[{"id":"a1"}]`, unknown},
		{`"set":{"relation":"superset","from":"/input_data/0/text"}`, `["a1"]`, unknown},
		{`"has":{"a":{"b":2}}`, `{"a":{"b":2.0,"c":1}}`, met},
		{`"has":{"a":{"b":2}}`, `{"a":{"b":"2"}}`, `at "/a/b" it is`},
		{`"has":{"a":{"b":2}}`, `{"a":2}`, "instead of an object"},
		{`"has":{"to":"x","amount":5}`, `[{"to":"y","amount":5},{"to":"x","amount":5,"memo":"m"}]`, met},
		{`"has":{"to":"x","amount":5}`, `[{"to":"y","amount":5},{"to":"x","amount":4}]`, "none of its 2 items"},
	})
}

func TestNumbersAndDates(t *testing.T) {
	table(t, []row{
		{`"near":{"to":0.2,"within":0.1}`, `0.3`, met},
		{`"near":{"to":0.2,"within":0.1}`, `0.30000000000000004`, "away from 0.2"},
		{`"near":{"to":1e308,"within":1e308}`, `-1e308`, "away from"},
		{`"near":{"to":0,"within":0}`, `1e-300`, "away from"},
		{`"near":{"to":1,"within":0}`, `"1"`, "instead of a number"},
		{`"each":"/n","near":{"to":10,"within":1}`, `[{"n":9},{"n":11.5}]`, "item 1 is 11.5"},
		{`"each":"/n","near":{"to":10,"within":1}`, `[]`, unknown},
		{`"each":"/n","near":{"to":10,"within":1}`, `{"n":10}`, "only an array"},
		{`"dates":{"min":"2026-01-01","max":"2026-12-31"}`, `"2026-12-31"`, met},
		{`"dates":{"min":"2026-01-01","max":"2026-12-31"}`, `"2026-12-31T23:59:59-08:00"`, met},
		{`"dates":{"min":"2026-01-01"}`, `"2025-12-31"`, "before 2026-01-01"},
		{`"dates":{"min":"2026-01-01"}`, `"2026-02-30"`, "is no date"},
		{`"dates":{"max":"2026-01-01T12:00:00Z"}`, `"2026-01-01"`, unknown},
		{`"dates":{"max":"2026-01-01T12:00:00Z"}`, `"2026-01-02"`, "after"},
		{`"dates":{"max":"2026-01-01T12:00:00Z"}`, `"2026-01-01T13:30:00+02:00"`, met},
		{`"dates":{"max":"2026-01-01T12:00:00Z"}`, `"01/02/2026"`, "is no date"},
	})
}

func TestTexts(t *testing.T) {
	table(t, []row{
		{`"pattern":"^[A-Z]{2}-\\d+$"`, `"AB-12"`, met},
		{`"pattern":"^[A-Z]{2}-\\d+$"`, `"ab-12"`, "does not match"},
		{`"each":"/c","pattern":"^x"`, `[{"c":"xy"},{"c":"yx"}]`, "item 1"},
		{`"pattern":"x"`, `7`, "instead of a string"},
		{`"not_contains":["secret"]`, `"nothing here"`, met},
		{`"not_contains":["secret"]`, `"the SE\u200bCRET plan"`, `contains "secret"`},
		{`"not_contains":["secret"]`, `"ｓｅｃｒｅｔ"`, `contains "secret"`},
		{`"not_contains":["two words"]`, `["a",{"b":"Two\n words"}]`, "contains"},
		{`"not_contains":["caf\u00e9"]`, `"cafe\u0301s"`, "contains"},
		{`"not_contains":["secret"]`, `""`, unknown},
		{`"not_contains":["New York"]`, `{"a":"All is New","b":"York is old"}`, met},
		{`"words":{"min":3,"max":4}`, `"one two three"`, met},
		{`"words":{"min":3}`, `"one two"`, "has 2 words at most"},
		{`"words":{"max":2}`, `"one two three"`, "has 3 words at least"},
		{`"words":{"max":2}`, `"one two –"`, unknown},
		{`"words":{"max":2}`, `"你好世界"`, unknown},
		{`"url":{}`, `"https://example.org/a?b=1"`, met},
		{`"url":{}`, `"example.org/a"`, "no full address"},
		{`"url":{}`, `"javascript:alert(1)"`, "no full address"},
		{`"url":{}`, `"ftp://example.org"`, "its scheme"},
		{`"url":{}`, `"https://"`, "names no host"},
		{`"url":{}`, `"https://example.org@evil.test/"`, "hides its host"},
		{`"url":{}`, `"https://example.org/a b"`, "no full address"},
		{`"url":{}`, `"https://fonts.example.com/css?family=Roboto|Open+Sans"`, unknown},
		{`"url":{"hosts":["example.org"]}`, `"https://www.Example.org/x"`, met},
		{`"url":{"hosts":["example.org"]}`, `"https://badexample.org/x"`, "its host is none of"},
		{`"url":{"hosts":["example.org"]}`, `"https://example.org.evil.test/"`, "its host is none of"},
	})
}

func TestGrounded(t *testing.T) {
	in := func(what string) string { return `"grounded":{"in":["/input_data"],"what":["` + what + `"]}` }
	table(t, []row{
		{in("numbers"), `"She paid 1200.50, that is 1.200,5, in 2026."`, met},
		{in("numbers"), `"2,350 people, or 2350, or 2 350"`, met},
		{in("numbers"), `"On 31 01 2026"`, met},
		{in("numbers"), `{"total":1218.5}`, "does not stand in the source"},
		{in("numbers"), `"4,350 people"`, "4,350"},
		{in("numbers"), `"1. First\n2. 1200.5"`, met},
		{in("numbers"), `"five 5"`, unknown},
		{in("numbers"), `"no number"`, unknown},
		{in("numbers"), `"３５７ boats"`, unknown}, // it may be there in words
		{in("numbers"), `"４３５７ boats"`, "4357"},
		{in("names"), `"The payer was Maria Sousa from Lisbon."`, met},
		{in("names"), `"The payer was Pedro Sousa."`, unknown},
		{in("names"), `"The payer was Maríá."`, met},
		{in("names"), `"It was Lisbonne."`, unknown},
		{in("names"), `"Nobody. Everything: Something"`, unknown},
		{in("quotes"), `"She said \"we will sail to the azores in May\"."`, met},
		{in("quotes"), `"She said «We will … the Azores»"`, met},
		{in("quotes"), `"She said \"the Azores … We will\""`, "does not stand"},
		{in("quotes"), `"She said \"We will fly to the Azores\""`, "does not stand"},
		{in("quotes"), `"The \"boats\""`, unknown},
		{`"grounded":{"in":["/input_data/7"],"what":["names"]}`, `"Some Name here"`, unknown},
	})
	const data = `{"path":"/body","data":{"data_source":"s","request":{}},`
	const answer = `{"body":"The ferry Lisboa leaves at 07:45 from pier nine."}`
	for _, r := range []row{
		{`"quoted":["/v"]`, `"ferry Lisboa leaves at 07:45"`, met},
		{`"quoted":["/v"]`, `"“The Ferry Lisboa leaves …”"`, met},
		{`"quoted":["/v"]`, `"ferry Porto leaves at 07:45"`, "does not stand"},
		{`"quoted":["/v"]`, `"ferry"`, "at least 3 words"},
		{`"quoted":["/v"]`, `7`, "instead of a quotation"},
		{`"quoted":["/w"]`, `7`, "in the result"},
		{`"grounded":{"result":"/v","what":["numbers"]}`, `"at 07:45"`, met},
		{`"grounded":{"result":"/v","what":["numbers"]}`, `"at 08:46"`, unknown},
		{`"grounded":{"result":"/v","what":["numbers"]}`, `"at 0846 of 1998"`, "1998"},
	} {
		found, err := made(t, data+r.demand+`}`, `{"v":`+r.v+`}`, answer)
		say(t, r.demand+" on "+r.v, r.want, found, err)
	}
}

// TestRefusedDemands: a task whose demand is wrong or would cost too much is no task.
func TestRefusedDemands(t *testing.T) {
	for demand, want := range map[string]string{
		`"pattern":"(a{1000}){1000}"`:                             "pattern",
		`"pattern":"a{500}b{500}"`:                                "instructions",
		`"pattern":"(?=a)"`:                                       "RE2",
		`"pattern":"` + strings.Repeat("a", 300) + `"`:            "1 to 256",
		`"each":"/a","unique":{}`:                                 "demands nothing",
		`"each":"a","pattern":"x"`:                                "each",
		`"sorted":{"by":"x"}`:                                     "sorted.by",
		`"unique":{"by":"x"}`:                                     "unique.by",
		`"set":{"relation":"same","items":[1]}`:                   "equal, subset or superset",
		`"set":{"relation":"equal"}`:                              "either items or from",
		`"set":{"relation":"equal","items":[1],"from":"/a"}`:      "either items or from",
		`"set":{"relation":"equal","items":[1],"from_by":"/a"}`:   "set.from_by",
		`"near":{"to":"1","within":1}`:                            "no number",
		`"near":{"to":1,"within":-1}`:                             "below 0",
		`"dates":{}`:                                              "bounds nothing",
		`"dates":{"min":"today"}`:                                 "no date",
		`"dates":{"min":"2026-02-01","max":"2026-01-01"}`:         "after max",
		`"words":{}`:                                              "bounds nothing",
		`"words":{"min":3,"max":2}`:                               "more than max",
		`"not_contains":[" "]`:                                    "white space",
		`"url":{"hosts":["https://x"]}`:                           "url.hosts[0]",
		`"grounded":{"in":["/a"],"what":[]}`:                      "grounded.what",
		`"grounded":{"in":["/a"],"what":["names","names"]}`:       "each once",
		`"grounded":{"what":["names"]}`:                           "grounded.in",
		`"grounded":{"in":["/a"],"result":"/b","what":["names"]}`: "grounded.result",
		`"quoted":["/a"]`:                                         "belongs to a check with data",
		`"has":[]`:                                                "has",
		`"has":{}`:                                                "has",
		`"program":{"javascript":"true"},"unique":{}`:             "make two checks",
		`"sorted":{"byy":"x"}`:                                    `did you mean "by"`,
	} {
		_, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"expected":[{"path":"",` + demand + `}]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", demand, err, want)
		}
	}
}

// FuzzDemand: any demand on any value has an answer that does not depend on a second look.
func FuzzDemand(f *testing.F) {
	for _, seed := range []struct{ demand, result, answer string }{
		{`{"path":"/v","sorted":{"by":"/a"},"unique":{}}`, `{"v":[{"a":1}]}`, `1`},
		{`{"path":"","grounded":{"in":[""],"what":["numbers","names","quotes"]}}`, `"The name Ana said \"one two three\" 1,5 12.3.2026"`, `1`},
		{`{"path":"","data":{"data_source":"s","request":{}},"quoted":["/0"],"has":{"a":1e999}}`, `["a b c"]`, `{"a":"a b c"}`},
		{`{"path":"","each":"","near":{"to":1,"within":2},"words":{"max":3},"pattern":"a*","dates":{"min":"2026-01-01"},"url":{},"not_contains":["x"]}`, `[1,"http://a","2026-01-01"]`, `1`},
		{`{"path":"","set":{"relation":"equal","items":[-0.0,{"a":null}]}}`, `[0,{"a":null}]`, `1`},
	} {
		f.Add(seed.demand, seed.result, seed.answer)
	}
	f.Fuzz(func(t *testing.T, demand, result, answer string) {
		task, err := casefile.ParseTask([]byte(`{"instruction":["x"],"output_schema":{},"data_sources":["s"],"expected":[` + demand + `]}`))
		if err != nil {
			return
		}
		doc, err := casefile.ParseResult([]byte(result))
		if err != nil {
			return
		}
		papers := check.Papers{Task: decode(t, string(task.Raw)), Result: decode(t, string(doc.Raw))}
		var v any
		if json.Unmarshal([]byte(answer), &v) != nil {
			v = papers.Result
		}
		for _, k := range task.Value.Expected {
			for _, value := range []any{papers.Result, v} {
				one, first := check.Make(k.Demands, value, papers)
				two, second := check.Make(k.Demands, value, papers)
				if strings.Join(one, "|") != strings.Join(two, "|") || (first == nil) != (second == nil) || first != nil && first.Error() != second.Error() {
					t.Fatalf("%v %v, then %v %v", one, first, two, second)
				}
				if k.Given() && first == nil && len(one) == 0 {
					t.Fatalf("%s found nothing", demand)
				}
			}
		}
	})
}

// TestExamples: the example tasks have right results that meet every demand, and wrong ones that
// fail one.
func TestExamples(t *testing.T) {
	for name, fails := range map[string]string{
		"invoices": "it lacks 1 of 3 items", "translation": `the segment at "/1": it lacks the number "1,250.50"`, "thumbnail": "is blank",
		"report": `one of its quotes, does not stand in the source`,
	} {
		read := func(file string) []byte {
			raw, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name, file))
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		task, err := casefile.ParseTask(read(name + ".task.json"))
		if err != nil {
			t.Fatal(err)
		}
		for file, fails := range map[string]string{"good.result.json": "", "bad.result.json": fails} {
			papers, err := check.Read(task.Raw, read(file))
			if err != nil {
				t.Fatal(err)
			}
			var faults []string
			for _, m := range check.Every(task.Value, papers) {
				if m.Outcome != casefile.Pass {
					faults = append(faults, m.Detail)
				}
			}
			if got := strings.Join(faults, "; "); fails == "" && got != "" || !strings.Contains(got, fails) {
				t.Errorf("%s, %s: %q, want %q", name, file, got, fails)
			}
		}
	}
}
