package runs

import (
	"encoding/json"
	"fmt"

	"ojud/casefile/ground"
)

// TestQuery has the tables on which a query runs, and the rows that it has to return.
type TestQuery struct {
	Tables  map[string]json.RawMessage `json:"tables"`            // arrays of objects, by name
	Returns []json.RawMessage          `json:"returns"`           // arrays of values
	Ordered bool                       `json:"ordered,omitempty"` // the rows have this order
	Within  json.RawMessage            `json:"within,omitempty"`  // by which numbers may differ, if the rows are ordered
}

// The limits of a query.
const maxRows = 1_000 // that it returns

func (q TestQuery) problem() (field, problem string) {
	switch {
	case len(q.Tables) == 0:
		return "tables", "is empty; a query needs rows"
	case len(q.Returns) > maxRows:
		return "returns", fmt.Sprintf("has %d rows; at most %d are allowed", len(q.Returns), maxRows)
	}
	if problem := withinProblem(q.Within); problem != "" {
		return "within", problem
	}
	if len(q.Within) > 0 && !q.Ordered && len(q.Returns) > 1 {
		return "within", "needs ordered: rows that may differ are compared in their order"
	}
	if field, problem := ground.Tables(q.Tables); problem != "" {
		return field, problem
	}
	for n, row := range q.Returns {
		var values []json.RawMessage
		if err := json.Unmarshal(row, &values); err != nil || values == nil {
			return fmt.Sprintf("returns[%d]", n), "is no array of values"
		}
	}
	return "", ""
}
