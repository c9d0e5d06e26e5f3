package keep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"ojud/agent/host"
	"ojud/agent/likeness"
)

// The kinds of memories.
const (
	Working = "working" // recent calls
	Pattern = "pattern" // what was learned: in such a situation, do that
)

// Recollection is something that an agent remembers.
type Recollection struct {
	Kind string `json:"kind"`
	When string `json:"when"` // the situation
	Then string `json:"then"` // what came of it, or what to do
	At   int64  `json:"at"`   // milliseconds since 1970
	// Likeness says how similar the situation is to what was asked, 0 to 1.
	Likeness float64 `json:"likeness,omitempty"`
}

// remembered is the record of a memory.
type remembered struct {
	Recollection
	Embedding likeness.Embedding `json:"sketch"`
}

// MaxMemory bounds each text of a memory, in bytes.
const MaxMemory = 4 << 10

func memoryPrefix(agent, kind string) string { return memoryPart + agent + "/" + kind + "/" }

// Learn keeps a memory of an agent. The oldest of its kind are forgotten beyond most.
func (d *Disk) Learn(agent string, r Recollection, most int) error {
	if err := host.ValidID(agent); err != nil {
		return fmt.Errorf("the id of an agent %w", err)
	}
	var keys []string
	prefix := memoryPrefix(agent, r.Kind)
	if err := d.walk(prefix, false, func(key string, _ []byte) (bool, error) { keys = append(keys, key); return true, nil }); err != nil {
		return err
	}
	next := uint64(1)
	if len(keys) > 0 {
		if _, err := fmt.Sscanf(keys[len(keys)-1][len(prefix):], "%016x", &next); err != nil {
			return damaged(keys[len(keys)-1], err)
		}
		next++
	}
	return d.db.Update(func(t *badger.Txn) error {
		for i := 0; i < len(keys)-most+1; i++ {
			if err := t.Delete([]byte(keys[i])); err != nil {
				return err
			}
		}
		return put(t, fmt.Sprintf("%s%016x", prefix, next), remembered{r, likeness.Draw(r.When)})
	})
}

// Recall returns memories of an agent: those whose situations resemble a text most, or without a
// text the latest. An empty kind is both kinds.
func (d *Disk) Recall(agent, kind, text string, most int) (out []Recollection, err error) {
	if err := host.ValidID(agent); err != nil {
		return nil, fmt.Errorf("the id of an agent %w", err)
	}
	const least = 0.2
	wanted := likeness.Draw(text)
	for _, k := range []string{Working, Pattern} {
		if kind != "" && kind != k {
			continue
		}
		err = errors.Join(err, d.walk(memoryPrefix(agent, k), true, func(key string, value []byte) (bool, error) {
			var r remembered
			if err := json.Unmarshal(value, &r); err != nil {
				return false, damaged(key, err)
			}
			if r.Likeness = wanted.Cosine(r.Embedding); text == "" || r.Likeness >= least {
				out = append(out, r.Recollection)
			}
			return true, nil
		}))
	}
	slices.SortStableFunc(out, func(a, b Recollection) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(b.At, a.At))
	})
	return out[:min(len(out), most)], err
}

// Forget removes all memories of an agent.
func (d *Disk) Forget(agent string) error {
	if err := host.ValidID(agent); err != nil {
		return fmt.Errorf("the id of an agent %w", err)
	}
	var keys []string
	if err := d.walk(memoryPart+agent+"/", false, func(key string, _ []byte) (bool, error) { keys = append(keys, key); return true, nil }); err != nil {
		return err
	}
	for part := range slices.Chunk(keys, 1_000) {
		if err := d.db.Update(func(t *badger.Txn) error {
			for _, key := range part {
				if err := t.Delete([]byte(key)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
