// Package signers holds the program that decides tasks by m of n signatures. build.sh built it from
// the Rust sources here and those of the court's program. docs/signers.md tells how to use it.
//
// Do not change it by hand: change the sources and run build.sh.
package signers

import _ "embed"

//go:embed signers.so
var elf string

// ELF returns a copy of the program: an ELF of sBPF v3, for solana-sbpf's loader or a similar one.
func ELF() []byte {
	return []byte(elf)
}
