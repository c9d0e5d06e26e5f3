package runs

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// TestQuery has the tables on which a query runs, and the rows that it has to return.
type TestQuery struct {
	Tables  map[string]json.RawMessage `json:"tables"`            // arrays of objects, by name
	Returns []json.RawMessage          `json:"returns"`           // arrays of values
	Ordered bool                       `json:"ordered,omitempty"` // the rows have this order
}

// The limits of a query.
const (
	maxTables = 16
	maxRows   = 1_000 // that it returns
)

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

func (q TestQuery) problem() (field, problem string) {
	switch {
	case len(q.Tables) == 0:
		return "tables", "is empty; a query needs rows"
	case len(q.Tables) > maxTables:
		return "tables", fmt.Sprintf("has %d tables; at most %d are allowed", len(q.Tables), maxTables)
	case len(q.Returns) > maxRows:
		return "returns", fmt.Sprintf("has %d rows; at most %d are allowed", len(q.Returns), maxRows)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(q.Tables)) {
		lower := strings.ToLower(name)
		if !tableName.MatchString(name) || seen[lower] || strings.HasPrefix(lower, "sqlite_") {
			return "tables", fmt.Sprintf("%.70q is not the name of a table, or that of two", name)
		}
		seen[lower] = true
		var rows []map[string]json.RawMessage
		err := json.Unmarshal(q.Tables[name], &rows)
		if err != nil || rows == nil || slices.ContainsFunc(rows, func(r map[string]json.RawMessage) bool { return r == nil }) {
			return "tables." + name, "is no array of objects"
		}
	}
	for n, row := range q.Returns {
		var values []json.RawMessage
		if err := json.Unmarshal(row, &values); err != nil || values == nil {
			return fmt.Sprintf("returns[%d]", n), "is no array of values"
		}
	}
	return "", ""
}
