package exam_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/exam"
	"ojud/casefile"
)

const line = `{"id":"a","class":"facts","difficulty":1,"task":{"instruction":["Look it up."],"output_schema":{"n":"integer"},"data_sources":["s","t","u"]},` +
	`"result":{"n":1},"objection":{"reason":"No."},"counter_objection":{"reason":"Yes."},"exhibits":["proof"],` +
	`"answers":[{"data_source":"s","request":{"k":1},"holders":[{"name":"x","content":{"n":1}},{"name":"y","content":2}]},{"data_source":"t","holders":[{"name":"x","content":null}]}],` +
	`"label":"accept","why":"It is so.","checks":["Look."]}`

func item(t testing.TB, text string) exam.Item {
	t.Helper()
	items, err := exam.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return items[0]
}

// TestRoundTrip checks that Read returns the items that Write wrote.
func TestRoundTrip(t *testing.T) {
	var once, twice bytes.Buffer
	if err := exam.Write(&once, own(t)); err != nil {
		t.Fatal(err)
	}
	items, err := exam.Read(bytes.NewReader(once.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := exam.Write(&twice, items); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
		t.Errorf("another text, %v", err)
	}
}

// TestWrong checks that errors name the fault of a file.
func TestWrong(t *testing.T) {
	change := func(from, to string) string { return strings.Replace(line, from, to, 1) }
	for want, text := range map[string]string{
		"there is no item":            "\n\n",
		"two items \"a\"":             line + "\n" + line,
		"line 2: exam: not an item":   line + "\n{",
		"unknown field \"vote\"":      change(`"id"`, `"vote":1,"id"`),
		"id \"A\" is not":             change(`"id":"a"`, `"id":"A"`),
		"class \"mood\" is none of":   change(`"facts"`, `"mood"`),
		"difficulty is 4":             change(`"difficulty":1`, `"difficulty":4`),
		"label is not":                change(`"label":"accept"`, `"label":"abstain"`),
		"why has 0 bytes":             change(`"It is so."`, `""`),
		"checks has 0 entries":        change(`["Look."]`, `[]`),
		"checks[0] has 0 bytes":       change(`["Look."]`, `[""]`),
		"instruction":                 change(`["Look it up."]`, `[]`),
		"answers[0] needs":            change(`[{"name":"x","content":{"n":1}},{"name":"y","content":2}]`, `[]`),
		"a line of more than 2097152": strings.Repeat(" ", 3<<20),
	} {
		if _, err := exam.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := exam.Read(strings.NewReader(strings.Repeat(strings.Repeat(" ", 1<<20)+"\n", 64) + line)); !errors.Is(err, exam.ErrFile) {
		t.Errorf("a large file: %v", err)
	}
	many := strings.Repeat("{}\n", exam.MaxItems+1)
	if _, err := exam.Read(strings.NewReader(many)); err == nil {
		t.Error("items without anything")
	}
}

// TestBrief: a judge gets the same brief as from a node.
func TestBrief(t *testing.T) {
	i := item(t, line)
	b, w, err := i.Brief(time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if !b.Task.Readable() || !b.Result.Readable() || b.Objection.Value.Reason != "No." || b.Counter.Value.Reason != "Yes." || string(b.Exhibits[casefile.HashOf([]byte("proof"))]) != "proof" {
		t.Errorf("%+v", b)
	}
	ask := func(source, request string) ([]judge.Answer, error) {
		return b.Evidence.Ask(t.Context(), judge.Request{DataSource: source, Request: []byte(request)})
	}
	said, err := ask("s", ` {"k": 1}`)
	if err != nil || len(said) != 2 || string(said[0].Content) != `{"n":1}` || said[0].Holder == said[1].Holder || said[0].Receipt == said[1].Receipt || said[0].At != exam.At {
		t.Errorf("%+v, %v", said, err)
	}
	again, err := ask("s", `{"k":1}`)
	if err != nil || again[0].Receipt != said[0].Receipt {
		t.Errorf("the same question has another receipt: %v", err)
	}
	if said, err := ask("t", `{"whatever":[]}`); err != nil || string(said[0].Content) != "null" {
		t.Errorf("%v, %v", said, err)
	}
	for _, c := range []struct {
		source, request string
		want            error
	}{{"s", `{"k":2}`, judge.ErrBadRequest}, {"s", `{`, judge.ErrBadRequest}, {"u", `{}`, judge.ErrUnavailable}, {"v", `{}`, judge.ErrNotNamed}} {
		if _, err := ask(c.source, c.request); !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v", c.source, c.request, err)
		}
	}
	if len(w.Asked()) != 7 || len(w.Receipts()) != 5 {
		t.Errorf("%d questions, %d answers", len(w.Asked()), len(w.Receipts()))
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.Ask(over, judge.Request{DataSource: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestPapers: the cases are a result that is missing, a result that differs from the submitted one,
// and pleadings that do not parse.
func TestPapers(t *testing.T) {
	for name, text := range map[string]string{
		"none":    strings.Replace(line, `"result":{"n":1},`, "", 1),
		"changed": strings.Replace(line, `"result"`, `"submitted":{"n":2},"result"`, 1),
	} {
		b, _, err := item(t, text).Brief(time.Now())
		if err != nil || !errors.Is(b.Result.Err, judge.ErrMissing) {
			t.Errorf("%s: %v, %v", name, b.Result.Err, err)
		}
	}
	b, _, err := item(t, strings.Replace(line, `{"reason":"No."}`, `{"because":1}`, 1)).Brief(time.Now())
	if err != nil || b.Objection.Readable() || errors.Is(b.Objection.Err, judge.ErrMissing) {
		t.Errorf("%v, %v", b.Objection.Err, err)
	}
}

// TestConvert: each pair of each set gives two disputes. The worker names the same number in both,
// and is right in one.
func TestConvert(t *testing.T) {
	for _, s := range exam.Sets() {
		f, err := os.Open("testdata/" + string(s) + ".sample")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		items, skipped, err := exam.Convert(f, s)
		if err != nil || len(items) != 4 {
			t.Fatalf("%s: %d items, %v", s, len(items), err)
		}
		if want := map[exam.Set]int{exam.MTBench: 1, exam.JudgeBench: 1}[s]; skipped != want {
			t.Errorf("%s: skipped %d, want %d", s, skipped, want)
		}
		for k := 0; k < len(items); k += 2 {
			right, wrong := items[k], items[k+1]
			if right.Label != 1 || wrong.Label != 2 || string(right.Result) != string(wrong.Result) {
				t.Errorf("%s: %+v, %+v", s, right, wrong)
			}
			// The answer that people prefer says GOOD in the samples.
			n := strings.Trim(string(right.Result), `{"betr:}`)
			if strings.Contains(string(right.Task), "worse") {
				t.Errorf("%s: it has a turn that was not judged: %s", s, right.Task)
			}
			if !strings.Contains(string(right.Task), `"answer_`+n+`":"GOOD`) || !strings.Contains(string(wrong.Task), `"answer_`+n+`":"BAD`) {
				t.Errorf("%s: %s\n%s\n%s", s, right.Result, right.Task, wrong.Task)
			}
		}
		var buf bytes.Buffer
		if err := exam.Write(&buf, items); err != nil {
			t.Fatal(err)
		}
		if _, err := exam.Read(&buf); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for want, in := range map[string]struct {
		set  exam.Set
		text string
	}{
		"there is no set":      {"x", ""},
		"lacks the question":   {exam.RewardBench, `{"prompt":"q","chosen":"a"}`},
		"no pair with a pref":  {exam.MTBench, ``},
		"line 1: exam: not a ": {exam.LLMBar, `{"input":1}`},
		"pair 1: exam: not a ": {exam.LLMBar, `[{"input":1}]`},
		"exam: not an exam":    {exam.LLMBar, `[{]`},
	} {
		if _, _, err := exam.Convert(strings.NewReader(in.text), in.set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	long := `{"prompt":"q","chosen":"GOOD` + strings.Repeat("x", casefile.MaxDocument) + `","rejected":"BAD"}` + "\n" + `{"prompt":"q","chosen":"GOOD","rejected":"BAD"}`
	if items, skipped, err := exam.Convert(strings.NewReader(long), exam.RewardBench); err != nil || skipped != 1 || len(items) != 2 {
		t.Errorf("%d, %d, %v", len(items), skipped, err)
	}
}

// FuzzRead checks that items of a readable exam can be judged, written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(line))
	f.Add([]byte(`{"id":"a","class":"code","difficulty":3,"task":{"instruction":["x"],"output_schema":{}},"label":"reject","why":"w","checks":["c"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, err := exam.Read(bytes.NewReader(raw))
		if err != nil {
			return
		}
		for _, i := range items {
			if _, _, err := i.Brief(time.Now()); err != nil {
				t.Errorf("%s: %v", i.ID, err)
			}
		}
		var out bytes.Buffer
		if err := exam.Write(&out, items); err != nil {
			t.Fatal(err)
		}
		if _, err := exam.Read(&out); err != nil {
			t.Error(err)
		}
	})
}

// FuzzConvert checks that every file is converted to a valid exam or refused.
func FuzzConvert(f *testing.F) {
	for n, text := range []string{`{"input":"q","output_1":"a","output_2":"b","label":1}`, `[{"conversation_a":[{"role":"user","content":"q"}],"winner":"tie"}]`, `{"prompt":"q","chosen":"a","rejected":"b"}`} {
		f.Add([]byte(text), n)
	}
	f.Fuzz(func(t *testing.T, raw []byte, n int) {
		sets := exam.Sets()
		items, _, err := exam.Convert(bytes.NewReader(raw), sets[uint(n)%uint(len(sets))])
		if err != nil {
			return
		}
		for _, i := range items {
			if err := i.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
