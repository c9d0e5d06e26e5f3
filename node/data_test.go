package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/verify"
	"ojud/datasource"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// posted returns a task that only a data source can decide: a check of the result settles the rest.
func posted() papers {
	return papers{
		task: `{"instruction":["Name the post."],"output_schema":{"type":"array"},"data_sources":["site.post"],
"expected":[{"path":"/content/text","contains":"hello","data":{"data_source":"site.post","request":{},"from_result":{"name":"/0"}}},{"path":"/0","equals":"7.json","settles":[0]}]}`,
		result:    `["7.json"]`,
		objection: `{"reason":"The post is not there."}`,
		counter:   `{"reason":"It is."}`,
	}
}

// hold gives a node a source with one post.
func hold(t testing.TB, m *member, text string) {
	t.Helper()
	holdAs(t, m, text, `"seated"`)
}

// holdAs is hold for these askers, as JSON.
func holdAs(t testing.TB, m *member, text, who string) {
	t.Helper()
	posts := t.TempDir()
	if err := os.WriteFile(filepath.Join(posts, "7.json"), fmt.Appendf(nil, `{"text":%q}`, text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := datasource.Parse(fmt.Appendf(nil, `{"name":"site.post","description":"posts","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
"terms":{"access":["content"],"who":%s},"upstream":{"kind":"files","dir":%q,"allow":["*.json"],"format":"json"}}`, who, posts))
	if err != nil {
		t.Fatal(err)
	}
	if err := datasource.Write(m.home.Path("sources"), s); err != nil {
		t.Fatal(err)
	}
}

// holders starts a court of 7 judges; the last ones hold the posts with these texts.
func holders(t *testing.T, texts ...string) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.join(7-len(texts), nil)
	for _, text := range texts {
		w.joinWith(func(m *member) { hold(t, m, text) })
	}
	return w
}

// report verifies the file of a node when it is complete.
func (w *world) report(m *member, task voting.Key) verify.Report {
	w.t.Helper()
	w.sound(m, task)
	file, _, err := m.Export(w.t.Context(), task)
	if err != nil {
		w.t.Fatal(err)
	}
	return verify.File(file)
}

// TestData: two of seven judges hold a source. All judges ask them and vote with receipts that the
// case file proves.
func TestData(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := holders(t, "hello world", "hello world")
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || int(c.Revealed) != len(c.Seats) {
			t.Fatalf("verdict %v, %d of %d revealed", c.Verdict, c.Revealed, len(c.Seats))
		}
		r := w.report(w.nodes[0], task)
		if strings.Contains(r.String(), "contradict") {
			t.Error(r.String())
		}
		// Each of seven votes rests on receipts of both holders, or on those of the judge's own
		// source and of the other holder.
		log, err := w.nodes[0].Reader.Log(task)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range log.Events() {
			var b casefile.VoteBody
			if e.Kind != casefile.KindVote {
				continue
			}
			if err := network.DecodeStrict(e.Body, &b); err != nil {
				t.Fatal(err)
			}
			if len(b.Vote.DataAccessed) == 0 || b.Vote.DataAccessed[0].Tool != "site.post" {
				t.Errorf("%s: %+v", e.Actor, b.Vote.DataAccessed)
			}
		}
	})
}

// TestLoneHolder: in a round of seconds one holder is enough, although the judges look for others.
func TestLoneHolder(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, func(p *program.Params) { p.CommitSeconds, p.RevealSeconds = 20, 20 })
		w.join(4, nil)
		w.joinWith(func(m *member) { hold(t, m, "hello world") })
		time.Sleep(time.Minute) // so that no node waits for copies of itself
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 {
			t.Errorf("verdict %v in round %d", c.Verdict, c.Round)
		}
	})
}

// TestDataLiar: one of three holders lies. The contradiction is in the file, and the verdict
// stands.
func TestDataLiar(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := holders(t, "hello world", "hello world", "something else")
		task := w.dispute(posted())
		c := w.until(20*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker {
			t.Fatalf("verdict %v", c.Verdict)
		}
		if r := w.report(w.nodes[0], task); !strings.Contains(r.String(), "contradict each other about site.post") {
			t.Error(r.String())
		}
	})
}

// TestDataUnavailable: a creator names a source that no node has. That counts against it, because
// it named the source: the result stands by the rest of the task. Before, all judges abstained in
// three rounds, and the case ended undecided.
func TestDataUnavailable(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, brisk)
		w.join(4, func(int) judge.Judge { return nil })
		task := w.dispute(posted())
		c := w.until(time.Hour, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if c.Verdict != voting.ForWorker || c.Round != 1 {
			t.Fatalf("%v in round %d", c.Verdict, c.Round)
		}
		r := w.report(w.nodes[0], task)
		if !strings.Contains(r.String(), "no holder answered: the data of site.post is missing") {
			t.Error(r.String())
		}
	})
}
