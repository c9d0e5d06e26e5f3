package casefile

import (
	"encoding/json"
	"maps"
	"slices"

	"ojud/casefile/canon"
	"ojud/schema/pointer"
)

// Lookup asks a data source about a result: the request object of seed 000 ("access data"),
// completed with parts of the result (protocol section 2).
type Lookup struct {
	Source     string            `json:"data_source"`
	Request    json.RawMessage   `json:"request"`               // object
	FromResult map[string]string `json:"from_result,omitempty"` // member of the request to JSON pointer into the result
}

// The limits of a lookup.
const (
	maxRequest = 4 << 10 // bytes of canonical JSON
	maxMembers = 16      // taken from the result
)

func (l Lookup) validate(c *checker, path string) {
	c.name(path+".data_source", l.Source)
	var fixed map[string]json.RawMessage
	switch {
	case len(l.Request) > maxRequest:
		c.fail(path+".request", "is %d bytes; at most %d are allowed", len(l.Request), maxRequest)
	case json.Unmarshal(l.Request, &fixed) != nil || fixed == nil:
		c.fail(path+".request", "is not an object; write {} if everything comes from the result")
	}
	c.count(path+".from_result", len(l.FromResult), maxMembers, "members")
	for _, member := range slices.Sorted(maps.Keys(l.FromResult)) {
		at := join(path+".from_result", member)
		c.text(at, member, 1, 64)
		if err := pointer.Validate(l.FromResult[member]); err != nil {
			c.fail(at, "%v", err)
		}
		if _, twice := fixed[member]; twice {
			c.fail(at, "stands in request too; leave it out of one of the two")
		}
	}
}

// Fill completes the request: value returns what stands at a pointer of the result. The answer is
// canonical JSON.
func (l Lookup) Fill(value func(pointer string) (any, error)) (json.RawMessage, error) {
	var out map[string]any
	if err := json.Unmarshal(l.Request, &out); err != nil {
		return nil, err
	}
	for _, member := range slices.Sorted(maps.Keys(l.FromResult)) {
		v, err := value(l.FromResult[member])
		if err != nil {
			return nil, err
		}
		out[member] = v
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, MaxDocument)
}
