package content

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/node/work"
	"ojud/voting"
)

// TestAttackPinnedData: a creator changes the data that its task pins once the work is done. A node
// that was given the task kept the data, and takes it from anybody later, too. It takes no other
// bytes, none that are longer than data of an agent, and none if the task does not pin them.
func TestAttackPinnedData(t *testing.T) {
	list, long := []byte("An owl costs 3 SOL."), make([]byte, program.MaxData+1)
	at, id := voting.Key{7}, voting.Key{1}
	document := func(pda string) []byte {
		return fmt.Appendf(nil, `{"instruction":["x"],"output_schema":{"type":"object"},"pda":[%s]}`, pda)
	}
	pin := func(n byte, content []byte) string {
		return fmt.Sprintf(`{"data":%q,"sha256":%q}`, casefile.Address{n}, casefile.Digest(casefile.HashOf(content)))
	}
	pinned := document(pin(7, list) + "," + pin(8, long))
	for name, c := range map[string]struct {
		task    []byte
		now     []byte // in the account when the node is given the task
		content []byte // that somebody hands in later
		kept    bool
		taken   bool
	}{
		"it is there":                 {pinned, list, list, true, true},
		"it was changed before":       {pinned, []byte("An owl costs 9 SOL."), nil, false, false},
		"somebody has it":             {pinned, nil, list, false, true},
		"somebody has something else": {pinned, nil, []byte("9"), false, false},
		"too long":                    {pinned, nil, long, false, false},
		"not pinned":                  {document(fmt.Sprintf("%q", casefile.Address{7})), list, list, false, false},
	} {
		w := &court{kept: map[voting.Hash][]byte{}, pinned: map[voting.Key][]voting.Hash{}, data: map[voting.Key]*program.AgentData{}}
		w.terms = &program.Task{Status: program.Created, TaskHash: casefile.HashOf(c.task)}
		if c.now != nil {
			w.data[at] = &program.AgentData{Content: c.now}
		}
		group := work.NewGroup()
		s := New(Costs{MaxPuts: 1 << 20, Timeout: time.Minute}, w, w, w, w, group, slog.New(slog.DiscardHandler))
		put := func(content []byte) error {
			hash := casefile.HashOf(content)
			_, err := s.answer(t.Context(), "peer", append(append(append([]byte{opPut}, hash[:]...), id[:]...), content...))
			return err
		}
		if err := put(c.task); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		group.Wait()
		if kept := w.Pinned(id, casefile.HashOf(list)); kept != c.kept || kept && w.kept[casefile.HashOf(list)] == nil {
			t.Errorf("%s: kept: %t", name, kept)
		}
		if c.content == nil {
			continue
		}
		err := put(c.content)
		if taken := err == nil && w.Pinned(id, casefile.HashOf(c.content)); taken != c.taken {
			t.Errorf("%s: %t, %v", name, taken, err)
		}
		group.Wait()
	}
}
