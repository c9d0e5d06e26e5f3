package anex_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ojud/datasource/anex"
)

// mangler returns one way to spoil an honest party's messages.
func mangler(r *rand.Rand) func(*rand.Rand, [][]byte, []byte) [][]byte {
	ways := []func(*rand.Rand, [][]byte, []byte) [][]byte{flip, repeat, reorder, drop, truncate, oversize, endless, swapWords, extend, babble}
	way, often := ways[r.IntN(len(ways))], 1+r.IntN(6)
	return func(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
		if r.IntN(often) != 0 {
			return append(wire, raw)
		}
		return way(r, wire, raw)
	}
}

func flip(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	raw = slices.Clone(raw)
	for range 1 + r.IntN(3) {
		raw[r.IntN(len(raw))] = byte(r.IntN(256))
	}
	return append(wire, raw)
}

func repeat(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	for range 2 + r.IntN(3) {
		wire = append(wire, raw)
	}
	return wire
}

func reorder(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	return slices.Insert(wire, r.IntN(len(wire)+1), raw)
}

func drop(_ *rand.Rand, wire [][]byte, _ []byte) [][]byte { return wire }

func truncate(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	return append(wire, raw[:r.IntN(len(raw))])
}

func oversize(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	filler := strings.Repeat("x", 1<<(10+r.IntN(11)))
	return append(wire, bytes.Replace(raw, []byte(`"content": { `), []byte(`"content": { "`+filler+`": 1, `), 1))
}

func endless(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	for i := range 100 {
		wire = append(wire, bytes.Replace(raw, []byte(`"reply-with": "`), fmt.Appendf(nil, `"reply-with": "%d`, i), 1))
	}
	return wire
}

// swapWords replaces words by others, so that the message is still well formed.
func swapWords(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	groups := [][]string{
		{`"REQUEST"`, `"AGREE"`, `"REFUSE"`, `"PROPOSE"`, `"CFP"`, `"ACCEPT-PROPOSAL"`, `"REJECT-PROPOSAL"`, `"INFORM"`, `"FAILURE"`,
			`"NOT_UNDERSTOOD"`, `"CANCEL"`, `"QUERY-IF"`, `"CONFIRM"`},
		{`"ANEX-Handshaking"`, `"FIPA-Contract-Net"`, `"ANEX-Data-Exchange"`, `"FIPA-Request"`, `"ANEX-Termination"`, `"FIPA-Subscribe"`},
		{`"access"`, `"promise"`, `"price"`, `"data"`, `"terms"`, `"a"`, `"b"`, `"*"`, `"p"`, `"z"`},
		{`"AgentA"`, `"AgentB"`, `"AgentC"`}, {`"a1"`, `"a2"`, `"a3"`, `"h1"`, `"h2"`}, {`"s"`, `"t"`},
	}
	g := groups[r.IntN(len(groups))]
	for _, word := range some(r, g...) {
		raw = bytes.Replace(raw, []byte(word), []byte(g[r.IntN(len(g))]), 1)
	}
	return append(wire, raw)
}

// extend adds parts outside the agreement: to a proposal, to data, to terms.
func extend(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	for _, more := range [][2]string{{`"access": [`, `"access": ["z", `}, {`"promise": [`, `"promise": ["more", `}, {`"data": { `, `"data": { "z": 1, `},
		{`"data": [`, `"data": [1, `}, {`"response": { `, `"response": { "price": "99", `}, {`"terms": "`, `"terms": "0`}} {
		if r.IntN(2) == 0 {
			raw = bytes.Replace(raw, []byte(more[0]), []byte(more[1]), 1)
		}
	}
	return append(wire, bytes.ReplaceAll(raw, []byte(", ]"), []byte("]")))
}

// babble adds well formed messages without a purpose.
func babble(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
	for range 1 + r.IntN(4) {
		wire = append(wire, someMessage(r, raw))
	}
	return append(wire, raw)
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// someMessage writes a random message of the sender of raw.
func someMessage(r *rand.Rand, raw []byte) []byte {
	act := pick(r, "REQUEST", "AGREE", "REFUSE", "PROPOSE", "CFP", "ACCEPT-PROPOSAL", "REJECT-PROPOSAL", "INFORM", "FAILURE", "NOT-UNDERSTOOD", "QUERY-IF")
	content := pick(r, `{}`, `{"message":"[PA*]"}`, `{"request":"?"}`, `{"response":"."}`, `{"response":{"access":["a"],"promise":[]}}`,
		`{"response":{"access":["*"],"promise":["p"],"price":"1"}}`, `{"data":{"a":1,"z":2},"receipt":{}}`, `{"data":1,"receipt":{}}`,
		`{"data_source":"s","request":{}}`, `{"error":"e"}`, `{"query":"q"}`, `{"modification":"m"}`,
		`{"request":{"identity":"i","owner":"","relation":"","request_type":"t","access":[],"promise":[]}}`)
	m, err := anex.Parse(raw)
	if err != nil {
		return raw
	}
	optional := ""
	if m.Conversation != "" {
		optional = `,"conversation-id":"` + m.Conversation + `"`
	}
	if r.IntN(2) == 0 {
		optional += pick(r, `,"reply-with":"x"`, `,"in-reply-to":"a1"`, `,"in-reply-to":"a2"`, `,"in-reply-to":"h1"`, `,"reply-by":"2020-01-01T00:00:00Z"`)
	}
	return fmt.Appendf(nil, `{"performative":%q,"sender":%q,"receiver":%q,"content":%s,"language":"JSON","ontology":"ANEX-Ontology","protocol":%q%s}`,
		act, m.Sender, m.Receiver, content, pick(r, "ANEX-Handshaking", "FIPA-Contract-Net", "ANEX-Data-Exchange", "ANEX-Termination"), optional)
}

// TestHonestAgainstRandom: a peer sends only random, well formed messages.
func TestHonestAgainstRandom(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := newSim(t, r, true)
		s.victim = []*side{s.a, s.b}[r.IntN(2)]
		s.mangle = func(r *rand.Rand, wire [][]byte, raw []byte) [][]byte {
			for range 1 + r.IntN(5) {
				wire = append(wire, someMessage(r, raw))
			}
			return wire
		}
		s.start(r)
		s.run(r, 3000)
		if err := s.sound(s.victim); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
