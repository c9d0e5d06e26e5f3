package brainapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/brainview"
	"ojud/node/megabrain"
)

// TestVectors: the server adds the vectors of the class's embedding to scores that have none. It
// asks once: a second attempt commits to the same document, also if the model was down the first
// time, because a commitment stays. What an agent brings stays as it is.
func TestVectors(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		own    []int
		gives  string // by the embedding; empty: it is down
		named  bool   // the class names an embedding
		asks   int
		has    string // in the document
		wanted bool
	}{
		"added":               {nil, "[1,2,-3]", true, 1, `"vectors":{"WORKER":[1,2,-3]}`, true},
		"down":                {nil, "", true, 1, `"vectors"`, false},
		"of another length":   {nil, "[1,2]", true, 1, `"vectors"`, false},
		"without a direction": {nil, "[0,0,0]", true, 1, `"vectors"`, false},
		"no vector":           {nil, `"x"`, true, 1, `"vectors"`, false},
		"its own":             {[]int{4, 5, 6}, "[1,2,-3]", true, 0, `"vectors":{"WORKER":[4,5,6]}`, true},
		"none is named":       {nil, "[1,2,-3]", false, 0, `"vectors"`, false},
	} {
		w := newWorld(t)
		asked := 0
		w.server.n.Embed = func(ctx context.Context, key, at onchain.Address, scores []megabrain.Score) (map[string]json.RawMessage, error) {
			if asked++; key != w.self || at != w.task || len(scores) != 1 || scores[0].Score != 7 {
				t.Errorf("%s: it asks for %s, %s, %+v", name, key, at, scores)
			}
			if _, bounded := ctx.Deadline(); !bounded {
				t.Errorf("%s: it waits as long as the model likes", name)
			}
			if x.gives == "" {
				return nil, errors.New("it is down")
			}
			return map[string]json.RawMessage{w.other.String(): json.RawMessage(x.gives), "another": json.RawMessage(x.gives)}, nil
		}
		token := w.token()
		w.at(brain.Evaluating)
		if x.named {
			w.detail.Embedding = &finding.Embedding{Name: "small", Dimensions: 3, Near: 3000}
		}
		body := map[string]any{"score": 7, "confidence": 50, "rationale": ""}
		if x.own != nil {
			body["vector"] = x.own
		}
		code, answer := w.post("/tasks/"+id(w.task)+"/evaluate/"+id(w.other), token, nil, body)
		expect(t, name, code, answer, 200, `"committed":true`)
		first := string(w.document)
		if want := strings.Replace(x.has, "WORKER", w.other.String(), 1); strings.Contains(first, want) != x.wanted {
			t.Errorf("%s: it commits to %s", name, first)
		}
		x.gives = "[9,9,9]" // the model answers otherwise now, or is there again
		w.detail.Now = w.detail.Until - 500
		if err := w.server.Tend(t.Context()); err != nil || w.scores != 2 || string(w.document) != first || asked != x.asks {
			t.Errorf("%s: %v, after %d questions the second of %d commitments is %s, and the first %s", name, err, asked, w.scores, w.document, first)
		}
	}
}

// TestAttackHangingModel: several keys have scores in a task whose time is nearly over, and the
// model of its class hangs. All of them commit in time, or they lose their stakes.
func TestAttackHangingModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.server.n.Embed = func(ctx context.Context, _, _ onchain.Address, _ []megabrain.Score) (map[string]json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		w.at(brain.Evaluating)
		w.detail.Embedding = &finding.Embedding{Name: "small", Dimensions: 3, Near: 3000}
		w.detail.Now = w.detail.Until - 60
		w.detail.Jury = nil
		for i := range 4 {
			key := onchain.Address{20 + byte(i)}
			w.server.n.Hands[key] = w
			w.detail.Jury = append(w.detail.Jury, brainview.ScoreSeat{Evaluator: key.String(), State: "drawn"})
			if _, err := w.server.drafts.change(w.task, key, func(it *draft) error {
				it.Since, it.Last = 1, 1
				it.Evaluations = []evaluation{{Worker: w.other.String(), Score: 7}}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		if err := w.server.Tend(t.Context()); err != nil || w.scores != 4 || time.Since(began) > maxEmbed {
			t.Errorf("%v: %d of 4 commitments after %v", err, w.scores, time.Since(began))
		}
	})
}

// TestVectorsAgain: the server asks once for each score, also if an agent sends one again after a
// commitment failed. It replaces nothing that an agent brings while the model answers.
func TestVectorsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	third := onchain.Address{11}
	var asked []string
	down, meanwhile := false, func() {}
	w.server.n.Embed = func(_ context.Context, _, _ onchain.Address, scores []megabrain.Score) (map[string]json.RawMessage, error) {
		out := map[string]json.RawMessage{}
		for _, s := range scores {
			asked = append(asked, s.Worker)
			out[s.Worker] = json.RawMessage("[1,2,3]")
		}
		meanwhile()
		if down {
			return nil, errors.New("it is down")
		}
		return out, nil
	}
	token := w.token()
	w.at(brain.Evaluating)
	w.detail.Embedding = &finding.Embedding{Name: "small", Dimensions: 3, Near: 3000}
	w.detail.Seats = append(w.detail.Seats, brainview.WorkPlace{Worker: third.String(), State: "revealed"})
	say := func(what string, worker onchain.Address, code int, vector ...int) {
		body := map[string]any{"score": 7, "confidence": 50, "rationale": ""}
		if vector != nil {
			body["vector"] = vector
		}
		got, answer := w.post("/tasks/"+id(w.task)+"/evaluate/"+id(worker), token, nil, body)
		expect(t, what, got, answer, code, "")
	}
	commits := func(what, has string, questions int) {
		if !strings.Contains(string(w.document), has) || len(asked) != questions {
			t.Errorf("%s: it commits to %s, after it asked for %v", what, w.document, asked)
		}
	}
	first, second := `"`+w.other.String()+`":[1,2,3]`, `"`+third.String()+`":[1,2,3]`
	say("the first", w.other, 200)
	say("the second", third, 200)
	commits("both", first+","+second, 2)
	say("one again", w.other, 200)
	commits("one again", first+","+second, 3)
	down = true
	say("the model is down", third, 200)
	commits("the model is down", `"vectors":{`+first+"}", 4)
	down = false
	say("the other one", w.other, 200)
	commits("the other one", `"vectors":{`+first+"}", 5)
	meanwhile = func() {
		meanwhile = func() {}
		say("its own vector", third, 200, 4, 5, 6)
	}
	say("again, and meanwhile its own", third, 200)
	commits("meanwhile its own", `"vectors":{`+first+`,"`+third.String()+`":[4,5,6]}`, 6)
}
