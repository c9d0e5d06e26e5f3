// Package sandbox runs small programs of strangers so that everyone gets the same answer. A program
// is a WebAssembly module, or a text that such a module interprets. It has no clock, network, file
// or randomness. It may execute so many instructions, use so much memory and write so much. What a
// run says depends on nothing but the module and its input (docs/adr/0041-programs-as-evidence.md).
package sandbox
