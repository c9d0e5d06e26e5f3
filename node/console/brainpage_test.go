package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/node/brainview"
)

// thinking has tasks of MegaBrain for tests.
type thinking struct {
	list    brainview.List
	details map[onchain.Address]brainview.Detail
	members []brainview.Membership
	fault   error
}

func (s *thinking) Tasks(context.Context) (brainview.List, error) { return s.list, s.fault }

func (s *thinking) Members(context.Context) ([]brainview.Membership, error) {
	return s.members, s.fault
}

func (s *thinking) Task(_ context.Context, at onchain.Address) (brainview.Detail, error) {
	if d, ok := s.details[at]; ok {
		return d, s.fault
	}
	return brainview.Detail{}, brainview.ErrNone
}

// hostile is what a stranger may write.
const hostile = "<script>alert(1)</script>\u202e"

// someThoughts are a settled task, an open one that says what a stranger wants, and one of which
// this node knows nothing but the account.
func someThoughts() thinking { return thoughtsWith(hostile) }

// thoughtPath is the page of a task of someThoughts.
func thoughtPath(n byte) string { return "/brain/" + onchain.Address{n, 8}.String() }

// thoughtsWith are someThoughts in which a stranger wrote that text wherever it can.
func thoughtsWith(hostile string) thinking {
	at := func(n byte) onchain.Address { return onchain.Address{n, 8} }
	settled := brainview.Detail{
		Outline: brainview.At(brain.Settled, brainview.Outline{
			Task: at(1).String(), Class: at(9).String(), ClassName: "facts", Requester: at(2).String(), Over: true, Budget: 500_000_000, Paid: 400_000_000,
			Slashed: 7, Workers: 3, Evaluators: 2, Question: "When did the bridge open?", Dispute: at(3).String(), Submission: 2_000,
		}),
		Now: 3_000, Pools: brainview.Pools{Workers: 350_000_000, Evaluators: 100_000_000, Bonus: 50_000_000}, Settled: 2_500, Counted: brainview.Counted{Submitted: 3, Evaluated: 2},
		Outcome: &brainview.Conclusion{Poster: at(5).String(), Evidence: strings.Repeat("ab", 32)}, Contest: brainview.Contest{Opponent: at(4).String(), Verdict: brainview.Upheld},
		PointsBy: "meaning", Meaning: []string{"/year"},
		Seats: []brainview.WorkPlace{
			{Worker: at(11).String(), State: "revealed", Facts: true, Complete: 10_000, Cluster: 1, Inside: true, Score: 9_123, Mean: 9_000, Rated: 2, Paid: 300_000_000, Spot: brainview.Spot{X: 0, Y: 0}, Summary: "a year", Hash: "cafe"},
			{Worker: at(12).String(), State: "revealed", Facts: true, Complete: 5_000, Cluster: 1, Inside: true, Score: 8_000, Mean: 8_000, Rated: 2, Spot: brainview.Spot{X: 0, Y: 0}, Result: json.RawMessage(`{"year":1931}`)},
			{Worker: at(13).String(), State: "revealed", Facts: true, CopyOf: 1, Slashed: 7, Spot: brainview.Spot{X: 1, Y: 1}, Hash: "beef"},
		},
		Jury: []brainview.ScoreSeat{
			{Evaluator: at(4).String(), State: "revealed", Reputation: 1_234, Says: []brainview.Remark{{Worker: 1, Score: 92, Confidence: 90}, {Worker: 9, Score: 1}}, Rationale: "I looked"},
			{Evaluator: at(5).String(), State: "revealed", Stamped: true, Says: []brainview.Remark{}},
		},
	}
	wrong := false
	open := brainview.Detail{
		Outline: brainview.At(brain.Working, brainview.Outline{Task: at(21).String(), Class: at(9).String(), Budget: 1, Question: hostile, ClassName: hostile, Until: 4_000, Workers: 1, Evaluators: 2, Dispute: at(3).String()}),
		Now:     3_000, About: hostile, Meaning: []string{hostile}, Agrees: &wrong, PointsBy: "clusters",
		Seats: []brainview.WorkPlace{{Worker: at(11).String(), State: "revealed", Summary: hostile, Result: json.RawMessage(`{"<b>":"<i>"}`)}},
		Jury:  []brainview.ScoreSeat{{Evaluator: at(4).String(), State: "drawn", Rationale: hostile}},
	}
	bare := brainview.Detail{Outline: brainview.At(brain.DrawWorkers, brainview.Outline{Task: at(31).String(), Class: at(9).String(), Until: 1, Workers: 8, Evaluators: 8}), Now: 3_000}
	s := thinking{list: brainview.List{Now: 3_000}, details: map[onchain.Address]brainview.Detail{at(1): settled, at(21): open, at(31): bare}}
	for _, d := range []brainview.Detail{bare, open, settled} {
		s.list.Tasks = append(s.list.Tasks, d.Outline)
	}
	for i := range maxMembers + 3 {
		s.members = append(s.members, brainview.Membership{Agent: onchain.Address{byte(i), 6}.String(), Role: "worker", Class: at(9).String(), ClassName: hostile, Stake: 1, Reputation: 10_000 - i, Frozen: int64(i % 2)})
	}
	return s
}

