// Package ojud is the root of the module and holds nothing but tests of what no single package can check: who may import whom, how packages are
// named, how long files are, and that nothing keeps state. The program is cmd/ojud; README.md says what it is for.
package ojud
