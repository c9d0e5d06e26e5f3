package casefile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/reading"
	"ojud/casefile/verify"
	"ojud/voting"
)

// In the case steered, every judge finds that the result and an answer speak to their reader.
var steered = casetest.Script{Name: "steered", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}}

func finding() casetest.Act {
	return casetest.Act{Choice: voting.Accept, Ask: true, Holders: 1, Finds: true}
}

// dataEvents are events of judges that asked and found something, one of each kind.
func dataEvents(t testing.TB) (out [][]byte) {
	t.Helper()
	script := steered
	script.Rounds = []casetest.Plan{func(int) casetest.Act { return finding() }}
	w, err := casetest.Build(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []casefile.Kind{casefile.KindData, casefile.KindReceipt, casefile.KindInjection} {
		all := w.Log.Events()
		i := slices.IndexFunc(all, func(e casefile.Event) bool { return e.Kind == kind })
		if i < 0 {
			t.Fatalf("no %s event", kind)
		}
		raw, err := all[i].Encode()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw)
	}
	return out
}

// Which bodies can be events.
func TestInjectionBody(t *testing.T) {
	good := casefile.Injection{Document: casefile.Digest{1}, Where: casefile.InResult, Check: "instructions", Detail: "it speaks"}
	many := func(n int) (out []casefile.Injection) {
		for i := range n {
			f := good
			f.Detail = fmt.Sprint(i)
			out = append(out, f)
		}
		return out
	}
	with := func(change func(*casefile.Injection)) []casefile.Injection {
		f := good
		change(&f)
		return []casefile.Injection{f}
	}
	w, err := casetest.Build(casetest.Script{Name: "silent", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Accept)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		round    uint8
		findings []casefile.Injection
		problem  string
	}{
		{"good", 1, []casefile.Injection{good}, "after the vote"},
		{"32", 1, many(32), "after the vote"},
		{"33", 1, many(33), "33 findings"},
		{"none", 1, []casefile.Injection{}, "is empty"},
		{"round", 0, many(1), "rounds are 1 to 6"},
		{"another place", 1, with(func(f *casefile.Injection) { f.Where = "margin" }), "none of task"},
		{"no check", 1, with(func(f *casefile.Injection) { f.Check = "" }), "is empty"},
		{"long check", 1, with(func(f *casefile.Injection) { f.Check = strings.Repeat("x", 247) }), "247 bytes"},
		{"long detail", 1, with(func(f *casefile.Injection) { f.Detail = strings.Repeat("x", 301) }), "301 bytes"},
		{"twice", 1, append(many(2), many(1)...), "twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Log.Append(w.Judges[0].Key, casefile.KindInjection, casefile.InjectionBody{Round: c.round, Findings: c.findings}, 1)
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v", err)
			}
		})
	}
}

// What a judge finds is said before its vote, once in a round, of answers that it was given.
func TestInjectionOrder(t *testing.T) {
	script := steered
	script.Rounds = []casetest.Plan{casetest.All(voting.Accept)}
	script.Rounds[0] = func(int) casetest.Act { return finding() }
	w, err := casetest.Build(script)
	if err != nil {
		t.Fatal(err)
	}
	body := casefile.InjectionBody{Round: 1, Findings: []casefile.Injection{{Document: casefile.Digest{1}, Where: casefile.InResult, Check: "x"}}}
	if _, err := w.Log.Append(w.Judges[0].Key, casefile.KindInjection, body, 1); !errors.Is(err, casefile.ErrRepeated) {
		t.Errorf("a second one: %v", err)
	}
	body.Round = 2
	if _, err := w.Log.Append(w.Judges[0].Key, casefile.KindInjection, body, 1); !errors.Is(err, casefile.ErrStranger) {
		t.Errorf("of a round in which it does not sit: %v", err)
	}
	script.Forge.Finding = func(b *casefile.InjectionBody) { b.Findings[1].Document[0]++ }
	if _, err := casetest.Build(script); !errors.Is(err, casefile.ErrContradicts) {
		t.Errorf("an answer that it was not given: %v", err)
	}
}

// What a judge says that is not so is noted as its fault, and takes nothing from the file.
func TestInjectionUnfounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		forge func(*casefile.InjectionBody)
		note  string
	}{
		{"true", func(*casefile.InjectionBody) {}, `7 judges found that the result may be meant to steer its reader: "the result speaks`},
		{"other content", func(b *casefile.InjectionBody) { b.Findings[0].Document[0]++ }, "what it names is not the result of this case"},
		{"no exhibit", func(b *casefile.InjectionBody) { b.Findings[0].Where = casefile.InExhibit }, "no exhibit of this case"},
		{"another check", func(b *casefile.InjectionBody) { b.Findings[0].Check = "threats" }, "the judge's opinion has no such finding"},
		{"another text", func(b *casefile.InjectionBody) { b.Findings[0].Detail += "!" }, "the judge's opinion has no such finding"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := steered
			script.Rounds, script.Forge.Finding = []casetest.Plan{func(int) casetest.Act { return finding() }}, c.forge
			file, err := casetest.File(script)
			if err != nil {
				t.Fatal(err)
			}
			r := verify.File(file)
			text := r.String()
			if !r.OK() || !strings.Contains(text, c.note) || !strings.Contains(text, "7 judges found that the data") {
				t.Error(text)
			}
			if c.name != "true" && strings.Contains(text, "found that the result") {
				t.Errorf("it counts all the same:\n%s", text)
			}
		})
	}
}

// Injections takes what failed, of content of the case, and no more text than an event holds.
func TestInjections(t *testing.T) {
	papers := casefile.TaskTerms{TaskHash: casefile.Digest{1}, ResultHash: casefile.Digest{2}, ObjectionHash: casefile.Digest{3}, CounterHash: casefile.Digest{4}}
	receipt := casefile.Receipt{Response: casefile.Digest{5}, Access: []string{}}
	hash, err := receipt.Hash()
	if err != nil {
		t.Fatal(err)
	}
	exhibit := casefile.Digest{6}
	long := strings.Repeat("x", 299) + "é"
	f := func(check string, outcome casefile.CheckOutcome, detail string, evidence ...string) casefile.Finding {
		return casefile.Finding{Check: check, Outcome: outcome, Detail: detail, Evidence: evidence}
	}
	got, err := reading.Injections(casefile.Opinion{Findings: []casefile.Finding{
		f("injection/instructions", casefile.Fail, long, "task:", "objection:/reason"),
		f("injection/data", casefile.Fail, "d", "receipt:"+casefile.Digest(hash).String(), "receipt:"+casefile.Digest{9}.String()),
		f("injection/hidden characters", casefile.Fail, "h", "exhibit:"+exhibit.String(), "exhibit:nothing", "letter:"),
		f("injection/instructions", casefile.Pass, "p", "result:"),
		f("injection/", casefile.Fail, "n", "result:"),
		f("specification/schema", casefile.Fail, "s", "result:"),
		f("injection/data", casefile.Fail, "d", "receipt:"+casefile.Digest(hash).String()),
	}}, papers, []casefile.Receipt{receipt})
	if err != nil {
		t.Fatal(err)
	}
	want := []casefile.Injection{
		{Document: casefile.Digest{1}, Where: casefile.InTask, Check: "instructions", Detail: long[:299]},
		{Document: casefile.Digest{3}, Where: casefile.InObjection, Check: "instructions", Detail: long[:299]},
		{Document: casefile.Digest{5}, Where: casefile.InData, Check: "data", Detail: "d"},
		{Document: exhibit, Where: casefile.InExhibit, Check: "hidden characters", Detail: "h"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
