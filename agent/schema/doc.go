// Package schema holds JSON to JSON Schema 2020-12 when either may be a stranger's: a model's answer, a tool's, the schema of a tool that a
// peer described. Everything is bounded before it is parsed: bytes, depth, number of values, size of numbers, regular expressions, and what
// a check costs. Nothing outside of a schema is ever loaded.
//
// The caller decides whose fault it is: ErrSchema blames the schema, ErrJSON the value, and a violation is neither.
package schema
