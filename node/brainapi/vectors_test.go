package brainapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
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
