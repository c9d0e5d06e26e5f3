package anex

import (
	"encoding/json"
	"fmt"
	"strconv"
)

const (
	maxTerm   = 256 // bytes of identity, owner, relation and request_type
	maxSource = 64  // bytes of data_source
)

// Call is the request in a CFP: the six terms of the ontology, then the fields of ojud.
type Call struct {
	Identity    string // of the asker: not empty
	Owner       string // the party that the asker acts for
	Relation    string // of the owner to the other's owner
	RequestType string // the purpose: not empty
	Access      []Name // the fields asked for; an empty list asks for everything, like "*"
	Promise     []Name // promises that the asker offers, binding both sides; the mandatory ones are conditions

	DataSource string  // the source that the data REQUESTs will name; "" leaves it open
	PriceLimit *uint64 // highest price of each answer in lamports; nil sets no limit
	Case       string  // Round and Judge need Case and each other; Case alone is a task of the asker
	Round      uint8
	Judge      string
}

// lamports writes an amount as a decimal string, or nothing for an optional zero.
func lamports(n uint64, always bool) json.RawMessage {
	if n == 0 && !always {
		return nil
	}
	return quote(strconv.FormatUint(n, 10))
}

func (c Call) encode() json.RawMessage {
	var limit, round json.RawMessage
	if c.PriceLimit != nil {
		limit = lamports(*c.PriceLimit, true)
	}
	if c.Round != 0 {
		round = strconv.AppendUint(nil, uint64(c.Round), 10)
	}
	request := object(pair{"identity", quote(c.Identity)}, pair{"owner", quote(c.Owner)}, pair{"relation", quote(c.Relation)},
		pair{"request_type", quote(c.RequestType)}, pair{"access", list(c.Access)}, pair{"promise", list(c.Promise)},
		pair{"data_source", given(c.DataSource)}, pair{"price_limit", limit},
		pair{"case", given(c.Case)}, pair{"round", round}, pair{"judge", given(c.Judge)})
	return object(pair{"request", request})
}

func list(names []Name) json.RawMessage {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.String()
	}
	return quotes(texts)
}

// readCall reads the content of a CFP. It refuses unknown terms, because a
// holder could not keep them.
func readCall(content json.RawMessage) (Call, error) {
	outer := newForm("content of CFP", "", content)
	request := outer.object("request", len(content))
	if err := outer.done(); err != nil {
		return Call{}, err
	}
	f := newForm("content of CFP", "request.", request)
	c := Call{
		Identity: f.text("identity", 1, maxTerm), Owner: f.text("owner", 0, maxTerm), Relation: f.text("relation", 0, maxTerm),
		RequestType: f.text("request_type", 1, maxTerm), Access: f.names("access", true), Promise: f.names("promise", false),
		DataSource: f.text("data_source", -1, maxSource),
		Case:       f.text("case", -1, maxTerm), Round: f.round(), Judge: f.text("judge", -1, maxTerm),
	}
	if limit, ok := f.amount("price_limit"); ok {
		c.PriceLimit = &limit
	}
	if (c.Round == 0) != (c.Judge == "") || c.Case == "" && c.Round != 0 {
		f.fail("case", "round and judge go together, with case")
	}
	return c, f.done()
}

func (f *form) round() uint8 {
	raw := f.find("round")
	if raw == nil {
		return 0
	}
	n, err := strconv.ParseUint(string(raw), 10, 8)
	if err != nil || n == 0 {
		f.fail("round", "is %.20s; an integer from 1 to 255 is needed", raw)
	}
	return uint8(n)
}

// checked returns the call, spelled as the other side will read it.
func (c Call) checked() (Call, error) {
	spelled, err := Spell(c.encode(), MaxMessage)
	if err != nil {
		return c, fmt.Errorf("call: %w", err)
	}
	return readCall(spelled)
}
