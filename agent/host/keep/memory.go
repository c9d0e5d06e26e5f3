package keep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"

	"ojud/agent/host"
	"ojud/agent/likeness"
)

// The kinds of memories.
const (
	Working = "working" // recent calls
	Pattern = "pattern" // what was learned: in such a situation, do that
)

// Taught is the circle of what the operator taught, which an agent knows in all calls.
const Taught = "taught"

// Recollection is something that an agent remembers.
type Recollection struct {
	Kind string `json:"kind"`
	Of   string `json:"of,omitempty"` // its circle: Taught, that of a guest, or the operator's calls (empty)
	When string `json:"when"`         // the situation
	Then string `json:"then"`         // what came of it, or what to do
	At   int64  `json:"at"`           // milliseconds since 1970
	// Likeness says how similar the situation is to what was asked, 0 to 1.
	Likeness float64 `json:"likeness,omitempty"`
}

// remembered is the record of a memory.
type remembered struct {
	Recollection
	Embedding likeness.Embedding `json:"sketch"`
}

const (
	// MaxMemory bounds each text of a memory, in bytes.
	MaxMemory = 4 << 10
	ofGuest   = 20  // memories of each kind, of a guest
	guests    = 100 // whose calls an agent remembers
	underOne  = 8   // of them, under one delegate
)

// Known returns the circles whose memories an agent sees in a call.
func Known(b host.Behalf) []string { return []string{b.Circle(), Taught} }

// prefix begins the keys of memories of a kind and a circle.
func prefix(agent, kind, circle string) string {
	if circle != "" {
		kind += "@" + circle
	}
	return memoryPart + agent + "/" + kind + "/"
}

// circle returns the kind and the circle in the key of a memory.
func circle(agent, key string) (kind, of string) {
	kind, _, _ = strings.Cut(strings.TrimPrefix(key, memoryPart+agent+"/"), "/")
	kind, of, _ = strings.Cut(kind, "@")
	return kind, of
}

// Learn keeps a memory of an agent. The oldest of its kind and circle are forgotten beyond most,
// and those of a guest beyond 20.
func (d *Disk) Learn(agent string, r Recollection, most int) error {
	if err := host.ValidID(agent); err != nil {
		return fmt.Errorf("the id of an agent %w", err)
	}
	if strings.Contains(r.Of, "/") {
		return fmt.Errorf("%.200q is no circle of callers", r.Of)
	}
	keys, err := d.keys(prefix(agent, r.Kind, r.Of))
	if err != nil {
		return err
	}
	if r.Of != "" && r.Of != Taught {
		most = min(most, ofGuest)
		if len(keys) == 0 {
			err = d.room(agent, r.Of)
		}
		if err != nil {
			return err
		}
	}
	next := uint64(1)
	if len(keys) > 0 {
		last := keys[len(keys)-1]
		if _, err := fmt.Sscanf(last[strings.LastIndexByte(last, '/')+1:], "%016x", &next); err != nil {
			return damaged(last, err)
		}
		next++
	}
	return d.db.Update(func(t *badger.Txn) error {
		for i := 0; i < len(keys)-most+1; i++ {
			if err := t.Delete([]byte(keys[i])); err != nil {
				return err
			}
		}
		return put(t, fmt.Sprintf("%s%016x", prefix(agent, r.Kind, r.Of), next), remembered{r, likeness.Draw(r.When)})
	})
}

// keys returns the keys that begin with a prefix, in order.
func (d *Disk) keys(begin string) (out []string, err error) {
	err = d.walk(begin, false, func(key string, _ []byte) (bool, error) { out = append(out, key); return true, nil })
	return out, err
}

// room forgets the guest that called longest ago if there is no room for another. A delegate that
// calls by ever new keys pushes out its own.
func (d *Disk) room(agent, of string) error {
	keys, err := d.keys(memoryPart + agent + "/")
	if err != nil {
		return err
	}
	there := map[string]bool{} // the guests
	for _, key := range keys {
		if _, guest := circle(agent, key); guest != "" && guest != Taught {
			there[guest] = true
		}
	}
	if there[of] {
		return nil
	}
	delegate, _, _ := strings.Cut(of, "@")
	var own []string
	for guest := range there {
		if guest == delegate || strings.HasPrefix(guest, delegate+"@") {
			own = append(own, guest)
		}
	}
	among := own
	if len(own) < underOne {
		if len(there) < guests {
			return nil
		}
		among = slices.Collect(maps.Keys(there))
	}
	oldest, at := "", int64(math.MaxInt64)
	slices.Sort(among)
	for _, guest := range among {
		latest, err := d.Recall(agent, []string{guest}, "", "", 1)
		if err != nil {
			return err
		}
		if len(latest) > 0 && latest[0].At < at {
			oldest, at = guest, latest[0].At
		}
	}
	return d.forget(slices.DeleteFunc(keys, func(key string) bool { _, of := circle(agent, key); return of != oldest }))
}

// Recall returns memories of an agent in some circles: those whose situations resemble a text most,
// or without a text the latest. No circles are all, and an empty kind is both kinds.
func (d *Disk) Recall(agent string, circles []string, kind, text string, most int) (out []Recollection, err error) {
	if err := host.ValidID(agent); err != nil {
		return nil, fmt.Errorf("the id of an agent %w", err)
	}
	const least = 0.2
	wanted := likeness.Draw(text)
	take := func(key string, value []byte) (bool, error) {
		var r remembered
		if err := json.Unmarshal(value, &r); err != nil {
			return false, damaged(key, err)
		}
		if r.Likeness = wanted.Cosine(r.Embedding); (text == "" || r.Likeness >= least) && (kind == "" || kind == r.Kind) {
			out = append(out, r.Recollection)
		}
		return true, nil
	}
	if circles == nil {
		err = d.walk(memoryPart+agent+"/", true, take)
	}
	for _, of := range circles {
		for _, k := range []string{Working, Pattern} {
			if kind == "" || kind == k {
				err = errors.Join(err, d.walk(prefix(agent, k, of), true, take))
			}
		}
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
	keys, err := d.keys(memoryPart + agent + "/")
	if err != nil {
		return err
	}
	return d.forget(keys)
}

// ForgetGuest removes what an agent remembers of a guest, and the guest's ended calls. A delegate
// stands for all to whom it passed its delegation on. It returns how many of both are gone.
func (d *Disk) ForgetGuest(agent, of string) (memories, calls int, err error) {
	if err := host.ValidID(agent); err != nil {
		return 0, 0, fmt.Errorf("the id of an agent %w", err)
	}
	keys, err := d.keys(memoryPart + agent + "/")
	if err != nil {
		return 0, 0, err
	}
	keys = slices.DeleteFunc(keys, func(key string) bool {
		_, circle := circle(agent, key)
		delegate, guest, _ := strings.Cut(circle, "@")
		return delegate != of && guest != of
	})
	memories = len(keys)
	ended, err := d.keys(guestPart + agent + "/")
	if err != nil {
		return 0, 0, err
	}
	for _, key := range ended {
		c, found, err := d.Call(key[strings.LastIndexByte(key, '/')+1:])
		if err != nil {
			return 0, 0, err
		}
		if found && (c.Guest == of || c.Delegate == of) {
			keys, calls = append(keys, key, callPart+c.ID, givenKey(c)), calls+1
		}
	}
	if err := d.forget(keys); err != nil {
		return 0, 0, err
	}
	d.ended[guestPart+agent+"/"] -= calls
	return memories, calls, nil
}

func (d *Disk) forget(keys []string) error {
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
