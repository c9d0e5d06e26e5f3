// Package ojud is the root of the module. It has only tests of rules that no single package can
// check: imports, names of packages and types, sizes, state, and documents. The program is
// cmd/ojud.
package ojud
