package ground

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// maxTables bounds the tables of a query.
const maxTables = 16

var tableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Tables says which part of the tables of a query is wrong, and why; nothing if none is. Each table
// is an array of objects.
func Tables(tables map[string]json.RawMessage) (field, problem string) {
	if len(tables) > maxTables {
		return "tables", fmt.Sprintf("has %d tables; at most %d are allowed", len(tables), maxTables)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		lower := strings.ToLower(name)
		if !tableName.MatchString(name) || seen[lower] || strings.HasPrefix(lower, "sqlite_") {
			return "tables", fmt.Sprintf("%.70q is not the name of a table, or that of two", name)
		}
		seen[lower] = true
		var rows []map[string]json.RawMessage
		err := json.Unmarshal(tables[name], &rows)
		if err != nil || rows == nil || slices.ContainsFunc(rows, func(r map[string]json.RawMessage) bool { return r == nil }) {
			return "tables." + name, "is no array of objects"
		}
	}
	return "", ""
}

// wrongRows says why JSON has no rows as a query returns them; nothing if it has. A row is an
// array of values.
func wrongRows(raw json.RawMessage) string {
	var rows [][]json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || rows == nil || slices.ContainsFunc(rows, func(r []json.RawMessage) bool { return r == nil }) {
		return "is no array of rows; a query returns rows, such as [[\"Ada\", 36]]"
	}
	return ""
}
