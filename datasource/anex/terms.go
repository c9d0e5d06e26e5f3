package anex

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// termsFormat is the first word of the terms' canonical form.
const termsFormat = "anex-terms/1"

// Terms are the agreement of asker and holder: the CFP, as far as the PROPOSE granted it.
type Terms struct {
	Asker  string // name of the agent that sent the CFP
	Holder string // name of the agent that sent the PROPOSE
	Call   Call   // as it was asked; its access, promise and price limit are not part of the terms
	Grant  Proposal
}

// Canonical returns the terms as canonical JSON (RFC 8785), the input of their hash: format, asker,
// holder, the six terms with access and promise as granted, without suffixes, sorted by their UTF-8
// bytes; price, "0" if it is free; data_source, case, round and judge if the CFP has them.
func (t Terms) Canonical() []byte {
	c := t.Call
	var round json.RawMessage
	if c.Round != 0 {
		round = strconv.AppendUint(nil, uint64(c.Round), 10)
	}
	return compact(pair{"access", sorted(t.Grant.Access)}, pair{"asker", quote(t.Asker)}, pair{"case", given(c.Case)},
		pair{"data_source", given(c.DataSource)}, pair{"format", quote(termsFormat)}, pair{"holder", quote(t.Holder)},
		pair{"identity", quote(c.Identity)}, pair{"judge", given(c.Judge)}, pair{"owner", quote(c.Owner)},
		pair{"price", lamports(t.Grant.Price, true)}, pair{"promise", sorted(t.Grant.Promise)},
		pair{"relation", quote(c.Relation)}, pair{"request_type", quote(c.RequestType)}, pair{"round", round})
}

// Hash returns the SHA-256 of Canonical: it names the terms in ACCEPT-PROPOSAL and in receipts.
func (t Terms) Hash() Hash { return sha256.Sum256(t.Canonical()) }

// sorted writes an array of strings without spaces, in ascending order of their bytes.
func sorted(texts []string) json.RawMessage {
	items := make([]string, len(texts))
	for i, text := range slices.Sorted(slices.Values(texts)) {
		items[i] = string(quote(text))
	}
	return json.RawMessage("[" + strings.Join(items, ",") + "]")
}

// compact writes an object without spaces. The names must be in order already.
func compact(pairs ...pair) []byte {
	out := []byte{'{'}
	for _, p := range pairs {
		if p.value == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(p.name)...), ':'), p.value...)
	}
	return append(out, '}')
}
