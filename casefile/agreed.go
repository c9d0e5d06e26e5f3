package casefile

import (
	"slices"
	"strings"
)

// Agreed holds the terms that asker and holder agreed on before an answer, as far as a receipt
// repeats them: the document that Receipt.Terms names (protocol section 12, "Terms hash").
type Agreed struct {
	Format      string   `json:"format"`
	Asker       DID      `json:"asker"`
	Holder      DID      `json:"holder"`
	Identity    string   `json:"identity"`
	Owner       string   `json:"owner"`
	Relation    string   `json:"relation"`
	RequestType string   `json:"request_type"`
	Access      []string `json:"access"`
	Promise     []string `json:"promise"`
	Price       Amount   `json:"price"` // lamports an answer
	Source      string   `json:"data_source,omitempty"`
	Case        Address  `json:"case,omitempty"`
	Round       uint8    `json:"round,omitempty"`
	Judge       Address  `json:"judge,omitempty"`
}

// maxAgreed is the longest such document, in bytes: that of the message that makes it.
const maxAgreed = 64 << 10

const formatAgreed = "anex-terms/1"

// ParseAgreed reads the document.
func ParseAgreed(raw []byte) (Agreed, error) {
	doc, err := read[Agreed]("terms", raw, maxAgreed)
	return doc.Value, err
}

// Encode returns the document.
func (a Agreed) Encode() ([]byte, error) {
	doc, err := write("terms", a, maxAgreed)
	return doc.Raw, err
}

func (a Agreed) validate(document string) error {
	c := &checker{document: document}
	if a.Format != formatAgreed {
		c.fail("format", "is %.40q; %s is needed", a.Format, formatAgreed)
	}
	if a.Access == nil || a.Promise == nil {
		c.fail("access", "access and promise are required; write [] if there are none")
	}
	return c.err
}

// Differs names the first field in which a receipt differs from the agreement, or returns an empty
// string.
func (a Agreed) Differs(r Receipt) string {
	for _, part := range [...]struct {
		field string
		same  bool
	}{
		{"asker", a.Asker == r.Asker}, {"holder", a.Holder == r.Holder}, {"data_source", a.Source == r.Source}, {"case", a.Case == r.Case},
		{"round", a.Round == r.Round}, {"judge", a.Judge == r.Judge || a.Round == 0 && a.Judge == (Address{})}, {"price", a.Price == r.Price}, {"access", slices.Equal(a.fields(), r.Access)},
	} {
		if !part.same {
			return part.field
		}
	}
	return ""
}

// fields is the access as a receipt spells it: sorted, and nothing for everything.
func (a Agreed) fields() []string {
	if slices.Contains(a.Access, "*") {
		return []string{}
	}
	return slices.SortedFunc(slices.Values(a.Access), strings.Compare)
}
