// Package oju holds the Solana program that build.sh built from the Rust sources beside it.
//
// The embedded chain loads it at genesis, and clients may compare it with the program of a cluster.
// Do not change it by hand: change the sources and run build.sh.
package oju

import _ "embed"

//go:embed oju.so
var elf string

// ELF returns a copy of the program: an ELF of sBPF v3, for solana-sbpf's loader or a similar one.
func ELF() []byte {
	return []byte(elf)
}