// TestThoughts: tasks of MegaBrain stand in a list, in the market while they are open, and each has
// a page, also if this node knows little. What strangers wrote is text.
func TestThoughts(t *testing.T) {
	t.Parallel()
	source := newStage()
	source.thinking = someThoughts()
	task := func(n byte) string { return onchain.Address{n, 8}.String() }
	for path, c := range map[string]struct{ has, lacks []string }{
		"/brain":               {[]string{"2 tasks are worked on", "When did the bridge open?", "/brain/" + task(31), "/case/" + task(3), "until 01:06:40 UTC to commit", "3 more are not listed", "frozen until", "1 worker, 2 evaluators"}, nil},
		"/brain?page=7":        {[]string{"When did the bridge open?"}, nil},
		"/market":              {[]string{"Tasks of MegaBrain", "/brain/" + task(21)}, []string{"When did the bridge open?"}},
		"/market?q=nonsense":   {nil, []string{"Tasks of MegaBrain"}},
		"/agents":              {[]string{"Members of MegaBrain", "100.00 %"}, nil},
		"/agents?q=nonsense":   {nil, []string{"Members of MegaBrain"}},
		"/agents?skill=worker": {[]string{"Members of MegaBrain"}, nil},
		"/brain/" + task(1): {[]string{
			"91.23", "50 % complete", "a copy of the result of worker 1", `class="copy"`, `class="blob accept"`, "rubber stamp", "I looked", "92 of 100 points, with a confidence of 90 %", `<span class="small">90 %</span>`, "1931",
			"The court accepted the outcome", "/case/" + task(3), "was false", "SHA-256 <code>" + strings.Repeat("ab", 32), "0.3 SOL of 0.4 SOL", "12.34 %", "in the cluster of most",
		}, []string{"NaN", "worker 9"}},
		"/brain/" + task(21): {[]string{"This node finds another outcome", "the places follow the clusters", "handed in a result", "about an earlier outcome", "The class says:", "until 01:06:40 UTC"}, nil},
		"/brain/" + task(31): {[]string{"A task for 8 workers, 8 evaluators", "They are not drawn yet", "Nobody has posted an outcome yet"}, []string{"until "}},
	} {
		w := get(t, source, here, here, path)
		body := w.Body.String()
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, w.Code, body)
		}
		for _, want := range c.has {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q", path, want)
			}
		}
		for _, bad := range append(c.lacks, "<script>alert", "<b>", "<i>", "\u202e", "%!") {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		if bad := inline.FindString(body); bad != "" {
			t.Errorf("%s has %q", path, bad)
		}
	}
	for path, want := range map[string]string{"/brain/" + task(77): "no such task of MegaBrain", "/brain/bob": "There is no such page"} {
		if w := get(t, source, here, here, path); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	source.thinking.fault = errors.New("getProgramAccounts is <b>off</b>")
	if body := get(t, source, here, here, "/brain").Body.String(); !strings.Contains(body, "getProgramAccounts is &lt;b&gt;off") {
		t.Error("the page does not say why there are no tasks")
	}
	if w := get(t, source, here, here, "/market"); w.Code != http.StatusOK {
		t.Error("without MegaBrain there is no market")
	}
}

// TestPlane: points of one place are moved apart, and no point leaves the picture.
func TestPlane(t *testing.T) {
	t.Parallel()
	var d brainview.Detail
	d.PointsBy = "meaning"
	for i := range brain.MaxSeats {
		d.Seats = append(d.Seats, brainview.WorkPlace{State: "revealed", Facts: true, Cluster: 1, Spot: brainview.Spot{X: float64(i / 7), Y: float64(i / 7)}})
	}
	p := planeOf(d, 1)
	if len(p.Points) != brain.MaxSeats || len(p.Blobs) != 1 {
		t.Fatalf("%d points, %d blobs", len(p.Points), len(p.Blobs))
	}
	for i, a := range p.Points {
		if a.X < pointSize || a.Y < pointSize || a.X > planeSize-pointSize || a.Y > planeSize-pointSize {
			t.Errorf("point %d is at %.1f, %.1f", i, a.X, a.Y)
		}
		for _, b := range p.Points[:i] {
			if dx, dy := a.X-b.X, a.Y-b.Y; dx*dx+dy*dy < 4*pointSize*pointSize {
				t.Errorf("points %d and %d hide each other: %s", a.Number, b.Number, fmt.Sprint(a, b))
			}
		}
	}
}

// TestLongQuestion: the head of a page has the beginning of a long question, and the page has the
// rest. A question that is not here is said.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	p := thoughtFrom(brainview.Detail{Outline: brainview.Outline{Question: strings.Repeat("When did it open?\n", 100)}, Lacks: "nobody has it"})
	if len(p.Question) > 450 || len(p.Whole) != 1 || strings.Count(p.Whole[0].Text, "open?\n") != 100 || p.Lacks != "nobody has it" {
		t.Errorf("%+v", p)
	}
	if p := thoughtFrom(brainview.Detail{Outline: brainview.Outline{Question: "When?"}}); p.Whole != nil || p.Lacks != "" {
		t.Errorf("a short one: %+v", p)
	}
}
