// Package schema checks JSON against JSON Schema 2020-12 if either may come from a stranger: the
// result of a task, the answer of a model, a tool or a data source, or a schema that a peer wrote.
// Everything is bounded before it is parsed: bytes, depth, number of values, size of numbers,
// regular expressions, and the cost of a check. Nothing outside a schema is ever loaded.
//
// The library github.com/santhosh-tekuri/jsonschema compiles a schema. A check does not use the
// library's validator, because that one cannot be stopped. The validator of this package counts
// steps while it works, stops when they are spent, and stops soon after its context ends. The
// tests compare both on random schemas.
//
// Errors say who is to blame: ErrSchema the schema, ErrJSON the value. A Violation is no error.
package schema
