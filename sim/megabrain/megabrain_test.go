package megabrain

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"
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

// TestPromises: each promise holds, or says why it is open. Control: the payments as the protocol
// writes them overdraw pools, pay for copies more than for work, and pay more wrong clusters.
func TestPromises(t *testing.T) {
	f := found(t, DefaultSample())
	for _, p := range f.Promises {
		if p.Holds != (p.Open == "") {
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
		if sum := m.Ours.Right + m.Ours.Wrong + m.Ours.Inconclusive; sum < 99.8 || sum > 100.2 {
			t.Errorf("%s: %.1f %% of the tasks end", m.Name, sum)
		}
	}
	documented(t, f)
}

// documented holds the table and the picture of the document to the figures.
func documented(t *testing.T, f *Findings) {
	t.Helper()
	var table, svg bytes.Buffer
	if err := f.Table(&table); err != nil {
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
	text := func(s Sample) string {
		var b bytes.Buffer
		if err := found(t, s).Text(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first, again, other := text(Sample{200, 1}), text(Sample{200, 1}), text(Sample{200, 2})
	if first != again || first == other {
		t.Error("figures do not follow from the sample")
	}
	if _, err := Run(context.Background(), Sample{Tasks: 99}); err == nil {
		t.Error("99 tasks are played")
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Run(stopped, DefaultSample()); err == nil {
		t.Error("it does not stop")
	}
}
