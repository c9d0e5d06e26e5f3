package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/voting"
)

// post is the task of seed 000's second example: only a social site can tell the answer.
const post = `{"instruction":["Post a greeting"],"output_schema":{"post_id":"string"},"data_sources":["site.post"],
"expected":[{"path":"/text","contains":"hello","data":{"data_source":"site.post","request":{"kind":"post"},"from_result":{"id":"/post_id"}}},
{"path":"/author","equals":"ojud","data":{"data_source":"site.post","request":{"kind":"post"},"from_result":{"id":"/post_id"}}}]}`

// holders returns one text for each holder; an error means that no holder answers. Each has 1
// lamport at stake, unless standing says otherwise.
type holders struct {
	answers  []string
	standing []casefile.HolderStanding
	err      error
	asked    []Request
}

func (h *holders) Ask(ctx context.Context, r Request) ([]Answer, error) {
	h.asked = append(h.asked, r)
	if h.err != nil {
		return nil, h.err
	}
	var out []Answer
	for i, a := range h.answers {
		said := Answer{Content: []byte(a), Receipt: voting.Hash{byte(i + 1)}, Holder: casefile.DID{byte(i + 1)}, At: 5, Standing: casefile.StakedHolder, Weight: 1}
		if h.standing != nil {
			said.Standing = h.standing[i]
		}
		out = append(out, said)
	}
	return out, ctx.Err()
}

func dataBrief(t *testing.T, task, result string, e Evidence) Brief {
	t.Helper()
	td, err := casefile.ParseTask([]byte(task))
	if err != nil {
		t.Fatal(err)
	}
	rd, err := casefile.ParseResult([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	od, err := casefile.ParseObjection([]byte(`{"reason":"It is not there."}`))
	if err != nil {
		t.Fatal(err)
	}
	return Brief{
		Task: Open(td.Hash, td.Raw, casefile.ParseTask), Result: Open(rd.Hash, rd.Raw, casefile.ParseResult),
		Objection: Open(od.Hash, od.Raw, casefile.ParseObjection), Evidence: e, Deadline: time.Now().Add(time.Minute),
	}
}

func TestDataChecks(t *testing.T) {
	const good, bad = `{"text":"Hello world","author":"ojud"}`, `{"text":"bye","author":"ojud"}`
	plain := strings.Replace(post, `"instruction":["Post a greeting"]`, `"instruction":["exactly 1 item"],"input_data":[]`, 1)
	for name, c := range map[string]struct {
		task, result string
		from         holders
		want         voting.Choice
		says         string
		asked        int
	}{
		"one holder, not there":       {post, `{"post_id":"7"}`, holders{answers: []string{bad}}, voting.Reject, `does not contain "hello"`, 1},
		"two of three say no":         {post, `{"post_id":"7"}`, holders{answers: []string{bad, good, bad}}, voting.Reject, "contradict each other, 1 against 2", 1},
		"one says so, one not":        {post, `{"post_id":"7"}`, holders{answers: []string{bad, good}}, voting.Abstain, "contradict each other, 1 against 1: the stakes are 1 against 1 lamports", 1},
		"not JSON":                    {post, `{"post_id":"7"}`, holders{answers: []string{"<html>"}}, voting.Reject, "not JSON", 1},
		"nobody has it":               {post, `{"post_id":"7"}`, holders{err: ErrUnavailable}, voting.Abstain, "unanswered/expected[0] unknown data unavailable: site.post: no holder of the source answered within this judge's time limit", 1},
		"the question does not fit":   {post, `{"post_id":"7"}`, holders{err: ErrBadRequest}, voting.Reject, "specification/expected[0] fail site.post knows nothing under the words of the result", 1},
		"too late":                    {post, `{"post_id":"7"}`, holders{err: context.DeadlineExceeded}, voting.Abstain, "data unavailable: site.post: no answer came in time", 1},
		"the result lacks the member": {post, `{"other":"7"}`, holders{answers: []string{good}}, voting.Reject, `no field "post_id"`, 0},
		"prose is open":               {post, `{"post_id":"7"}`, holders{answers: []string{good}}, voting.Abstain, "", 1},
		"all decided":                 {plain, `{"post_id":["7"]}`, holders{answers: []string{good, good}}, voting.Reject, "", 1}, // by the schema
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Shared.Evaluate(t.Context(), dataBrief(t, c.task, c.result, &c.from))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			if voting.Choice(o.Choice) != c.want || !strings.Contains(fmt.Sprint(o.Summary, o.Findings), c.says) || len(c.from.asked) != c.asked {
				t.Errorf("asked %d: %s", len(c.from.asked), raw)
			}
			for _, r := range c.from.asked {
				if r.DataSource != "site.post" || strings.Contains(c.result, `"7"`) && !strings.Contains(string(r.Request), `"kind":"post"`) {
					t.Errorf("asked %s", r.Request)
				}
			}
		})
	}
}

// TestDataAccepts: if the data agrees and no question is open, the worker is paid.
func TestDataAccepts(t *testing.T) {
	task := datum
	h := &holders{answers: []string{`{"text":"Hello world","author":"ojud"}`, `{"text":"Hello world","author":"ojud"}`}}
	o, err := Shared.Evaluate(t.Context(), dataBrief(t, task, `["7"]`, h))
	if err != nil || voting.Choice(o.Choice) != voting.Accept {
		t.Fatalf("%+v, %v", o, err)
	}
	if string(h.asked[0].Request) != `{"id":"7","kind":"post"}` {
		t.Errorf("asked %s", h.asked[0].Request)
	}
	cites := 0
	for _, f := range o.Findings {
		for _, e := range f.Evidence {
			if strings.HasPrefix(e, "receipt:") {
				cites++
			}
		}
	}
	if cites != 4 {
		t.Errorf("%d receipts cited, want 2 for each of 2 checks", cites)
	}
}

// TestDataLarge: an answer may be as large as content, so larger than a document, and a check may
// cover all of it.
func TestDataLarge(t *testing.T) {
	task := strings.NewReplacer(`"path":"/author","equals":"ojud"`, `"path":"/more","count":1,"min_bytes":1000000`).Replace(datum)
	const head, tail = `{"text":"Hello world","more":["`, `"]}`
	large := head + strings.Repeat("<", casefile.MaxBlob-len(head)-len(tail)) + tail
	for answer, want := range map[string]voting.Choice{large: voting.Accept, large + " ": voting.Reject} {
		o, err := Shared.Evaluate(t.Context(), dataBrief(t, task, `["7"]`, &holders{answers: []string{answer}}))
		if err != nil || voting.Choice(o.Choice) != want {
			t.Errorf("%d bytes: %s, %.600s, %v", len(answer), voting.Choice(o.Choice), o.Summary, err)
		}
	}
}

// TestDataDeadline: the judge stops asking while there is still time for an opinion.
func TestDataDeadline(t *testing.T) {
	b := dataBrief(t, post, `{"post_id":"7"}`, patient{})
	b.Deadline = time.Now().Add(400 * time.Millisecond)
	o, err := Shared.Evaluate(t.Context(), b)
	if err != nil || voting.Choice(o.Choice) != voting.Abstain || !time.Now().Before(b.Deadline) {
		t.Errorf("%+v, %v", o, err)
	}
}

// patient answers after the deadline.
type patient struct{}

func (patient) Ask(ctx context.Context, _ Request) ([]Answer, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
