package exam

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/golden/generator"
	"ojud/voting"
)

// classes say which class a kind of work belongs to.
var classes = map[generator.Kind]class.Class{
	generator.Arithmetic: class.Arithmetic, generator.Extraction: class.Extraction, generator.Code: class.Code,
}

// maxTries bounds the search for a dispute with a wanted answer and difficulty. One in four has
// both.
const maxTries = 512

var errFresh = errors.New("exam: there is no such exam")

// Fresh makes an exam from a seed. Half of the disputes are to be accepted, and half are hard, as
// far as they can be divided. They stand in random order.
func Fresh(seed string, items int, kinds []generator.Kind) ([]Item, error) {
	if items < 1 || items > MaxItems {
		return nil, fmt.Errorf("%w: %d disputes; write 1 to %d", errFresh, items, MaxItems)
	}
	var all []generator.Generator
	for _, k := range kinds {
		g, err := generator.Of(k)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errFresh, err)
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no kind of work; write some of %v", errFresh, generator.Kinds())
	}
	var out []Item
	for i := range items {
		one, err := fresh(seed, i, all[i/4%len(all)])
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Item) int {
		x, y := a.Key(), b.Key()
		return bytes.Compare(x[:], y[:])
	})
	return out, nil
}

// fresh makes one item. The number decides its answer and whether it is hard.
func fresh(seed string, number int, g generator.Generator) (Item, error) {
	const _ = uint(3 - voting.Choices) // an answer is a side
	accept, hard := number%2 == 0, number/2%2 == 0
	for try := range uint32(maxTries) {
		raw := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32([]byte("oju:exam:v1"), uint32(number)), try)
		d, err := g.Make(sha256.Sum256(append(raw, seed...)))
		if err != nil {
			return Item{}, fmt.Errorf("exam: %w", err)
		}
		if d.Hard != hard || (d.Answer == voting.Accept) != accept {
			continue
		}
		// A judge sees the address of a case, which is made of this name. The number would tell it
		// the answer, so nobody without the seed can compute the name.
		id := sha256.Sum256(append(append([]byte("oju:exam:name:v1"), raw...), seed...))
		return Item{
			ID: fmt.Sprintf("%s-%s-%x", d.Kind, d.Template, id[:4]), Class: classes[d.Kind], Difficulty: map[bool]int{true: hardest, false: hardest - 1}[hard],
			Task: d.Task, Result: d.Result, Objection: d.Objection, Counter: d.Counter, Label: casefile.Choice(d.Answer),
			Why: d.Proof.Why, Checks: d.Proof.Steps,
		}, nil
	}
	return Item{}, fmt.Errorf("%w: %s gives no dispute of the wanted kind in %d tries", errFresh, g.Kind(), maxTries)
}

// Hard reports whether an item counts among the hard ones of an entry exam.
func (i Item) Hard() bool { return i.Difficulty == hardest }
