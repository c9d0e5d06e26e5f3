package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/judge/judgetest"
	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/test/longtest"
	"ojud/voting"
)

// medianTests are two calls. The second one returns what the caller says.
func medianTests(second string) *runs.Tests {
	return &runs.Tests{JavaScript: []runs.TestCall{
		{Function: "median", Args: []json.RawMessage{[]byte("[3,1,2]")}, Returns: []byte("2")},
		{Function: "median", Args: []json.RawMessage{[]byte("[4,1,2,3]")}, Returns: []byte(second)},
	}}
}

// sealedCase is a dispute about a task with a sealed check.
type sealedCase struct {
	check   casefile.Check
	named   bool // the objection names the opening
	shown   bool // nodes have it
	garbled bool // what was sealed is no opening
	changed bool // another opening is named and shown
	reworks uint8
	code    string
}

const (
	rightMedian  = "const median = a => { const s = [...a].sort((x, y) => x - y), m = s.length >> 1; return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2 }"
	tabledMedian = "const median = a => ({'3,1,2': 2, '4,1,2,3': 2.5})[a]"
	wrongMedian  = "const median = a => [...a].sort((x, y) => x - y)[a.length >> 1]"
)

func (c sealedCase) brief(t *testing.T) judge.Brief {
	t.Helper()
	k, opening, err := sealed.Seal(c.check, [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	if c.garbled {
		opening = []byte(`{"salt":"x"}`)
		*k.Sealed = casefile.Digest(casefile.HashOf(opening))
	}
	if c.changed {
		other := c.check
		other.Tests = medianTests("99")
		if _, opening, err = sealed.Seal(other, [32]byte{7}); err != nil {
			t.Fatal(err)
		}
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function median of a list of numbers."}, OutputSchema: []byte(`{"code":"string"}`), Expected: []casefile.Check{k}})
	if err != nil {
		t.Fatal(err)
	}
	objection := casefile.Objection{Reason: "It is not what I asked for."}
	if c.named {
		objection.Evidence = []casefile.Exhibit{{Name: sealed.Name(0), SHA256: casefile.Digest(casefile.HashOf(opening)), Bytes: uint64(len(opening))}}
	}
	raw, err := json.Marshal(objection)
	if err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(map[string]string{"code": c.code})
	if err != nil {
		t.Fatal(err)
	}
	b := judgetest.Brief(t, judgetest.Papers{Task: string(task.Raw), Result: string(result), Objection: string(raw), Counter: reason("It is right.")})
	b.Exhibits, b.Reworks = map[voting.Hash][]byte{}, c.reworks
	if c.shown {
		b.Exhibits[casefile.HashOf(opening)] = opening
	}
	return b
}

// TestAttackSealedChecks: a creator seals a check and never opens it, opens another one, opens it
// too late or seals what is none. Each counts against the creator, who alone can open it. One that
// is opened settles what it says true of. One that says false decides nothing alone, because the
// worker could not read what it demands. After a rework, the worker knows what the objection
// opened: a table of the tests' answers gains nothing by it.
func TestAttackSealedChecks(t *testing.T) {
	tests := func(second string) casefile.Check {
		return casefile.Check{Path: "/code", Tests: medianTests(second), Settles: []int{0}}
	}
	program := func(text string) casefile.Check {
		return casefile.Check{Path: "/code", Program: &runs.CheckProgram{JavaScript: text}, Settles: []int{0}}
	}
	second, elsewhere := tests("2.5"), tests("2.5")
	second.Rework, elsewhere.Path = 1, "/other"
	for name, c := range map[string]struct {
		sealedCase
		want    voting.Choice
		finding string
	}{
		"opened, and true":             {sealedCase{check: tests("2.5"), named: true, shown: true, code: rightMedian}, voting.Accept, "specification/expected[0] pass: the tests say true"},
		"opened, and false":            {sealedCase{check: tests("2.5"), named: true, shown: true, code: wrongMedian}, voting.Abstain, "note/expected[0] fail: the tests say false"},
		"opened, and a lie":            {sealedCase{check: tests("99"), named: true, shown: true, code: rightMedian}, voting.Abstain, "it was sealed, so that it decides nothing alone"},
		"never opened":                 {sealedCase{check: tests("2.5"), code: wrongMedian}, voting.Accept, "unanswered/expected[0] unknown: the creator did not open this sealed check, so that it demands nothing: the objection does not name the opening"},
		"named, and shown to nobody":   {sealedCase{check: tests("2.5"), named: true, code: wrongMedian}, voting.Accept, "no node has the opening"},
		"opened late":                  {sealedCase{check: tests("2.5"), shown: true, code: wrongMedian}, voting.Accept, "the objection does not name the opening"},
		"another is opened":            {sealedCase{check: tests("2.5"), named: true, shown: true, changed: true, code: rightMedian}, voting.Accept, "the objection does not name the opening"},
		"what is sealed is no opening": {sealedCase{check: tests("2.5"), named: true, shown: true, garbled: true, code: wrongMedian}, voting.Accept, "what it was sealed with proves nothing"},
		"it passes on everything":      {sealedCase{check: program("true"), named: true, shown: true, code: wrongMedian}, voting.Abstain, "it says true of an empty result, too"},
		"it never ends":                {sealedCase{check: program("for (;;);"), named: true, shown: true, code: rightMedian}, voting.Abstain, "note/expected[0] unknown"},
		"it fails everything":          {sealedCase{check: program("false"), named: true, shown: true, code: rightMedian}, voting.Abstain, "note/expected[0] fail"},
		"it settles nothing":           {sealedCase{check: casefile.Check{Path: "/code", Tests: medianTests("2.5")}, code: wrongMedian}, voting.Abstain, "unanswered/expected[0]"},
		"opened again after a rework":  {sealedCase{check: tests("2.5"), named: true, shown: true, reworks: 1, code: tabledMedian}, voting.Abstain, "note/expected[0] pass: the tests say true; it was sealed for the first result"},
		"false after a rework":         {sealedCase{check: tests("2.5"), named: true, shown: true, reworks: 1, code: wrongMedian}, voting.Abstain, "note/expected[0] fail: the tests say false; it was sealed for the first result"},
		"no code after a rework":       {sealedCase{check: elsewhere, named: true, shown: true, reworks: 1, code: rightMedian}, voting.Abstain, "note/expected[0] unknown: at \"/other\""},
		"not opened after a rework":    {sealedCase{check: tests("2.5"), reworks: 1, code: tabledMedian}, voting.Abstain, "instruction/instruction[0] unknown"},
		"for the rework, and true":     {sealedCase{check: second, named: true, shown: true, reworks: 1, code: rightMedian}, voting.Accept, "specification/expected[0] pass: the tests say true"},
		"for the rework, not opened":   {sealedCase{check: second, reworks: 1, code: wrongMedian}, voting.Accept, "unanswered/expected[0]"},
		"opened before the rework":     {sealedCase{check: second, named: true, shown: true, code: rightMedian}, voting.Abstain, "it was sealed for the result of rework 1"},
	} {
		b := c.brief(t)
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		var found strings.Builder
		for _, f := range o.Findings {
			found.WriteString(f.Check + " " + string(f.Outcome) + ": " + f.Detail + "\n")
		}
		if got := voting.Choice(o.Choice); got != c.want || judge.Decide(o.Findings) != got || !strings.Contains(found.String(), c.finding) {
			t.Errorf("%s: %s, want %s and %q\n%s", name, got, c.want, c.finding, found.String())
		}
		if b.Task.Value.Expected[0].Runs() {
			t.Errorf("%s: judging changed the task", name)
		}
	}
}

// TestAttackSealTurnsTheLanguage: a creator seals tests in Python in a task for JavaScript, opens
// them, and says of a right program that it does not return what it returns. The sealed tests do
// not decide in which language the call is made, so that the ground is refuted as without them.
func TestAttackSealTurnsTheLanguage(t *testing.T) {
	longtest.Only(t)
	call, err := ground.ReadCall("median([4,1,2,3])")
	if err != nil {
		t.Fatal(err)
	}
	grounds := []ground.Ground{{Pointer: "/code", Kind: ground.Returns, Expected: json.RawMessage("2.5"), Counterexample: call}}
	k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Rework: 3, Tests: &runs.Tests{Python: []runs.TestCall{{Function: "median", Args: []json.RawMessage{}, Returns: []byte("1")}}}}, [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	open := casefile.Check{Path: "/code", Tests: medianTests("2.5")}
	for name, c := range map[string]struct {
		expected []casefile.Check
		evidence []casefile.Exhibit
	}{
		"no seal":      {[]casefile.Check{open}, nil},
		"a seal":       {[]casefile.Check{open, k}, nil},
		"an open seal": {[]casefile.Check{open, k}, []casefile.Exhibit{{Name: sealed.Name(1), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}},
	} {
		task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function median in JavaScript."}, OutputSchema: []byte(`{"code":"string"}`), Expected: c.expected})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(casefile.Objection{Reason: ground.Reason(grounds), Grounds: grounds, Evidence: c.evidence})
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(map[string]string{"code": rightMedian})
		if err != nil {
			t.Fatal(err)
		}
		b := judgetest.Brief(t, judgetest.Papers{Task: string(task.Raw), Result: string(result), Objection: string(raw), Counter: reason("It is right.")})
		b.Exhibits = map[voting.Hash][]byte{casefile.HashOf(opening): opening}
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != voting.Accept {
			t.Errorf("%s: %s\n%s", name, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}

// TestAttackReworkDropsTheSeal: open tests and sealed ones settle the same instruction. A worker
// hands in garbage that passes the open ones, and works again without a change: the seals of the
// first result do not count for the second, and the open tests alone settle nothing then. The
// controls are a seal for the second result, and one for a result that is still to come.
func TestAttackReworkDropsTheSeal(t *testing.T) {
	open := casefile.Check{Path: "/code", Settles: []int{0}, Tests: &runs.Tests{JavaScript: medianTests("2.5").JavaScript[:1]}}
	const garbage, ours, theirs = "const median = a => 2", "It returns 2 for everything.", "The result does not pass the expected checks."
	for name, c := range map[string]struct {
		seals   []uint8 // for which results
		reworks uint8
		opens   bool // all that are sealed
		code    string
		reason  string
		want    voting.Choice
		finding string
	}{
		"the first result":                {[]uint8{0}, 0, true, garbage, ours, voting.Abstain, "note/expected[1]: the tests say false"},
		"the same after a rework":         {[]uint8{0}, 1, true, garbage, ours, voting.Abstain, "a check that was sealed for an earlier result settles it, and none for this one"},
		"after two":                       {[]uint8{0}, 2, false, garbage, ours, voting.Abstain, "a check that was sealed for an earlier result settles it"},
		"between two seals":               {[]uint8{0, 2}, 1, true, garbage, ours, voting.Abstain, "a check that was sealed for an earlier result settles it"},
		"in words that code reads":        {[]uint8{0}, 1, true, garbage, theirs, voting.Abstain, "code cannot refute it: the result was compared"},
		"a table after a rework":          {[]uint8{0}, 1, true, tabledMedian, theirs, voting.Abstain, "the tests say true; it was sealed for the first result"},
		"a seal for this one":             {[]uint8{0, 1}, 1, true, rightMedian, theirs, voting.Accept, "expected[0] with expected[2] settles it, and it passes"},
		"garbage, and a seal for it":      {[]uint8{0, 1}, 1, true, garbage, ours, voting.Abstain, "note/expected[2]: the tests say false"},
		"a seal for it that is not open":  {[]uint8{0, 1}, 1, false, garbage, ours, voting.Accept, "unanswered/instruction[0]"},
		"a seal for a result to come":     {[]uint8{1}, 0, false, garbage, ours, voting.Accept, "expected[0] settles it, and it passes"},
		"no seal, and open tests are all": {nil, 1, false, garbage, ours, voting.Accept, "expected[0] settles it, and it passes"},
	} {
		expected, said, exhibits := []casefile.Check{open}, casefile.Objection{Reason: c.reason}, map[voting.Hash][]byte{}
		for _, rework := range c.seals {
			k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Settles: []int{0}, Rework: rework, Tests: medianTests("2.5")}, [32]byte{rework})
			if err != nil {
				t.Fatal(err)
			}
			if c.opens {
				said.Evidence = append(said.Evidence, casefile.Exhibit{Name: sealed.Name(len(expected)), SHA256: *k.Sealed, Bytes: uint64(len(opening))})
			}
			expected, exhibits[casefile.HashOf(opening)] = append(expected, k), opening
		}
		task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function median of a list of numbers."}, OutputSchema: []byte(`{"code":"string"}`), Expected: expected})
		if err != nil {
			t.Fatal(err)
		}
		objection, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(map[string]string{"code": c.code})
		if err != nil {
			t.Fatal(err)
		}
		b := judgetest.Brief(t, judgetest.Papers{Task: string(task.Raw), Result: string(result), Objection: string(objection), Counter: reason("It is right.")})
		b.Exhibits, b.Reworks = exhibits, c.reworks
		o, err := judge.Shared.Evaluate(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if voting.Choice(o.Choice) != c.want || judge.Decide(o.Findings) != c.want || !strings.Contains(findingsOf(o), c.finding) {
			t.Errorf("%s: %s\n%s", name, voting.Choice(o.Choice), findingsOf(o))
		}
	}
}
