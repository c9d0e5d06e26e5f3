package golden

import "encoding/hex"

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
