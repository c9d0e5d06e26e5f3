// Package escrow holds an example of a program of somebody else: an escrow that pays by a verdict
// of the court. build.sh built it from the Rust sources here and modules of the court's program.
// docs/verdicts.md tells how to write one, and the demo of a devnet pays by it.
//
// Do not change it by hand: change the sources and run build.sh.
package escrow

import _ "embed"

//go:embed escrow.so
var elf string

// ELF returns a copy of the program: an ELF of sBPF v3, for solana-sbpf's loader or a similar one.
func ELF() []byte {
	return []byte(elf)
}
