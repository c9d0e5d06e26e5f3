package golden

import (
	"bytes"
	"encoding/hex"

	"ojud/voting"
)

// The task that challenges a leaf, before the leaf in hex and behind it. It is canonical JSON.
const (
	questionBefore = `{"input_data":["`
	questionBehind = `"],"instruction":["input_data holds an open leaf of a golden case: 236 bytes in hex (protocol, section 13). ` +
		`Run the generator that it names with its seed, and compare the four hashes and the answer. Is the leaf false?"],` +
		`"output_schema":{"leaf_is_false":"boolean"}}`
)

// maxQuestion is the number of bytes of the task that challenges a leaf.
const maxQuestion = len(questionBefore) + 2*leafSize + len(questionBehind)

const _ = uint(236-leafSize) + uint(leafSize-236) // the text says so

// Question is the task document that challenges the leaf. If a case about it accepts Denial, the
// batch of the leaf is over (protocol section 13).
func (l Leaf) Question() []byte {
	out := append(make([]byte, 0, maxQuestion), questionBefore...)
	return append(hex.AppendEncode(out, l.Bytes()), questionBehind...)
}

// Denial is the result document that says that a leaf is false.
func Denial() []byte { return []byte(`{"leaf_is_false":true}`) }

// Affirmation is the result document that says that a leaf is true.
func Affirmation() []byte { return []byte(`{"leaf_is_false":false}`) }

// Asked returns the leaf that a task document asks about. Only the exact document of Question asks.
func Asked(task []byte) (l Leaf, ok bool) {
	if len(task) != maxQuestion {
		return Leaf{}, false
	}
	raw, err := hex.DecodeString(string(task[len(questionBefore) : len(questionBefore)+2*leafSize]))
	if err != nil || !bytes.HasPrefix(raw, []byte(leafDomain)) {
		return Leaf{}, false
	}
	raw = raw[len(leafDomain):]
	raw = raw[copy(l.Address[:], raw):]
	for _, h := range []*voting.Hash{&l.Task, &l.Result, &l.Objection, &l.Counter} {
		raw = raw[copy(h[:], raw):]
	}
	l.Answer, raw = voting.Choice(raw[0]), raw[1:]
	copy(l.Seed[:], raw[copy(l.Generator[:], raw):])
	return l, bytes.Equal(l.Question(), task)
}
