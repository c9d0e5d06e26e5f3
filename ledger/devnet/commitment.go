package devnet

import (
	"encoding/json"
	"fmt"

	"ojud/ledger/devnet/bank"
)

// commitment is a commitment level in a request; the default is finalized.
type commitment struct{ level *bank.Level }

func (c commitment) or(level bank.Level) bank.Level {
	if c.level == nil {
		return level
	}
	return *c.level
}

// UnmarshalJSON reads one of the three words. Like Agave, it refuses the older ones.
func (c *commitment) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	var word string
	if err := json.Unmarshal(raw, &word); err != nil {
		return &variantError{unexpected(raw) + ", expected string or map"}
	}
	for _, level := range []bank.Level{bank.Processed, bank.Confirmed, bank.Finalized} {
		if word == level.String() {
			c.level = &level
			return nil
		}
	}
	return &variantError{fmt.Sprintf(
		"unknown variant `%s`, expected one of `processed`, `confirmed`, `finalized`", word)}
}

// contextConfig is the part of a configuration that selects the state for the answer.
type contextConfig struct {
	Commitment     commitment `json:"commitment"`
	MinContextSlot *uint64    `json:"minContextSlot"`
}

// atLeastConfirmed refuses the processed level, because some methods have no history of it.
func (p *params) atLeastConfirmed(c commitment) bank.Level {
	level := c.or(bank.Finalized)
	if level == bank.Processed {
		p.fail(invalidParams("Method does not support commitment below `confirmed`"))
	}
	return level
}

// contextual adds the slot of a value.
type contextual struct {
	Context contextOf `json:"context"`
	Value   any       `json:"value"`
}

type contextOf struct {
	APIVersion string `json:"apiVersion"`
	Slot       uint64 `json:"slot"`
}

func withContext(slot uint64, value any) contextual {
	return contextual{contextOf{agaveVersion, slot}, value}
}
