package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ojud/agent/judge"
	"ojud/agent/judge/chair"
	"ojud/agent/judge/persona"
	"ojud/agent/model"
	"ojud/agent/model/modeltest"
	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// musician returns the dispute of "ojud devnet --demo judges". Code cannot decide it.
func musician(t testing.TB) papers {
	t.Helper()
	read := func(name string) string {
		raw, err := os.ReadFile("../examples/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return papers{read("alan-walker/alan-walker.task"), read("judges/doubtful.result"), read("judges/quality.objection"), read("judges/counter")}
}

// mind returns a judge of the n-th persona whose model is in a mode, with a node's default limits.
func mind(t *testing.T, s *modeltest.Server, m modeltest.Mode, n int) judge.Judge {
	t.Helper()
	personas, err := persona.List()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("sk-planted-key-of-the-owner"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig().chair()
	c.Judge.Kind, c.Judge.Persona = judge.KindModel, personas[n].Name
	c.Models.Models = []model.Endpoint{{Name: "local", Provider: model.OpenAI, URL: s.URL(m), Model: "m", Key: "${file:key}"}}
	seat, err := chair.Fill(c, chair.Deps{Dir: dir, Transport: s.Transport()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := seat.Close(); err != nil {
			t.Error(err)
		}
	})
	return seat.Judge
}

// TestModelFaults: a court has two minutes to commit, and each model has another fault. Every seat
// votes in time, and the valid vote names the fault. Most judges abstain, so the one round ends
// without a quorum, and the case ends by its creator's terms. There are several courts, one after
// the other, because the work grows with the square of the number of judges.
func TestModelFaults(t *testing.T) {
	longtest.Only(t)
	modes := modeltest.Modes()
	for len(modes)%*flagSeats != 0 {
		modes = append(modes, modeltest.OK)
	}
	courts := make([][]modeltest.Mode, len(modes) / *flagSeats)
	for i, m := range modes { // so that those that answer are in different courts
		courts[i%len(courts)] = append(courts[i%len(courts)], m)
	}
	for i, court := range courts {
		t.Run(fmt.Sprint("with ", court[0]), func(t *testing.T) { modelFaults(t, court, i**flagSeats) })
	}
}

// modelFaults runs a court whose judges have models in these modes. The first judge has the n-th
// persona.
func modelFaults(t *testing.T, modes []modeltest.Mode, n int) {
	p2ptest.Run(t, func(t *testing.T) {
		s := modeltest.Fly()
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		w := newWorld(t, func(p *program.Params) { p.MaxRounds, p.CommitSeconds = 1, 120 })
		w.join(len(modes), func(i int) judge.Judge { return mind(t, s, modes[i], n+i) })
		task := w.dispute(musician(t))
		c := w.until(15*time.Minute, "decided", task, func(c *program.Case) bool { return c.Status.Over() })
		if int(c.Revealed) != len(modes) || c.Verdict != voting.Undecided || s.Strangers() != 0 {
			t.Fatalf("verdict %v, %d of %d revealed, %d requests went elsewhere", c.Verdict, c.Revealed, len(c.Seats), s.Strangers())
		}
		w.verified(w.nodes[0], task)
		file, _, err := w.nodes[0].Export(t.Context(), task)
		w.must(err)
		all := opinions(t, w.nodes[0].Node, file)
		if len(all) != len(modes) {
			t.Errorf("%d opinions", len(all))
		}
		for judge, o := range all {
			i := slices.IndexFunc(w.nodes, func(m *member) bool { return casefile.Address(m.home.Keys.Judge()) == judge })
			text := fmt.Sprintf("%+v", o)
			faulty := strings.Contains(text, "it gave nothing")
			if m := modes[i]; faulty == m.Answers() || faulty && (voting.Choice(o.Choice) != voting.Abstain) {
				t.Errorf("%s: %s", m, text)
			}
			if strings.Contains(text, "planted") || strings.Contains(text, w.nodes[i].home.Dir) {
				t.Errorf("it tells too much: %s", text)
			}
		}
	})
}

// opinions returns the opinions of all votes in a case file, by judge.
func opinions(t *testing.T, n *Node, file []byte) map[casefile.Address]casefile.Opinion {
	t.Helper()
	var b struct {
		Events []casefile.Event `json:"events"`
	}
	if err := json.Unmarshal(file, &b); err != nil {
		t.Fatal(err)
	}
	out := map[casefile.Address]casefile.Opinion{}
	for _, e := range b.Events {
		if e.Kind != casefile.KindVote {
			continue
		}
		var body casefile.VoteBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Fatal(err)
		}
		o, err := n.Opinion(voting.Hash(body.Vote.OpinionHash))
		if err != nil {
			t.Fatal(err)
		}
		out[o.Judge] = o
	}
	return out
}
