package brainagent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"ojud/agent"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
	"ojud/node/megabrain"
	"ojud/node/trader"
)

// hostile workers show the results that stand in it.
type hostile struct {
	*world
	results []string
	input   json.RawMessage // what the last thought was given
}

func (h *hostile) Results(context.Context, onchain.Address) (out []megabrain.HandedIn, err error) {
	for i, text := range h.results {
		out = append(out, megabrain.HandedIn{Worker: onchain.Address{byte(20 + i)}.String(), Hash: "ab", Text: text})
	}
	return out, nil
}

func (h *hostile) Think(ctx context.Context, c trader.Chore) (trader.Product, error) {
	h.input = c.Input
	return h.world.Think(ctx, c)
}

// TestAttackResults: whatever workers hand in, the input of an evaluator is one that a model's
// agent takes.
func TestAttackResults(t *testing.T) {
	t.Parallel()
	text := func(piece string) string { return `"` + strings.Repeat(piece, (finding.MaxResult-2)/len(piece)) + `"` }
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, result := range map[string]string{
		"a name twice": `{"a":1,"a":1}`, "no UTF-8": "\"\xff\"", "not JSON": "{", "nobody has it": "", "too large": strings.Repeat(" ", 256<<10),
		"deep": nested(70), "as deep as a court reads": nested(64), "as deep as a report has room": nested(61),
		"signs of HTML": text("<"), "line separators": text("\u2028"), "control characters": text(`\u0001`), "many values": "[" + strings.Repeat("1,", 11_000) + "1]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{world: newWorld(t, brain.EvaluatorRole)}
				for range brain.MaxSeats - 1 {
					h.results = append(h.results, result)
				}
				h.results = append(h.results, `{"year":1931}`)
				h.task.Clock.Deadline = h.now + 600
				h.live(t.TempDir(), brain.EvaluatorRole, 3, func(e *Equipment) { e.Desk, e.Thinkers[class] = h, h })
				if h.commits != 1 || h.thoughts != 1 {
					t.Errorf("%d commitments after %d thoughts", h.commits, h.thoughts)
				}
				limits := agent.DefaultConfig().Schema
				if len(h.input) > agent.DefaultConfig().InputBytes {
					t.Errorf("the input has %d bytes", len(h.input))
				}
				if _, err := limits.Decode(h.input); err != nil {
					t.Errorf("%v: %.200s", err, h.input)
				}
				if !strings.Contains(string(h.input), `{"year":1931}`) {
					t.Errorf("the honest result is not in the input: %.200s", h.input)
				}
			})
		})
	}
}

// TestAttackEmptyQuestion: a task may ask nothing, and silence costs the whole stake. A question
// that was not found is another thing.
func TestAttackEmptyQuestion(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w, want := newWorld(t, brain.WorkerRole), 0
			if there {
				want = 1
			}
			w.live(t.TempDir(), brain.WorkerRole, 5, func(e *Equipment) {
				e.Question = func(context.Context, onchain.Address, *brain.TaskAccount) (string, bool, error) {
					return "", there, nil
				}
			})
			if w.thoughts != want || w.commits != want {
				t.Errorf("found %v: %d thoughts, %d commitments", there, w.thoughts, w.commits)
			}
		})
	}
}
