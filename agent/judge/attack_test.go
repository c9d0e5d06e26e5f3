package judge

import (
	"context"
	"strings"
	"testing"
	"time"

	"ojud/agent"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/voting"
)

// datum is a task that only data decides: a check of the result settles the rest.
var datum = strings.NewReplacer(`{"post_id":"string"}`, `{"type":"array"}`, `"id":"/post_id"`, `"id":"/0"`,
	`"expected":[`, `"expected":[{"path":"/0","equals":"7","settles":[0]},`).Replace(post)

// stakes answers as these holders.
type stakes []Answer

func (s stakes) Ask(context.Context, Request) ([]Answer, error) { return s, nil }

// says is an answer of the holder n.
func says(n byte, standing casefile.HolderStanding, weight uint64, text string) Answer {
	return Answer{Content: []byte(`{"author":"ojud","text":"` + text + `"}`), Receipt: voting.Hash{n, byte(len(text))}, Holder: casefile.DID{n},
		Standing: standing, Weight: weight}
}

// TestAttackStrangersOutvoteTheHolder: nodes without a stake, which cost nothing, say that the data
// is not there. Before, two of them turned 9 of 9 votes against a right result, one turned every
// vote into an abstention, and a judge that had the source itself was outvoted, too. A party on the
// Roster counts as a stranger in its own case (package record).
func TestAttackStrangersOutvoteTheHolder(t *testing.T) {
	const own, staked, strange = casefile.OwnSource, casefile.StakedHolder, casefile.Stranger
	for name, c := range map[string]struct {
		said stakes
		want voting.Choice
		says string
	}{
		"two strangers against a staked holder":     {stakes{says(1, staked, 5, "hello"), says(2, strange, 0, "no"), says(3, strange, 0, "no")}, voting.Accept, "contradict each other, 1 against 2"},
		"the same for a wrong result":               {stakes{says(1, staked, 5, "no"), says(2, strange, 0, "hello"), says(3, strange, 0, "hello")}, voting.Reject, "contradict each other, 2 against 1"},
		"a stranger alone says no":                  {stakes{says(2, strange, 0, "no")}, voting.Accept, "only strangers answered, who decide nothing"},
		"a stranger alone says yes":                 {stakes{says(2, strange, 0, "hello")}, voting.Accept, "only strangers answered, who decide nothing"},
		"strangers against the own source":          {stakes{says(1, own, 0, "hello"), says(2, strange, 0, "no"), says(3, strange, 0, "no")}, voting.Accept, "the own source decides"},
		"staked holders against the own source":     {stakes{says(1, own, 0, "hello"), says(2, staked, 9, "no"), says(3, staked, 9, "no")}, voting.Accept, "the own source decides"},
		"the own source alone":                      {stakes{says(1, own, 0, "no")}, voting.Reject, "the judge's own source"},
		"the larger stake":                          {stakes{says(1, staked, 5, "hello"), says(2, staked, 2, "no"), says(3, staked, 2, "no")}, voting.Accept, "the stakes are 5 against 4 lamports"},
		"two staked liars with the larger stake":    {stakes{says(1, staked, 3, "hello"), says(2, staked, 2, "no"), says(3, staked, 2, "no")}, voting.Reject, "the stakes are 3 against 4 lamports"},
		"equal stakes cannot reject":                {stakes{says(1, staked, 4, "hello"), says(2, staked, 4, "no")}, voting.Accept, "the stakes are 4 against 4 lamports"},
		"a holder that contradicts itself":          {stakes{says(1, staked, 1, "hello"), says(2, staked, 9, "no"), says(2, staked, 9, "nope")}, voting.Accept, "a holder that contradicts itself counts for nothing"},
		"one voice, heard twice, is one":            {stakes{says(1, staked, 3, "hello"), says(2, staked, 2, "no"), says(2, staked, 2, "no")}, voting.Accept, "the stakes are 3 against 2 lamports"},
		"an answer without a standing is strange":   {stakes{says(1, "", 9, "no")}, voting.Accept, "only strangers answered"},
		"only one who contradicts itself":           {stakes{says(2, staked, 9, "no"), says(2, staked, 9, "hello")}, voting.Accept, "counts for nothing"},
		"a staked holder that gives no JSON is one": {stakes{{Content: []byte("<html>"), Holder: casefile.DID{1}, Standing: staked, Weight: 1}}, voting.Reject, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Shared.Evaluate(t.Context(), dataBrief(t, datum, `["7"]`, c.said))
			if err != nil || voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.says) {
				t.Errorf("%s, %v: %s", voting.Choice(o.Choice), err, told(o))
			}
		})
	}
}

