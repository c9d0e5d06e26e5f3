package node

import (
	"encoding/json"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
	"ojud/ledger/program"
	"ojud/p2p/p2ptest"
	"ojud/test/longtest"
	"ojud/voting"
)

// TestAttackReworkedForTheSeal: a worker hands in garbage, sees the sealed tests in the objection,
// works again, and hands in a table of their answers. All judges accepted it. Now the seals of the
// first result settle nothing of the second, and those of the second say false. A right result
// after a rework still wins by them.
func TestAttackReworkedForTheSeal(t *testing.T) {
	longtest.Only(t)
	p2ptest.Run(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.join(7, nil)
		creator, worker := w.parties()
		put := func(raw []byte) voting.Hash {
			hash, err := w.nodes[0].blobs.Put(raw)
			w.must(err)
			return hash
		}
		for n, c := range []struct {
			name, code string
			second     bool // the creator also sealed tests for the second result
			accept     bool
		}{
			{"a table, and no second seal", "const f = x => ({1: 2, 10: 11})[x]", false, false},
			{"a table", "const f = x => ({1: 2, 10: 11})[x]", true, false},
			{"a right result", "const f = x => x + 1", true, true},
		} {
			var checks []casefile.Check
			objections := []casefile.Objection{{Reason: "It is wrong."}, {Reason: "It is wrong again."}}
			for rework, calls := range []map[string]string{{"1": "2", "10": "11"}, {"4": "5"}} {
				if rework == 1 && !c.second {
					objections[1].Evidence = objections[0].Evidence // the worker gains nothing by these
					break
				}
				tests := &runs.Tests{}
				for x, y := range calls {
					tests.JavaScript = append(tests.JavaScript, runs.TestCall{Function: "f", Args: []json.RawMessage{[]byte(x)}, Returns: []byte(y)})
				}
				k, opening, err := sealed.Seal(casefile.Check{Path: "/code", Settles: []int{0}, Rework: uint8(rework), Tests: tests}, [32]byte{byte(n)})
				w.must(err)
				put(opening)
				checks = append(checks, k)
				objections[rework].Evidence = []casefile.Exhibit{{Name: sealed.Name(rework), SHA256: *k.Sealed, Bytes: uint64(len(opening))}}
			}
			task, err := casefile.NewTask(casefile.Task{Instruction: []string{"Write a function f that adds 1."}, OutputSchema: []byte(`{"code":"string"}`), Expected: checks})
			w.must(err)
			first, err := json.Marshal(objections[0])
			w.must(err)
			raw, err := json.Marshal(objections[1])
			w.must(err)
			second, err := casefile.ParseObjection(raw)
			w.must(err)
			result, err := casefile.ParseResult([]byte(`{"code":"` + c.code + `"}`))
			w.must(err)
			id, counter := w.plead(creator, worker, uint64(n), small, papers{task: string(task.Raw), result: `{"code":"const f = x => 'garbage'"}`, objection: string(first), counter: `{"reason":"It is right."}`})
			at := address(id)
			w.do(worker, w.p.Rework(worker.Address(), creator.Address(), at, program.FirstRules),
				w.p.SubmitResult(worker.Address(), creator.Address(), at, program.FirstRules, program.SubmitResult{ResultHash: put(result.Raw)}))
			w.do(creator, w.p.Object(creator.Address(), at, program.FirstRules, program.Object{ObjectionHash: put(second.Raw)}))
			counter()
			end := w.until(120*time.Minute, "decided", id, func(k *program.Case) bool { return k.Status.Over() })
			if c.accept != (end.AcceptWeight > 0) || c.accept != (end.Verdict == voting.ForWorker) {
				t.Errorf("%s: %v in round %d: accept %d, reject %d, abstain %d", c.name, end.Verdict, end.Round, end.AcceptWeight, end.RejectWeight, end.AbstainWeight)
			}
		}
	})
}
