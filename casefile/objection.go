package casefile

import (
	"encoding/json"
	"fmt"

	"ojud/casefile/canon"
	"ojud/casefile/ground"
)

// Objection is why a creator refuses a result, and a counter-objection why the worker holds it good
// (protocol section 2).
type Objection struct {
	Reason   string          `json:"reason"`
	Evidence []Exhibit       `json:"evidence,omitempty"`
	Grounds  []ground.Ground `json:"grounds,omitempty"`
}

// Exhibit names content that a party says proves its point. The party sees to it that nodes can get
// the content.
type Exhibit struct {
	Name   string `json:"name"`
	SHA256 Digest `json:"sha256"`
	Bytes  uint64 `json:"bytes"`
}

// The limits of an objection.
const (
	maxReason   = 16384 // bytes
	maxExhibits = 32
)

// ParseObjection reads an objection.
func ParseObjection(raw []byte) (Doc[Objection], error) {
	return read[Objection]("objection file", raw, MaxDocument)
}

// ParseCounterObjection reads a counter-objection, which has the same form.
func ParseCounterObjection(raw []byte) (Doc[Objection], error) {
	return read[Objection]("counter-objection file", raw, MaxDocument)
}

func (o Objection) validate(document string) error {
	c := &checker{document: document}
	c.text("reason", o.Reason, 1, maxReason)
	c.count("evidence", len(o.Evidence), maxExhibits, "exhibits")
	for i, e := range o.Evidence {
		c.text(fmt.Sprintf("evidence[%d].name", i), e.Name, 0, MaxDocument)
	}
	if field, problem := ground.Check(o.Grounds); problem != "" {
		c.fail(field, "%s", problem)
	}
	return c.err
}

// Result is the worker's result: any JSON value. Whether it satisfies the task is for judges to
// say.
type Result json.RawMessage

// ParseResult reads a result.
func ParseResult(raw []byte) (Doc[Result], error) {
	canonical, err := canon.JSON(raw, MaxDocument)
	if err != nil {
		return Doc[Result]{}, fmt.Errorf("result file: %w", err)
	}
	return Doc[Result]{Value: canonical, Raw: canonical, Hash: HashOf(canonical)}, nil
}