func told(o casefile.Opinion) string {
	var b strings.Builder
	b.WriteString(o.Summary)
	for _, f := range o.Findings {
		b.WriteString("\n" + f.Check + " " + string(f.Outcome) + " " + f.Detail)
	}
	return b.String()
}

// TestAttackUndecidableBySource: a creator names a source that nobody answers, or that only its own
// friends may ask. Before, every honest judge abstained, code and model alike, in all rounds: free
// work for the creator, and 4.05 SOL a case for a judge that voted. Now the result stands or falls
// by the rest of the task.
func TestAttackUndecidableBySource(t *testing.T) {
	broken := strings.Replace(datum, `"equals":"7"`, `"equals":"8"`, 1)
	for name, c := range map[string]struct {
		task string
		err  error
		want voting.Choice
	}{
		"nobody has it":            {datum, ErrUnavailable, voting.Accept},
		"who has it refuses":       {datum, ErrRefused, voting.Accept},
		"more than a judge may":    {datum, ErrSpent, voting.Accept},
		"no answer in time":        {datum, context.DeadlineExceeded, voting.Accept},
		"the rest of the task":     {broken, ErrUnavailable, voting.Reject},
		"a question of the task":   {strings.ReplaceAll(datum, `,"from_result":{"id":"/0"}`, ""), ErrBadRequest, voting.Accept},
		"a question of the result": {datum, ErrBadRequest, voting.Reject}, // the worker chose its words
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Shared.Evaluate(t.Context(), dataBrief(t, c.task, `["7"]`, &holders{err: c.err}))
			if err != nil || voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), "site.post") {
				t.Errorf("%s, %v: %s", voting.Choice(o.Choice), err, told(o))
			}
			if c.want == voting.Accept && !strings.Contains(o.Summary, "counts against the creator") {
				t.Error(o.Summary)
			}
		})
	}
	// The creator's only ground is the check that nobody answers. That counts against the creator,
	// too.
	b := dataBrief(t, post, `{"post_id":"7"}`, &holders{err: ErrUnavailable})
	b.Objection = paper(t, []byte(`{"reason":"The result does not pass the expected checks."}`), casefile.ParseObjection)
	if o, err := Shared.Evaluate(t.Context(), b); err != nil || voting.Choice(o.Choice) != voting.Accept {
		t.Errorf("%s, %v", told(o), err)
	}
	// A model decides what the rest of the task leaves open.
	m := &fake{answer: always(say(no, "7"))}
	o := evaluate(t, m, DefaultReasoning(), post, `{"post_id":"777"}`)
	if len(m.prompts) == 0 || o.Model == casefile.CodeChecks {
		t.Errorf("no model was asked: %s", told(o))
	}
	// A judge that has no time to ask blames nobody.
	b = dataBrief(t, datum, `["7"]`, &holders{err: ErrUnavailable})
	b.Deadline = time.Now().Add(-time.Second)
	if o, err := Shared.Evaluate(t.Context(), b); err != nil || voting.Choice(o.Choice) != voting.Abstain {
		t.Errorf("%s, %v", told(o), err)
	}
}

