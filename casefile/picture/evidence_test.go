package picture

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/runs"
	"ojud/voting"
)

// shownCase draws a case as a page.
func shownCase(t *testing.T, p CasePage) string {
	t.Helper()
	all, err := Templates(template.New(""))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := all.ExecuteTemplate(&out, "case", p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestData: the page of a case has the answers that judges got, and says that they are not the
// same. What a judge heard waits for its vote.
func TestData(t *testing.T) {
	t.Parallel()
	for _, s := range casetest.Scripts() {
		if s.Name != "data" {
			continue
		}
		_, scene := played(t, s)
		p := Show(voting.Key{1}, scene)
		if len(p.Data) != 1 || p.Data[0].Source != "site.post" || p.Data[0].Request != `{"id":"1843"}` || !p.Data[0].Differ || len(p.Data[0].Answers) < 2 {
			t.Fatalf("%+v", p.Data)
		}
		page := shownCase(t, p)
		for _, want := range []string{"The data that they asked for", "The answers are not the same", "something else", "without an answer: site.post: data unavailable", ">0.000001 SOL<"} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q", want)
			}
		}
		hidden := Benches(scene)
		for i := range hidden[0].Seats {
			hidden[0].Seats[i].Revealed = false
		}
		if early, _ := questions(scene, hidden); len(early) != 0 {
			t.Errorf("%+v", early)
		}
		if early := ran(hidden[0]); len(early) != 0 {
			t.Errorf("%+v", early)
		}
		return
	}
	t.Fatal("no script has data")
}

// said is a seat whose vote is shown, with what it heard and found.
func said(peer byte, data []casefile.DataBody, findings ...casefile.Finding) BenchSeat {
	s := BenchSeat{Seat: voting.Seat{Judge: voting.Key{peer}, Peer: voting.Key{peer}, Revealed: true, Choice: voting.Accept}}
	s.Said.Heard, s.Said.Opinion = data, &casefile.Opinion{Findings: findings}
	return s
}

// TestContradictions: a holder whose receipts contradict each other is marked, and one that answers
// another question, or gives other fields, is not.
func TestContradictions(t *testing.T) {
	t.Parallel()
	heard := func(holder, response byte, access ...string) casefile.DataBody {
		return casefile.DataBody{Source: "a", Receipts: []casefile.Receipt{{Case: casefile.Address{1}, Round: 1, Source: "a", Holder: casefile.DID{holder}, Response: casefile.Digest{response}, Access: access}},
			Standings: []casefile.HolderStanding{casefile.Stranger}}
	}
	for name, c := range map[string]struct {
		heard         []casefile.DataBody
		differ, twice bool
	}{
		"same":         {[]casefile.DataBody{heard(7, 1), heard(8, 1), heard(7, 1)}, false, false},
		"others":       {[]casefile.DataBody{heard(7, 1), heard(8, 2)}, true, false},
		"itself":       {[]casefile.DataBody{heard(7, 1), heard(7, 2)}, true, true},
		"other fields": {[]casefile.DataBody{heard(7, 1, "a"), heard(7, 2, "b")}, false, false},
	} {
		found, _ := questions(Scene{}, []Bench{{Round: 1, Seats: []BenchSeat{said(1, c.heard), said(7, nil)}}})
		if len(found) != 1 || found[0].Differ != c.differ || found[0].Answers[0].Twice != c.twice {
			t.Errorf("%s: %+v", name, found)
		}
		if a := found[0].Answers; name == "same" && (a[0].Judges != 2 || a[0].Key == "" || a[0].Standing != "nothing at stake" || a[1].Key != "") {
			t.Errorf("%+v", a)
		}
	}
}

