// Package oju holds the Solana program as build.sh built it from the Rust sources beside it.
//
// The embedded chain loads it at genesis, and clients may compare it with what a cluster runs.
// Nothing here may be changed by hand: change the sources and run build.sh.
package oju

import _ "embed"

//go:embed oju.so
var elf string

// ELF returns a copy of the program: an ELF of sBPF v3, for solana-sbpf's loader or one like it.
func ELF() []byte {
	return []byte(elf)
}
