// Package megabrain holds the Solana program of MegaBrain, which build.sh built from the Rust
// sources here and those of the court's program. docs/megabrain.md tells what it does.
//
// Do not change it by hand: change the sources and run build.sh.
package megabrain

import _ "embed"

//go:embed megabrain.so
var elf string

// ELF returns a copy of the program: an ELF of sBPF v3, for solana-sbpf's loader or a similar one.
func ELF() []byte {
	return []byte(elf)
}
