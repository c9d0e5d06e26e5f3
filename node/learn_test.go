package node

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ojud/agent/judge"
	lessons "ojud/agent/judge/memory"
	"ojud/agent/model"
	"ojud/agent/model/modeltest"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/voting"
)

// TestLearn: when a case has ended, a judge with a model has learned from it once, below its home.
// A judge whose memory is off has written nothing, and neither has a judge by code. An unusable
// memory does not keep a node from judging.
func TestLearn(t *testing.T) {
	p2ptest.Run(t, func(t *testing.T) {
		s := modeltest.Fly()
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		w := newWorld(t, func(p *program.Params) { p.MaxRounds = 1 })
		w.join(2, nil)
		thinks := func(change func(*member)) {
			w.joinWith(func(m *member) {
				m.cfg.Judge.Kind, m.deps.Models = judge.KindModel, s.Transport()
				m.cfg.Models.Models = []model.Endpoint{{Name: "local", Provider: model.OpenAI, URL: s.URL(modeltest.OK), Model: "m"}}
				change(m)
			})
		}
		thinks(func(*member) {})
		thinks(func(m *member) { m.cfg.Judge.Memory.On = false })
		thinks(func(m *member) { w.must(os.WriteFile(filepath.Join(m.home.Dir, lessons.Folder), nil, 0o600)) })
		task := w.dispute(musician(t))
		w.until(15*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		for i, m := range w.nodes {
			w.verified(m, task)
			info, err := os.Stat(filepath.Join(m.home.Dir, lessons.Folder))
			if there := err == nil && info.IsDir(); there != (i == 2) {
				t.Errorf("node %d: a memory is there: %t", i, there)
			}
		}
		m := w.nodes[2]
		store, err := lessons.Open(m.home.Dir, casefile.Address(m.home.Keys.Judge()), m.cfg.Judge.Memory, lessons.Deps{})
		w.must(err)
		all, broken, err := store.List(t.Context())
		w.must(err)
		if len(all) != 1 || len(broken) != 0 || all[0].Case != casefile.Address(task) || voting.Choice(all[0].Choice) != voting.Accept || len(all[0].Lines) == 0 {
			t.Fatalf("%+v, %v", all, broken)
		}
		if e := all[0]; voting.Verdict(e.Verdict) != voting.ForWorker || !e.With() || e.Lines[0].Of == 0 {
			t.Errorf("%+v", e)
		}
	})
}