// TestAttackDocumentWithheld: a party that sees that it loses keeps its document back, or publishes
// one that no judge may read. Before, that made a case undecidable, which pays the creator under
// on_undecided refund. Now its publisher loses, and if code sees a failure in a document, it
// helps no party.
func TestAttackDocumentWithheld(t *testing.T) {
	const task, open = `{"instruction":["Return a."],"output_schema":{"type":"array"},"expected":[{"path":"","equals":["a"],"settles":[0]}]}`, `{"instruction":["Write a fine poem"],"output_schema":{"type":"array"}}`
	const strange = `{"instruction":["x"],"output_schema":{},"deadline":1}`
	for name, c := range map[string]struct {
		task, result, objection, counter string
		want                             voting.Choice
		says                             string
	}{
		"the task is missing":                         {"", `["a"]`, "It is bad.", "It is good.", voting.Accept, "no node has the task; the creator must make it available"},
		"the task has a field that nobody knows":      {strange, `["a"]`, "It is bad.", "It is good.", voting.Accept, "the creator published a task that cannot be read"},
		"the objection is missing":                    {open, `["a"]`, "", "It is good.", voting.Accept, "no node has the objection"},
		"the objection is missing, the work is bad":   {task, `["a","b"]`, "", "It is good.", voting.Reject, `instead of "[\"a\"]"`},
		"the result is missing":                       {task, "", "It is bad.", "It is good.", voting.Reject, "no node has the result"},
		"task and result are missing":                 {"", "", "It is bad.", "It is good.", voting.Reject, "no node has the result"},
		"the answer is missing, and the work is good": {task, `["a"]`, "It is bad.", "", voting.Accept, "no node has the counter-objection"},
		"the answer is missing, and code cannot tell": {open, `["a"]`, "It is bad.", "", voting.Reject, "the objection is not answered: no node has the counter-objection"},
		"both pleadings are missing":                  {open, `["a"]`, "", "", voting.Accept, "no node has the objection"},
		"nothing is missing":                          {open, `["a"]`, "It is bad.", "It is good.", voting.Abstain, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reason := func(text string) []byte {
				if text == "" {
					return nil
				}
				return []byte(`{"reason":"` + text + `"}`)
			}
			b := Brief{Deadline: time.Now().Add(time.Minute), Task: paper(t, []byte(c.task), casefile.ParseTask), Result: paper(t, []byte(c.result), casefile.ParseResult),
				Objection: paper(t, reason(c.objection), casefile.ParseObjection), Counter: paper(t, reason(c.counter), casefile.ParseCounterObjection)}
			o, err := Shared.Evaluate(t.Context(), b)
			if err != nil || voting.Choice(o.Choice) != c.want || !strings.Contains(told(o), c.says) {
				t.Errorf("%s, %v: %s", voting.Choice(o.Choice), err, told(o))
			}
			if Decide(o.Findings) != c.want {
				t.Error("the findings of the opinion do not repeat its choice")
			}
		})
	}
}

// TestMissingAnswerIsNoReason: if a model sees that the work is good, the worker is paid although
// its answer to the objection is missing.
func TestMissingAnswerIsNoReason(t *testing.T) {
	for says, want := range map[string]voting.Choice{say(yes, "The owl sits"): voting.Accept, say(no, "The owl sits"): voting.Reject, say(unclear, ""): voting.Reject} {
		b := dataBrief(t, `{"instruction":["Write a poem."],"output_schema":{"text":"string"}}`, `{"text":"The owl sits"}`, NoSources{})
		b.Counter = Open(voting.Hash{}, nil, casefile.ParseCounterObjection)
		m := &fake{answer: always(says)}
		j, err := NewReasoner(Shared, DefaultReasoning(), ReasonerDeps{Model: func() agent.Model { return m }})
		if err != nil {
			t.Fatal(err)
		}
		o, err := j.Evaluate(t.Context(), b)
		if err != nil || voting.Choice(o.Choice) != want || len(m.prompts) == 0 {
			t.Errorf("%s: %s, %v", says, told(o), err)
		}
	}
}

// paper opens content under its hash; nothing is a document that no node has.
func paper[T any](t *testing.T, content []byte, parse func([]byte) (casefile.Doc[T], error)) Paper[T] {
	t.Helper()
	if len(content) == 0 {
		return Open(voting.Hash{}, nil, parse)
	}
	raw, err := canon.JSON(content, casefile.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return Open(casefile.HashOf(raw), raw, parse)
}
