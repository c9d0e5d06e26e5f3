package trader

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ojud/agent/judge"
	"ojud/agent/model"
	"ojud/agent/work"
	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/node/client"
)

func tools(t *testing.T) *Tools {
	t.Helper()
	all, err := OpenTools(judge.DefaultConfig(), model.DefaultConfig(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	})
	return all
}

// TestAttackUnreadable: a result that no judge could read is worth an objection, whatever the
// settings say about results of which nobody can tell.
func TestAttackUnreadable(t *testing.T) {
	t.Parallel()
	task := document(t, `{"instruction":["List ten birds."],"output_schema":{"birds":["string"]}}`)
	all := tools(t)
	for name, raw := range map[string]string{
		"no JSON": "garbage", "nothing": "", "twice the same key": `{"birds":[],"birds":["a"]}`, "not canonical": `{ "birds" : ["a"] }`,
		"too deep": strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "no UTF-8": "{\"birds\":[\"\xff\"]}", "out of range": `{"birds":["a"],"n":1e999}`,
		"not exact": `{"birds":["a"],"n":123456789012345678901234567890}`, "half a pair": `{"birds":["\ud800"]}`, "too long": `["` + strings.Repeat("a", casefile.MaxDocument) + `"]`,
	} {
		b := Bundle{Task: task, Result: []byte(raw)}
		e, err := all.Assess(t.Context(), b)
		if err != nil || e.Chance > whole-certain {
			t.Errorf("%s: %+v, %v", name, e, err)
			continue
		}
		c := work.NewCreator(work.CreatorPolicy{})
		c.Items["o"] = &work.Item{ID: "o", Phase: work.Waiting, Result: "r", Reward: 100, Bond: 20}
		c.Step(work.Inspected{ID: "o", Result: "r", Chance: e.Chance, Why: e.Why})
		if c.Items["o"].Phase != work.Objecting {
			t.Errorf("%s: %s", name, c.Items["o"].Phase)
		}
		if _, err := pleading(t.Context(), all.Prover(), b, e.Why, true); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e, err := all.Assess(t.Context(), Bundle{Task: task, Result: []byte(`{"birds":["a"]}`)}); err != nil || e.Chance != even {
		t.Errorf("one that can be read: %+v, %v", e, err)
	}
}

// TestOpenedSeal: a worker looks at the sealed tests that an objection opens for its result, so
// that it does not defend one that fails them.
func TestOpenedSeal(t *testing.T) {
	t.Parallel()
	tests := &runs.Tests{JavaScript: []runs.TestCall{{Function: "f", Args: []json.RawMessage{[]byte("4")}, Returns: []byte("5")}}}
	k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Settles: []int{0}, Tests: tests}, [32]byte{9})
	if err != nil {
		t.Fatal(err)
	}
	task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function f that adds 1."}, OutputSchema: []byte(`{"code":"string"}`), Expected: []casefile.Check{k}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(casefile.Objection{Reason: "It is wrong.", Evidence: []casefile.Exhibit{{Name: sealed.Name(0), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}})
	if err != nil {
		t.Fatal(err)
	}
	all := tools(t)
	for _, c := range []struct {
		name, code  string
		exhibits    [][]byte
		reworks     uint8
		least, most int
	}{
		{"for another result", `const f = x => 2`, nil, 1, even, whole},
		{"wrong", `const f = x => 2`, [][]byte{opening}, 0, 0, whole - probable},
		{"right", `const f = x => x + 1`, [][]byte{opening}, 0, probable, whole},
		{"not here", `const f = x => 2`, nil, 0, even, even},
	} {
		e, err := all.Assess(t.Context(), Bundle{Task: task.Raw, Result: result(t, `{"code":"`+c.code+`"}`), Objection: document(t, string(raw)), Exhibits: c.exhibits, Reworks: c.reworks})
		if err != nil || e.Chance < c.least || e.Chance > c.most {
			t.Errorf("%s: %+v, %v", c.name, e, err)
		}
	}
}

// TestRemovedOrder: an order whose file was removed or changed between the decision and the
// transaction is withdrawn, so that the queue goes on.
func TestRemovedOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if err := os.WriteFile(path, []byte(sortTask), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Creator{core: work.NewCreator(work.CreatorPolicy{}), queue: queue{path: dir, reward: client.Lamports(5)}, orders: map[string]order{}}
	s, err := openStore(filepath.Join(dir, "home"), c.core)
	if err != nil {
		t.Fatal(err)
	}
	c.engine = newEngine(Needs{}, s, nil, c.core)
	all, err := c.queue.read()
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	acts := c.core.Step(work.Books{Vault: 100, Queue: []work.Order{all[0].Order}})
	if len(acts) != 1 {
		t.Fatalf("%v", acts)
	}
	news, err := c.perform(t.Context(), acts[0])
	if news != (work.Withdrawn{ID: "a.json"}) || err != nil {
		t.Errorf("%v, %v", news, err)
	}
	if err := errors.Join(c.Close(), os.Remove(path)); err != nil {
		t.Error(err)
	}
}