// TestOwnSource: an answer that a judge got from its own source and gave to others is what it is to
// the others.
func TestOwnSource(t *testing.T) {
	t.Parallel()
	heard := func(standing casefile.HolderStanding) []casefile.DataBody {
		return []casefile.DataBody{{Source: "a", Receipts: []casefile.Receipt{{Holder: casefile.DID{7}}}, Standings: []casefile.HolderStanding{standing}}}
	}
	own, other := said(7, heard(casefile.OwnSource)), said(1, heard(casefile.StakedHolder))
	for _, seats := range [][]BenchSeat{{own, other}, {other, own}} {
		found, _ := questions(Scene{}, []Bench{{Seats: seats}})
		if a := found[0].Answers; len(a) != 1 || a[0].Own || a[0].Standing != "a judge with a stake" || a[0].Judges != 2 {
			t.Errorf("%+v", a)
		}
	}
	if found, _ := questions(Scene{}, []Bench{{Seats: []BenchSeat{own}}}); !found[0].Answers[0].Own {
		t.Errorf("%+v", found)
	}
}

// TestRuns: runs of one program stand in one row, and different ones are marked.
func TestRuns(t *testing.T) {
	t.Parallel()
	found := func(said runs.Said, fuel uint64) casefile.Finding {
		return casefile.Finding{Check: "specification/expected[1]", Run: &runs.Run{Engine: "ojud-wasm-2", Said: said, Fuel: fuel, Why: "<b>\u202e"}}
	}
	seats := []BenchSeat{said(1, nil, found(runs.True, 900)), said(2, nil, found(runs.True, 900)), said(3, nil, casefile.Finding{Check: "schema"})}
	got := ran(Bench{Seats: seats})
	if len(got) != 1 || got[0].True != 2 || got[0].Differ || got[0].Fuel != "900" || got[0].Check != "demand: expected 2" {
		t.Errorf("%+v", got)
	}
	got = ran(Bench{Seats: append(seats, said(4, nil, found(runs.None, 100)))})
	if len(got) != 1 || got[0].None != 1 || !got[0].Differ || got[0].Fuel != "100 to 900" {
		t.Errorf("%+v", got)
	}
	page := shownCase(t, CasePage{Runs: got, Reasons: []reason{{}}})
	if !strings.Contains(page, "the judges report different runs") || !strings.Contains(page, "&lt;b&gt;&lt;U&#43;202E&gt;") || strings.Contains(page, "<b>") {
		t.Error(page)
	}
}

// TestAttackData: however much data is in a file, a page has a bounded number of rows and reads a
// bounded number of contents.
func TestAttackData(t *testing.T) {
	t.Parallel()
	var all []casefile.DataBody
	for i := range 500 {
		body := casefile.DataBody{Source: strings.Repeat("s", 64), Request: casefile.Digest{byte(i % 50), byte(i / 250)}}
		for k := range 40 {
			body.Receipts = append(body.Receipts, casefile.Receipt{Holder: casefile.DID{byte(k)}, Response: casefile.Digest{byte(i), byte(k), 1}})
		}
		all = append(all, body)
	}
	read := 0
	scene := Scene{Content: func(casefile.Digest) ([]byte, error) { read++; return nil, casefile.ErrNoBlob }}
	found, more := questions(scene, []Bench{{Round: 1, Seats: []BenchSeat{said(1, all)}}})
	if len(found) != maxQuestions || more == 0 || read > maxQuestions*(maxReplies+1) {
		t.Errorf("%d questions, %d more, %d contents read", len(found), more, read)
	}
	for _, q := range found {
		if len(q.Answers) > maxReplies || q.More == 0 {
			t.Errorf("%d answers", len(q.Answers))
		}
	}
	silent := said(2, nil)
	for i := range 500 {
		silent.Said.Failures = append(silent.Said.Failures, fmt.Sprint(i%250))
	}
	if got := refusals([]Bench{{Seats: []BenchSeat{silent, silent}}}); len(got) != maxReplies || got[0].Judges != 4 {
		t.Errorf("%+v", got)
	}
	var findings []casefile.Finding
	for i := range 1_000 {
		findings = append(findings, casefile.Finding{Check: fmt.Sprint("c", i), Run: &runs.Run{}})
	}
	if got := ran(Bench{Seats: []BenchSeat{said(1, nil, findings...)}}); len(got) != maxRuns {
		t.Error(len(got))
	}
}
