package megabrain

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"ojud/test/longtest"
)

var rewrite = flag.Bool("rewrite", false, "write the table and the picture of docs/megabrain.md")

const (
	document = "../../docs/megabrain.md"
	picture  = "../../docs/img/megabrain.svg"
	begins   = "<!-- ojud sim brain -->\n"
	ends     = "<!-- end -->"
)

func found(t *testing.T, s Sample) *Findings {
	t.Helper()
	f, err := Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPromises: every promise holds. Control: the payments as the protocol writes them overdraw
// pools, pay for copies more than for work, and pay more wrong clusters; without golden tasks,
// rubber stamps earn more than honest evaluators; and if all evaluators earn the same without an
// outcome, nobody posts one.
func TestPromises(t *testing.T) {
	longtest.Only(t)
	f := found(t, DefaultSample())
	for _, p := range f.Promises {
		if !p.Holds {
			t.Errorf("%+v", p)
		}
	}
	for _, m := range f.Mixes {
		if m.Written.Overdrawn == 0 {
			t.Errorf("control: as written, no pool is overdrawn: %+v", m)
		}
		if strings.HasPrefix(m.Name, "copying") && (m.Written.Other <= m.Written.Honest || m.Written.Wrong < 5*m.Ours.Wrong) {
			t.Errorf("control: as written, copies do not pay: %+v", m)
		}
		if strings.HasPrefix(m.Name, "rubber") && m.Equal.Other <= m.Equal.Honest {
			t.Errorf("control: without golden tasks, stamps earn less: %+v", m)
		}
		for _, x := range []Figures{m.Ours, m.Equal, m.Written} {
			if sum := x.Right + x.Wrong + x.Inconclusive; sum < 99.8 || sum > 100.2 {
				t.Errorf("%s: %.1f %% of the tasks end", m.Name, sum)
			}
		}
	}
	if same := f.Posting[0]; same.Open < 100 || same.Withheld[4] < 100 {
		t.Errorf("control: outcomes are posted by who gains nothing by it: %+v", same)
	}
	documented(t, f)
}

// TestFewer: honest agents earn more than fewer of the others, too. Those that work until they are
// known need more tasks for that.
func TestFewer(t *testing.T) {
	for i, m := range mixtures[1:] {
		s := DefaultSample()
		s.Tasks, s.Others = 1000, 15
		if strings.Contains(m.name, "once") {
			s.Tasks = 8000
		}
		if x := s.play(m, uint64(i)); x.Ours.Honest <= x.Ours.Other {
			t.Errorf("one in %d: %+v", s.Others, x)
		}
	}
}

// TestScarce: if every third task is a golden one, evaluators are often without a reputation,
// and fewer are drawn than a task may ask.
func TestScarce(t *testing.T) {
	longtest.Only(t)
	few := 0
	for i, m := range mixtures {
		s := DefaultSample()
		s.Tasks, s.Golden = 3000, 3
		if x := s.play(m, uint64(i)); x.Ours.Right < 50 {
			few++
		}
	}
	if few > 2 {
		t.Errorf("in %d mixes, most tasks end without a right result", few)
	}
}

// TestLater: of workers that are called later, some take the best of the results that they can
// read. That makes a wrong cluster no more often dominant, and they earn about what honest ones do.
func TestLater(t *testing.T) {
	longtest.Only(t)
	s := DefaultSample()
	s.Tasks = 40_000
	all, some := s.play(mixtures[0], 7), s.play(mixture{name: "copying when called later", worker: &laterWorker}, 7)
	t.Logf("all honest: %+v", all.Equal)
	t.Logf("every third copies when it is called later: %+v", some.Equal)
	if some.Equal.Right < all.Equal.Right-.1 || some.Equal.Wrong > all.Equal.Wrong+.3 || some.Equal.Other-some.Equal.Honest > 1 {
		t.Errorf("%+v, and %+v", some.Equal, all.Equal)
	}
}

// documented holds the table and the picture of the document to the figures.
func documented(t *testing.T, f *Findings) {
	t.Helper()
	var table, svg bytes.Buffer
	if err := f.Table(&table); err != nil {
		t.Fatal(err)
	}
	table.WriteByte('\n')
	if err := f.CaughtTable(&table); err != nil {
		t.Fatal(err)
	}
	table.WriteByte('\n')
	if err := f.PostingTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := f.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begins)
	old, after, ended := strings.Cut(rest, ends)
	if !ok || !ended {
		t.Fatalf("%s has no place for the table", document)
	}
	if *rewrite {
		if err := os.WriteFile(document, []byte(before+begins+table.String()+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(picture, svg.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table.String() {
		t.Errorf("%s has another table; go test ./sim/megabrain -rewrite writes this one:\n%s", document, table.String())
	}
	if kept, err := os.ReadFile(picture); err != nil || !bytes.Equal(kept, svg.Bytes()) {
		t.Errorf("%s is another picture (%v); go test ./sim/megabrain -rewrite writes it", picture, err)
	}
}

// TestSample: the same sample gives the same figures, another seed gives others, and what cannot be
// played is refused.
func TestSample(t *testing.T) {
	sample := func(tasks int, seed uint64) Sample {
		s := DefaultSample()
		s.Tasks, s.Seed = tasks, seed
		return s
	}
	text := func(s Sample) string {
		var b bytes.Buffer
		if err := found(t, s).Text(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first, again, other := text(sample(200, 1)), text(sample(200, 1)), text(sample(200, 2))
	if first != again || first == other {
		t.Error("figures do not follow from the sample")
	}
	if _, err := Run(context.Background(), sample(99, 1)); err == nil {
		t.Error("99 tasks are played")
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Run(stopped, DefaultSample()); err == nil {
		t.Error("it does not stop")
	}
}
